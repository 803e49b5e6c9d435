"""Sample data for the style page. It never appears on a page of the house."""
