"""The staff: hired, given roles, let go and taken back, and the one-time codes they come in by. It never knows a password or PIN."""
