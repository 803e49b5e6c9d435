"""What is ours about databases: append-only triggers, roles, snapshots, compiled queries. It knows no event of the house."""
