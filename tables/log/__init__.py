"""The floor's audit records, and its rows compared with the log. It never changes a row or judges a card."""
