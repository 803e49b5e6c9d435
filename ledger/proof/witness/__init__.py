"""A witness, run outside the house with the standard library alone: it cosigns a log's checkpoints while the
log only grows. It never sees a record or the house's database, and never cosigns two trees that do not
continue each other."""
