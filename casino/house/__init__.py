"""The house: first start, particulars, and the manager's desk. It never moves a chip or decides a round."""
