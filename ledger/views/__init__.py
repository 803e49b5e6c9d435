"""The desks of the books: count room, journal, compliance, audit log. A view calls one verb or report and never holds a rule."""
