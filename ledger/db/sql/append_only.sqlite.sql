-- Rows of this table are written once. The last trigger asks whether a row stands already under a unique key, because
-- INSERT OR REPLACE removes that row without firing DELETE triggers on a connection without recursive_triggers.
DROP TRIGGER IF EXISTS {table}_no_update;
DROP TRIGGER IF EXISTS {table}_no_delete;
DROP TRIGGER IF EXISTS {table}_no_replace;
CREATE TRIGGER {table}_no_update BEFORE UPDATE ON {table}
BEGIN
    SELECT RAISE(ABORT, '{table} is append-only');
END;
CREATE TRIGGER {table}_no_delete BEFORE DELETE ON {table}
BEGIN
    SELECT RAISE(ABORT, '{table} is append-only');
END;
CREATE TRIGGER {table}_no_replace BEFORE INSERT ON {table} WHEN {taken}
BEGIN
    SELECT RAISE(ABORT, '{table} is append-only: the row is there already');
END;
