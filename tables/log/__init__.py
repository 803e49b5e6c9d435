"""What is recorded of the floor, and its rows held against the live log. It changes no row and judges no card itself."""
