"""What is wrong with a record, held against the replayed tables; each rule is called from where the tables keep it. It never
opens a database, and never repairs a record."""
