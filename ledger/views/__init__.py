"""The desks of the books: count room, journal, compliance, audit log. A view never holds a rule."""
