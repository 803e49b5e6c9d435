"""Settings from the environment: invalid values are refused with a sentence, valid ones arrive."""

import secrets

import pytest

from casino.serving import environment
from tests.casino.test_checks import STRONG

KEY = "czQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWYwMTI="
PIECE = "v9QdU2JJWg"  # random, but fixed: all workers must name their tests alike
REFUSED = {
    "SECURE": ["true", "yes", "on", "2", "1 "],
    "CASINO_DEMO": ["true", "no"],
    "ACCESS_LOG": ["off"],
    "ALLOWED_HOSTS": [
        "*",
        "tables.example.com,*",
        "*.example.com",
        ".com",
        "a.example:8000",
        "https://a",
        "a,,b",
        "999.1.1.1",
    ],
    "TRUSTED_PROXIES": [
        *("0.0.0.0/0", "::/0", "127.0.0.1,0.0.0.0/0", "0.0.0.0/1,128.0.0.0/1", "2000::/3"),
        *("*", "proxy.example", "127.0.0.1,"),
    ],
    "SECRET_KEY": ["changeme", "a" * 60, "ab" * 40, PIECE * 8, "django-insecure-" + STRONG],
    "PIN_DIGITS": ["0", "5", "9", "12", "x", "-6", "6.0", "９"],
    "PORT": ["-1", "65536", "eight", "9" * 5_000],
    "EMAIL_PORT": ["0", "smtp"],
    "LIVE_SCREENS": ["0", "many"],
    "BUSY_SECONDS": ["0", "30", "soon"],
    "HOST": ["0.0.0.0/0", "a b", "1.2.3", "*"],
    "EMAIL_HOST": ["mail example", "smtp://mail.example"],
    "EMAIL_FROM": ["house", "a@b@c"],
    "DATABASE_URL": ["quark://x", "mysql://u:secret@h/n", "room.sqlite3"],
    "REDIS_URL": ["localhost:6379", "http://localhost", "redis://", "redis://h:port", "unix://"],
    "AUDIT_KEY": ["abc", "YWJj", "not base64 at all"],
}
TAKEN = {
    "SECURE": {"1": True, "0": False},
    "ALLOWED_HOSTS": {
        "tables.example.com, [::1] ,127.0.0.1": ["tables.example.com", "[::1]", "127.0.0.1"],
        ".example.com": [".example.com"],
    },
    "TRUSTED_PROXIES": {"10.0.0.0/8, fd00:1::/32": ["10.0.0.0/8", "fd00:1::/32"]},
    "SECRET_KEY": {STRONG: STRONG},
    "PIN_DIGITS": {"6": 6, "8": 8},
    "PORT": {"0": 0, "65535": 65535},
    "HOST": {"::": "::", "0.0.0.0": "0.0.0.0", "localhost": "localhost"},
    "DATABASE_URL": {url: url for url in ("postgresql:///house?host=/run/x", "sqlite:////srv/room.sqlite3")},
    "REDIS_URL": {url: url for url in ("redis://h:6379/0", "rediss://:p@h/1", "unix:///run/redis.sock?db=2")},
    "AUDIT_KEY": {KEY: KEY},
    "EMAIL_FROM": {"The House <house@example.com>": "The House <house@example.com>"},
}


def read(tmp_path, **given):
    return environment.read(given, base=tmp_path)


@pytest.mark.parametrize(
    ("name", "text"), [(name, text) for name, texts in REFUSED.items() for text in texts]
)
def test_what_a_variable_does_not_take_ends_in_a_sentence(tmp_path, name, text):
    with pytest.raises(SystemExit) as ended:
        read(tmp_path, **{name: text})
    sentence = ended.value.code
    variable = environment.TABLE[environment.NAMES.index(name)]
    assert sentence.startswith(f"{name} has to be {variable.kind.takes.replace('`', '')}")
    assert sentence.endswith("(bad_setting).")
    assert (ascii(text[: environment.SHOWN]) in sentence) is not variable.secret
    assert len(sentence) < 250


@pytest.mark.parametrize(
    ("name", "text", "value"),
    [(name, text, value) for name, both in TAKEN.items() for text, value in both.items()],
)
def test_what_it_takes_is_read(tmp_path, name, text, value):
    assert read(tmp_path, **{name: text})[name] == value


def test_a_random_key_of_any_alphabet_is_strong_enough(tmp_path):
    for key in (secrets.token_urlsafe(64), secrets.token_hex(32)):
        assert read(tmp_path, SECRET_KEY=key)["SECRET_KEY"] == key


def test_an_empty_variable_counts_as_not_set(tmp_path):
    found = read(tmp_path, **dict.fromkeys(environment.NAMES, ""))
    assert found == read(tmp_path)
    assert (found["PORT"], found["SECURE"], found["REDIS_URL"]) == (8000, True, "")
    assert found["PAPERS"] == tmp_path / "var" / "papers"


def test_a_demo_has_defaults_of_its_own_and_a_house_s_folder_has_the_others(tmp_path):
    found = read(tmp_path, CASINO_DEMO="1", CASINO_VAR="/srv/{house}")
    assert (found["SECURE"], found["ACCESS_LOG"]) == (False, False)
    assert found["DATABASE_URL"] == "sqlite:////srv/{house}/room.sqlite3"
    assert read(tmp_path, CASINO_DEMO="1", SECURE="1")["SECURE"] is True


def test_each_variable_has_its_name_to_itself_and_says_what_it_takes():
    assert len(set(environment.NAMES)) == len(environment.NAMES)
    assert all(variable.kind.takes and variable.meaning for variable in environment.TABLE)
    tried = {variable.name for variable in environment.TABLE if variable.kind.takes not in ("a path", "text")}
    assert tried == set(REFUSED)


def test_what_is_misspelt_is_named_with_what_may_be_meant():
    given = {
        "CASINO_CHEKPOINTS": "/kept",
        "CASINO_PAPERS": "/p",
        "CASINO_ODD": "1",
        "ALOWED_HOSTS": "a",
        "HOME": "/root",
    }
    assert environment.misspelt({**given, "CASINO_LONG": "", "TEST_DATABASE_URL": "x", "PORT": "1"}) == [
        "ALOWED_HOSTS is not a setting of this program: ALLOWED_HOSTS may be meant.",
        "CASINO_CHEKPOINTS is not a setting of this program: CASINO_CHECKPOINTS may be meant.",
        "CASINO_ODD is not a setting of this program.",
        "CASINO_PAPERS is not a setting of this program: PAPERS may be meant.",
    ]
