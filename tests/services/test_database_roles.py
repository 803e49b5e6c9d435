"""PostgreSQL's roles on a real server: the program's role can play a night and change no written row."""

import os
import secrets
import subprocess
import sys
from dataclasses import dataclass, replace
from urllib.parse import urlsplit

import psycopg
import pytest
from django.conf import settings

from ledger.db import append_only
from ledger.db.roles import LOCKED, read_columns, rights, roles_sql
from tests.support.together import run_together

DENIED = "42501"
APPEND_ONLY = "23000"
ROLES = ("owner", "app", "reader")
IN_COLUMNS = ("INSERT", "UPDATE", "REFERENCES")
# What somebody could try who would rather have another past.
ATTACKS = {
    "update": "UPDATE {table} SET id = id",
    "update of another column": "UPDATE {table} SET {column} = {column}",
    "delete": "DELETE FROM {table}",
    "truncate": "TRUNCATE {table} CASCADE",
    "alter": "ALTER TABLE {table} ADD COLUMN note text",
    "disable the trigger": "ALTER TABLE {table} DISABLE TRIGGER ALL",
    "drop the trigger": "DROP TRIGGER {table}_no_change ON {table}",
    "replace the trigger": "CREATE OR REPLACE TRIGGER {table}_no_change BEFORE INSERT ON {table}"
    " EXECUTE FUNCTION suppress_redundant_updates_trigger()",
    "rewrite by rule": "CREATE RULE never AS ON INSERT TO {table} DO INSTEAD NOTHING",
    "drop": "DROP TABLE {table} CASCADE",
    "take over": "ALTER TABLE {table} OWNER TO CURRENT_USER",
    "overwrite": "INSERT INTO {table} ({columns}) SELECT {columns} FROM {table} ON CONFLICT (id) DO UPDATE "
    "SET id = 0",
    "refer to": "CREATE TABLE hold (id bigint REFERENCES {table})",
}
# The columns that are written, not generated.
WRITTEN = (
    "SELECT array_agg(attname ORDER BY attnum) FROM pg_attribute"
    " WHERE attrelid = %s::regclass AND attnum > 0 AND NOT attisdropped AND attgenerated = ''"
)


