"""Sample data for the style page. No page of the house uses it."""
