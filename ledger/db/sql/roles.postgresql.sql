-- Who owns the tables, who works in them, who reads. Run it as an administrator of PostgreSQL.
BEGIN;
SET LOCAL client_min_messages = warning;
DO $block$
BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'casino_owner') THEN
        CREATE ROLE "casino_owner" LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'casino_app') THEN
        CREATE ROLE "casino_app" LOGIN;
    END IF;
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = 'casino_reader') THEN
        CREATE ROLE "casino_reader" LOGIN;
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'casino_app' AND (rolsuper OR rolcreaterole OR pg_has_role(oid, 'casino_owner', 'MEMBER'))) THEN
        RAISE EXCEPTION USING MESSAGE = 'The role casino_app could grant itself any right.';
    END IF;
    IF EXISTS (SELECT FROM pg_roles WHERE rolname = 'casino_reader' AND (rolsuper OR rolcreaterole OR pg_has_role(oid, 'casino_owner', 'MEMBER'))) THEN
        RAISE EXCEPTION USING MESSAGE = 'The role casino_reader could grant itself any right.';
    END IF;
END
$block$;
CREATE SCHEMA IF NOT EXISTS "public";
DO $block$
BEGIN
    EXECUTE format('REVOKE ALL ON DATABASE %I FROM PUBLIC, %I, %I', current_database(), 'casino_app', 'casino_reader');
    EXECUTE format('GRANT CONNECT ON DATABASE %I TO %I, %I, %I', current_database(), 'casino_owner', 'casino_app', 'casino_reader');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', 'casino_owner', current_database(), 'public');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', 'casino_app', current_database(), 'public');
    EXECUTE format('ALTER ROLE %I IN DATABASE %I SET search_path = %I', 'casino_reader', current_database(), 'public');
END
$block$;
DO $block$
DECLARE here record;
BEGIN
    FOR here IN SELECT oid::regprocedure AS name FROM pg_proc WHERE pronamespace = 'pg_catalog'::regnamespace
    AND (starts_with(proname, 'lo_') OR proname IN ('loread', 'lowrite')) LOOP
    EXECUTE format('REVOKE EXECUTE ON FUNCTION %s FROM PUBLIC', here.name);
    EXECUTE format('GRANT EXECUTE ON FUNCTION %s TO %I', here.name, 'casino_owner');
    END LOOP;
END
$block$;
REVOKE ALL ON SCHEMA "public" FROM PUBLIC, "casino_app", "casino_reader";
GRANT USAGE, CREATE ON SCHEMA "public" TO "casino_owner";
GRANT USAGE ON SCHEMA "public" TO "casino_app", "casino_reader";
ALTER DEFAULT PRIVILEGES FOR ROLE "casino_owner" IN SCHEMA "public" GRANT SELECT, INSERT ON TABLES TO "casino_app";
DO $block$
DECLARE here record;
BEGIN
    FOR here IN SELECT wanted.* FROM (VALUES
        {wanted}
    ) AS wanted (name, app, reader)
    JOIN pg_tables ON schemaname = 'public' AND tablename = wanted.name LOOP
    EXECUTE format('ALTER TABLE %I.%I OWNER TO %I', 'public', here.name, 'casino_owner');
    EXECUTE format('REVOKE ALL ON TABLE %I.%I FROM PUBLIC, %I, %I', 'public', here.name, 'casino_app', 'casino_reader');
    EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', here.app, 'public', here.name, 'casino_app');
    IF here.reader <> '' THEN
    EXECUTE format('GRANT %s ON TABLE %I.%I TO %I', here.reader, 'public', here.name, 'casino_reader');
    END IF;
    END LOOP;
    FOR here IN SELECT DISTINCT proname AS name FROM pg_trigger JOIN pg_proc ON pg_proc.oid = tgfoid
    JOIN pg_namespace ON pg_namespace.oid = pronamespace
    WHERE NOT tgisinternal AND nspname = 'public' LOOP
    EXECUTE format('ALTER FUNCTION %I.%I() OWNER TO %I', 'public', here.name, 'casino_owner');
    END LOOP;
END
$block$;
COMMIT;
