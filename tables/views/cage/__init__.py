"""The cashier's desk: the window, reconciling boxes, closing a day. It holds no rule of the books."""