@dataclass(frozen=True)
class Scratch:
    name: str
    owner: str
    app: str
    reader: str
    password: str

    def url(self, user=None):
        parts = urlsplit(settings.DATABASE_URL)
        host = parts.netloc.rpartition("@")[2]
        there = f"{user}:{self.password}@{host}" if user else parts.netloc
        return parts._replace(netloc=there, path=f"/{self.name}").geturl()

    def connect(self, user=None):
        return psycopg.connect(self.url(user), autocommit=True)

    def asked(self, user, sql, *parameters):
        with self.connect(user) as connection:
            return connection.execute(sql, parameters).fetchall()

    def run(self, sql, user=None):
        with self.connect(user) as connection:
            connection.execute(sql)

    def refused(self, user, sql):
        with pytest.raises(psycopg.Error) as error:
            self.run(sql, user)
        return error.value.sqlstate

    def manage(self, user, *arguments, **environment):
        given = {"DATABASE_URL": self.url(user), "DJANGO_SETTINGS_MODULE": "casino.settings", **environment}
        done = subprocess.run(
            [sys.executable, "manage.py", *arguments],
            cwd=settings.BASE_DIR,
            env={**os.environ, **given},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stderr
        return done.stdout

    @property
    def sql(self):
        sql = roles_sql()
        for name in ROLES:
            sql = sql.replace(f"casino_{name}", getattr(self, name))
        return sql


def administer(sql, **names):
    parts = urlsplit(settings.DATABASE_URL)
    with psycopg.connect(parts.geturl(), autocommit=True) as connection:
        quoted = {key: psycopg.sql.Identifier(name) for key, name in names.items()}
        connection.execute(psycopg.sql.SQL(sql).format(**quoted))


def make(prefix):
    """Create a database without tables, with names for roles that do not exist yet."""
    mark = secrets.token_hex(4)
    made = Scratch(f"scratch_{mark}", *(f"{prefix}{role}_{mark}" for role in ROLES), password=mark)
    administer("CREATE DATABASE {name}", name=made.name)
    return made


def remove(made):
    administer("DROP DATABASE {name} WITH (FORCE)", name=made.name)
    for role in (made.owner, made.app, made.reader):
        administer("DROP ROLE IF EXISTS {role}", role=role)


@pytest.fixture(scope="module")
def lasting(tmp_path_factory):
    """The environment of the demo, with the folder of its keys."""
    return {"CASINO_DEMO": "1", "CASINO_VAR": str(tmp_path_factory.mktemp("room"))}


@pytest.fixture(scope="module")
def room(lasting):
    """A demo migrated by its owner, and filled by the program's role with a night and an evening."""
    made = make("room_")
    try:
        made.run(made.sql)
        for role in (made.owner, made.app, made.reader):
            made.run(f"ALTER ROLE {role} PASSWORD '{made.password}'")
        made.manage(made.owner, "migrate", "--verbosity=0", **lasting)
        made.run(made.sql)
        made.manage(made.app, "seed", **lasting)
        made.manage(made.app, "audit", "seal", **lasting)
        yield made
    finally:
        remove(made)


@pytest.fixture
def empty():
    """A database without tables."""
    made = make("empty_")
    yield made
    remove(made)


@pytest.fixture
def demo(tmp_path):
    return {"CASINO_DEMO": "1", "CASINO_VAR": str(tmp_path)}


def test_the_programs_own_role_plays_a_night_and_seals_it(room):
    for table in ("journalentry", "transfer", "count", "dropsignoff", "auditrecord", "leaf", "checkpoint"):
        ((rows,),) = room.asked(room.reader, f"SELECT count(*) FROM ledger_{table}")
        assert rows > 0, table
    for table in ("charge", "feepayment", "settlement", "hand", "correctionrequest"):
        ((rows,),) = room.asked(room.reader, f"SELECT count(*) FROM tables_{table}")
        assert rows > 0, table
    assert room.asked(room.app, "SELECT sum(balance_cents) FROM ledger_account") == [(0,)]


def a_day_at_the_screens():
    """Sign-ins, a refusal, hiring, roles given and taken; in a process of its own."""
    from django.test import Client

    from casino.models import Staff
    from casino.roles import assign
    from ledger.models import HouseEvent

    for name, role in (("mia", "manager"), ("flo", "floor")):
        assign(Staff.objects.create_user(name, password=f"{name} signs in"), role)
    mia, flo = Client(), Client()
    wrong = flo.post("/sign-in/", {"username": "flo", "password": "not this"}).status_code
    for client, name in ((mia, "mia"), (flo, "flo")):
        client.post("/sign-in/", {"username": name, "password": f"{name} signs in"})
        client.post("/second-steps/")  # put off for a day
    pages = [flo.get(page).status_code for page in ("/floor/", "/healthz")]
    person = {"key": "a-key-of-this-page", "full_name": "Zoe Yan"}
    mia.post("/house/staff/hire/", {"username": "zoe", **person})
    zoe = Staff.objects.get(username="zoe")
    held = []
    for roles in (["dealer"], ["floor"], []):
        mia.post(f"/house/staff/{zoe.pk}/", {"roles": roles, **person})
        held.append(sorted(zoe.roles))
    for act in ("code", "let-go", "take-back"):
        mia.post(f"/house/staff/{zoe.pk}/{act}/", {"key": person["key"]})
    flo.post("/sign-out/")
    noted = HouseEvent.objects.filter(actor__username="mia").values_list("kind", flat=True)
    return {
        "wrong": wrong,
        "pages": pages,
        "held": held,
        "noted": sorted(noted),
        "after": flo.get("/floor/").status_code,
    }


def test_the_programs_own_role_serves_the_screens(room):
    work = "tests.services.test_database_roles:a_day_at_the_screens"
    (seen,) = run_together(work, [{}], DATABASE_URL=room.url(room.app), ALLOWED_HOSTS="testserver")
    assert seen == {
        "wrong": 400,
        "pages": [200, 200],
        "held": [["dealer"], ["floor"], []],
        "noted": [*["code_made"] * 3, "signed_in", *["staff_changed"] * 6],
        "after": 302,
    }


@pytest.mark.parametrize("attack", ATTACKS)
def test_the_programs_own_role_changes_nothing_that_is_written_once(room, attack):
    with room.connect(room.app) as connection:
        for table in sorted(append_only.PROTECTED):
            columns = connection.execute(WRITTEN, [table]).fetchone()[0]
            statement = ATTACKS[attack].format(
                table=table, column=columns[-1], columns=", ".join(f'"{name}"' for name in columns)
            )
            with pytest.raises(psycopg.Error) as error:
                connection.execute(statement)
            # A lockable row: the trigger refuses what the permission allows.
            allowed = attack in ("update", "overwrite") and table in LOCKED
            assert error.value.sqlstate == (APPEND_ONLY if allowed else DENIED), (table, statement)


@pytest.mark.parametrize(
    "sql",
    [
        "SET session_replication_role = replica",
        "SET ROLE {owner}",
        "CREATE TABLE mine (id int)",
        "CREATE TEMPORARY TABLE ledger_transfer (id int)",
        "CREATE SCHEMA mine",
        "CREATE OR REPLACE FUNCTION ledger_append_only() RETURNS trigger LANGUAGE plpgsql AS 'BEGIN RETURN "
        "NEW; END'",
        "ALTER FUNCTION ledger_append_only() RENAME TO gone",
        "UPDATE django_migrations SET name = name",
        "INSERT INTO auth_group_permissions (group_id, permission_id) VALUES (1, 1)",
        "SELECT setval(pg_get_serial_sequence('ledger_journalentry', 'id'), 1)",
    ],
)
def test_the_programs_own_role_finds_no_way_around_its_rights(room, sql):
    assert room.refused(room.app, sql.format(owner=room.owner)) == DENIED


def holds(scratch, role, table, right):
    """Return whether a role has a permission on a table, or on one of its columns."""
    of_columns = "OR has_any_column_privilege(%(role)s, %(table)s, %(right)s)"
    asked = (
        f"SELECT has_table_privilege(%(role)s, %(table)s, %(right)s) "
        f"{of_columns if right in IN_COLUMNS else ''}"
    )
    with scratch.connect() as connection:
        return connection.execute(asked, {"role": role, "table": table, "right": right}).fetchone()[0]


def test_the_program_removes_sessions_and_roles_of_staff_and_nothing_else(room):
    removable = [each.table for each in rights() if holds(room, room.app, each.table, "DELETE")]
    assert removable == [
        *("casino_attempts", "casino_knownbrowser", "casino_notice"),
        *("casino_staff_groups", "casino_staff_user_permissions"),
        *("django_session", "mfa_authenticator", "usersessions_usersession"),
    ]
    for right in ("TRUNCATE", "REFERENCES", "TRIGGER"):
        assert not any(holds(room, room.app, each.table, right) for each in rights()), right


def test_the_owner_owns_every_table_and_the_others_nothing(room):
    owners = (
        "SELECT DISTINCT pg_get_userbyid(relowner) FROM pg_class WHERE relnamespace = 'public'::regnamespace"
    )
    assert room.asked(None, owners) == [(room.owner,)]
    functions = (
        "SELECT DISTINCT proname, pg_get_userbyid(proowner) FROM pg_trigger JOIN pg_proc ON pg_proc.oid = "
        "tgfoid WHERE NOT tgisinternal"
    )
    owned = dict(room.asked(None, functions))
    assert set(owned.values()) == {room.owner}
    assert owned.keys() >= {
        *("casino_staff_groups_kept_apart", "ledger_append_only", "ledger_site_demo_fixed"),
        *("ledger_documentstep_apart", "ledger_documentstep_order", "ledger_dropsignoff_after_sheet"),
    }


def test_the_reader_verifies_rounds_and_writes_nothing(room, lasting):
    # On a busy machine, records of other tests of this fixture are overdue for sealing.
    room.manage(room.app, "audit", "seal", **lasting)
    assert "All agree." in room.manage(room.reader, "rescore", **lasting)
    # With its own folder: a newest checkpoint that is not kept there is tolerated for a minute alone.
    assert "sealed and signed" in room.manage(room.reader, "audit", "verify", **lasting)
    for right in ("INSERT", "UPDATE", "DELETE", "TRUNCATE", "REFERENCES", "TRIGGER"):
        assert not any(holds(room, room.reader, each.table, right) for each in rights()), right


def test_the_reader_sees_no_way_in(room):
    assert room.refused(room.reader, "SELECT * FROM django_session") == DENIED
    for table, columns in read_columns()["withheld"].items():
        for column in columns:
            assert room.refused(room.reader, f'SELECT "{column}" FROM {table}') == DENIED, (table, column)
    assert room.asked(room.reader, "SELECT count(username) FROM casino_staff")[0][0] > 0


def test_the_reader_reads_every_column_that_is_listed(room):
    with room.connect(room.reader) as connection:
        for table, columns in read_columns()["readable"].items():
            listed = ", ".join(f'"{column}"' for column in columns)
            connection.execute(f"SELECT {listed} FROM {table} LIMIT 1")


@pytest.mark.parametrize(
    "sql",
    [
        "SELECT lo_create(0)",
        "SELECT lo_creat(-1)",
        "SELECT lo_from_bytea(0, 'x')",
        "SELECT lo_put(1, 0, 'x')",
        "SELECT lo_unlink(1)",
    ],
)
def test_nobody_leaves_a_large_object_that_the_owner_could_not_dump(room, sql):
    for role in (room.reader, room.app):
        assert room.refused(role, sql) == DENIED
    assert room.asked(room.owner, "SELECT lo_unlink(lo_create(0))") == [(1,)]


def test_nobody_else_may_even_connect(room):
    assert room.asked(None, "SELECT has_database_privilege('public', current_database(), 'CONNECT')") == [
        (False,)
    ]


def rights_in(scratch):
    return (
        scratch.asked(None, "SELECT oid, relowner, relacl::text FROM pg_class ORDER BY oid"),
        scratch.asked(
            None,
            "SELECT attrelid, attnum, attacl::text FROM pg_attribute WHERE attacl IS NOT NULL ORDER BY 1, 2",
        ),
        scratch.asked(None, "SELECT defaclrole, defaclacl::text FROM pg_default_acl ORDER BY oid"),
        scratch.asked(None, "SELECT nspname, nspacl::text FROM pg_namespace WHERE nspname = 'public'"),
    )


def test_running_it_again_changes_nothing(room):
    before = rights_in(room)
    room.run(room.sql)
    assert rights_in(room) == before


def test_rights_that_were_given_beside_it_are_taken_back(room):
    before = rights_in(room)
    room.run("ALTER TABLE ledger_transfer OWNER TO CURRENT_USER")
    room.run(f"GRANT ALL ON ledger_transfer TO PUBLIC, {room.app}, {room.reader}")
    room.run(
        f"GRANT UPDATE (cents) ON ledger_transfer TO {room.app}; GRANT CREATE ON SCHEMA public TO {room.app}"
    )
    room.run(room.sql)
    assert room.refused(room.app, "UPDATE ledger_transfer SET cents = 1") == DENIED
    assert room.refused(room.app, "CREATE TABLE mine (id int)") == DENIED
    assert rights_in(room)[0] == before[0]


def test_a_table_that_comes_later_is_only_added_to_until_the_roles_are_printed_again(room):
    room.run("CREATE TABLE later (id bigint GENERATED BY DEFAULT AS IDENTITY, note text)", room.owner)
    try:
        room.run("INSERT INTO later (note) VALUES ('kept')", room.app)
        assert room.asked(room.app, "SELECT note FROM later") == [("kept",)]
        for attack in ("UPDATE later SET note = ''", "DELETE FROM later", "TRUNCATE later"):
            assert room.refused(room.app, attack) == DENIED
    finally:
        room.run("DROP TABLE later", room.owner)


def test_the_programs_own_role_is_refused_an_upgrade_in_a_sentence(room, demo):
    gone = "DELETE FROM django_migrations WHERE app = 'sessions' RETURNING app, name, applied"
    done = room.asked(None, gone)
    try:
        with pytest.raises(AssertionError, match=r"run `manage\.py prepare` as their owner"):
            room.manage(room.app, "prepare", **demo)
    finally:
        for row in done:
            again = "INSERT INTO django_migrations (app, name, applied) VALUES (%s, %s, %s) RETURNING id"
            room.asked(None, again, *row)


def test_the_owner_upgrades_and_the_program_sees_its_guards(room, demo):
    room.manage(room.owner, "migrate", "--verbosity=0", **demo)
    room.run("ALTER TABLE ledger_transfer DISABLE TRIGGER ledger_transfer_no_change", room.owner)
    try:
        with pytest.raises(AssertionError, match=r"ledger\.E002"):
            room.manage(room.app, "check", "--database", "default", **demo)
    finally:
        room.run("ALTER TABLE ledger_transfer ENABLE TRIGGER ledger_transfer_no_change", room.owner)


def test_the_owner_restores_a_backup_once_the_roles_have_rights_there(room, lasting, tmp_path):
    """As docs/operations.md has it: the roles' SQL, the restore, the roles' SQL again."""
    backups, there = tmp_path / "backups", replace(room, name=f"{room.name}_restored")
    environment = {**lasting, "CASINO_CHECKPOINTS": str(tmp_path / "checkpoints")}
    room.manage(room.owner, "backup", str(backups), **lasting)
    (made,) = backups.iterdir()
    administer("CREATE DATABASE {name}", name=there.name)
    try:
        too_early = (
            r"may create no tables here: run the SQL of `manage\.py audit roles` in this database first"
        )
        with pytest.raises(AssertionError, match=too_early):
            there.manage(there.owner, "restore", str(made), **environment)
        assert there.asked(None, "SELECT count(*) FROM pg_tables WHERE schemaname = 'public'") == [(0,)]
        there.run(there.sql)
        said = there.manage(there.owner, "restore", str(made), **environment)
        assert said.endswith("Restored and verified. The log says so; everybody signs in again.\n")
        there.run(there.sql)
        assert there.asked(there.app, "SELECT sum(balance_cents) FROM ledger_account") == [(0,)]
        assert there.refused(there.app, "UPDATE ledger_transfer SET cents = 1") == DENIED
        there.manage(there.app, "check", "--database", "default", **environment)
        for table in ("ledger_transfer", "tables_charge"):
            assert holds(there, there.app, table, "INSERT")
    finally:
        administer("DROP DATABASE {name} WITH (FORCE)", name=there.name)


def test_the_roles_are_made_before_there_is_a_table(empty):
    for _ in range(2):
        empty.run(empty.sql)
    names = [empty.owner, empty.app, empty.reader]
    found = empty.asked(None, "SELECT rolname FROM pg_roles WHERE rolname = ANY(%s)", names)
    assert {name for (name,) in found} == set(names)
    assert not any(
        rolcan
        for (rolcan,) in empty.asked(
            None,
            "SELECT rolsuper OR rolcreaterole OR rolcreatedb OR rolbypassrls FROM pg_roles WHERE rolname = "
            "ANY(%s)",
            names,
        )
    )


@pytest.mark.parametrize("might", ["SUPERUSER", "CREATEROLE", "IN ROLE {owner}"])
def test_a_role_that_could_give_itself_any_right_is_refused(empty, might):
    administer("CREATE ROLE {owner}", owner=empty.owner)
    administer("CREATE ROLE {app} " + might, owner=empty.owner, app=empty.app)
    assert empty.refused(None, empty.sql) == "P0001"
    assert empty.asked(None, "SELECT 1 FROM pg_roles WHERE rolname = %s", empty.reader) == []


def test_the_command_prints_it(demo):
    printed = subprocess.run(
        [sys.executable, "manage.py", "audit", "roles"],
        cwd=settings.BASE_DIR,
        env={**os.environ, **demo},
        capture_output=True,
        text=True,
        check=True,
    )
    assert printed.stdout == roles_sql()
