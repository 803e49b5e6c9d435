"""The manager's desk: tables, games on offer, the house's checklist. It never decides a rule."""
