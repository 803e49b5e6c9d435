"""Tell open screens that a table has changed, and send them the pieces that others made.

It never makes an act wait and reads no row. Messages between processes do not say what changed.
"""

from tables.live.hub import HOUSE as HOUSE, RIGHTS as RIGHTS
from tables.live.publishing import announce as announce, publish as publish
