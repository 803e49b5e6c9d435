"""The desks of the cage: the window, the vault and drawers, the day. It never holds a rule of the books."""
