"""What is wrong with a record, held against the replayed room; each rule is called from where the tables keep it."""
