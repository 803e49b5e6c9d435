"""Open screens learn here that a table has changed, and get the pieces of their page that others have made of it. A message
between processes never says what changed, so nothing depends on it; this room reads no row and never makes an act wait."""

from tables.live.hub import HOUSE as HOUSE
from tables.live.hub import RIGHTS as RIGHTS
from tables.live.publishing import announce as announce
from tables.live.publishing import publish as publish
