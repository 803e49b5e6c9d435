"""Open screens learn here that a table has changed. A message never says what changed, so nothing depends on it; this room
reads no row and never makes an act wait."""

from tables.live.publishing import HOUSE as HOUSE
from tables.live.publishing import announce as announce
from tables.live.publishing import publish as publish
