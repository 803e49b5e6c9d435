"""Pages about a seat: buying in, adding on, paying, moving, leaving. They never move a chip themselves."""
