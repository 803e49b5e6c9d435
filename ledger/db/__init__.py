"""What is ours about databases: append-only triggers, tables created at once, roles, snapshots, compiled queries. It never knows
an event of the house."""
