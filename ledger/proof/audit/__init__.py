"""Read the log back offline: records, tree, signatures, exports. It runs inside `verify.pyz`. Pure, with
the standard library alone. It never opens a database and never signs anything."""
