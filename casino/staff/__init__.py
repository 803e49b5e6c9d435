"""The staff: hiring, roles, leaving, return, and one-time codes. It never knows a password or PIN."""
