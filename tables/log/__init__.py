"""What is recorded of the floor, and its rows held against the live log. It never changes a row and never judges a card
itself."""
