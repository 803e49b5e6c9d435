"""Vietnamese: figures and dates as in English. It never has a form of its own."""
