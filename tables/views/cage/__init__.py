"""The cashier's desk: the window, reconciling boxes, closing a day. It never holds a rule of the books."""
