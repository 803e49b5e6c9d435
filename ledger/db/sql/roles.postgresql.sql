-- Who owns the tables, who works in them, who reads. Run it as an administrator of PostgreSQL.
BEGIN;
SET LOCAL client_min_messages = warning;
DO {quote}
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {owner_text}) THEN
        CREATE ROLE {owner} LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {app_text}) THEN
        CREATE ROLE {app} LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = {reader_text}) THEN
        CREATE ROLE {reader} LOGIN;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = {app_text} AND (rolsuper OR rolcreaterole OR pg_has_role(oid, {owner_text}, 'MEMBER'))) THEN
        RAISE EXCEPTION USING MESSAGE = {app_warning};
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = {reader_text} AND (rolsuper OR rolcreaterole OR pg_has_role(oid, {owner_text}, 'MEMBER'))) THEN
        RAISE EXCEPTION USING MESSAGE = {reader_warning};
    END IF;
END
{quote};
CREATE SCHEMA IF NOT EXISTS {schema};
DO {quote}
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I, %I', current_database(), {app_text}, {reader_text});
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I, %I, %I', current_database(), {owner_text}, {app_text}, {reader_text});
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', {owner_text}, current_database(), {schema_text});
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', {app_text}, current_database(), {schema_text});
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', {reader_text}, current_database(), {schema_text});
END
{quote};
DO {quote}
DECLARE here record;
BEGIN
    FOR here IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (starts_with(proname, 'lo_') OR proname IN ('loread', 'lowrite')) LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', here.name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', here.name, {owner_text});
    END LOOP;
END
{quote};
REVOKE ALL ON SCHEMA {schema} FROM PUBLIC, {app}, {reader};
GRANT USAGE, CREATE ON SCHEMA {schema} TO {owner};
GRANT USAGE ON SCHEMA {schema} TO {app}, {reader};
ALTER DEFAULT PRIVILEGES FOR ROLE {owner} IN SCHEMA {schema} GRANT SELECT, INSERT ON TABLES TO {app};
DO {quote}
DECLARE here record;
BEGIN
    FOR here IN SELECT wanted.* FROM (VALUES
        {wanted}
    ) AS wanted (name, app, reader)
    JOIN pg_tables ON schemaname = {schema_text} AND tablename = wanted.name LOOP
    EXECUTE format('ALTER TABLE %I.%I OWNER TO %I', {schema_text}, here.name, {owner_text});
    EXECUTE format('REVOKE ALL ON TABLE %I.%I FROM PUBLIC, %I, %I', {schema_text}, here.name, {app_text}, {reader_text});
    EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', here.app, {schema_text}, here.name, {app_text});
    IF here.reader <> '' THEN
    EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', here.reader, {schema_text}, here.name, {reader_text});
    END IF;
    END LOOP;
    FOR here IN SELECT DISTINCT proname AS name FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE NOT tgisinternal AND nspname = {schema_text} LOOP
    EXECUTE format('ALTER FUNCTION %I.%I() OWNER TO %I', {schema_text}, here.name, {owner_text});
    END LOOP;
END
{quote};
COMMIT;
