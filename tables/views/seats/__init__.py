"""Pages about a seat: buying in, adding on, paying, moving, leaving. It moves no chip itself."""
