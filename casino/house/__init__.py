"""The house itself: its first start, its particulars, and the manager's desk. It never moves a chip and never decides who is
right at a table."""
