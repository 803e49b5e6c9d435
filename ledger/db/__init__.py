"""What is ours about databases: append-only triggers, tables created at once, roles, snapshots, compiled queries. It knows no
event of the house."""
