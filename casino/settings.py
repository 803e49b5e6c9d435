"""Settings of the project; casino/serving/environment.py declares every environment variable read here."""

import hashlib
import os
from pathlib import Path

import django

from casino import languages
from casino.serving import environment
from tables.live.breaker import call_options

BASE_DIR = Path(__file__).resolve().parent.parent
_given = environment.read(os.environ, base=BASE_DIR)
MISSPELT_VARIABLES = environment.misspelt(os.environ)
VAR_DIR = environment.own_folder(_given["CASINO_VAR"])

# A demo has made-up staff who all sign in with "demo"; outside a demo that password is refused.
DEMO = _given["CASINO_DEMO"]
DEBUG = False
# Empty outside a demo unless given; Django refuses an empty key, and checks.py reports it.
SECRET_KEY = _given["SECRET_KEY"] or (environment.kept_secret_key(VAR_DIR) if DEMO else "")
ALLOWED_HOSTS = _given["ALLOWED_HOSTS"]

# Where `manage.py serve` listens; by default on this machine alone.
HOST = _given["HOST"]
PORT = _given["PORT"]
# Proxies whose X-Forwarded-For and X-Forwarded-Proto are believed (casino/serving/edge.py).
TRUSTED_PROXIES = _given["TRUSTED_PROXIES"]

INSTALLED_APPS = [
    "casino",
    "tables",
    "ledger",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.sessions",
    "django.contrib.messages",
    "django.contrib.staticfiles",
    "django_htmx",
    "rest_framework",
    # Only allauth's second steps and session list; none of its URLs, so nobody signs up or resets a password
    # by mail.
    "allauth",
    "allauth.account",
    "allauth.mfa",
    "allauth.usersessions",
]
MIDDLEWARE = [
    "casino.requests.middleware.AccessLog",
    "django.middleware.security.SecurityMiddleware",
    "csp.middleware.CSPMiddleware",
    "casino.requests.middleware.StaticFiles",
    "casino.requests.middleware.Health",
    "casino.requests.middleware.ClockWatched",
    "casino.requests.middleware.AskedAt",
    "casino.requests.languages.PageLanguage",
    "django.contrib.sessions.middleware.SessionMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.contrib.auth.middleware.AuthenticationMiddleware",
    "casino.requests.middleware.KnownTerminal",
    "casino.requests.middleware.NothingIsKept",
    "casino.requests.middleware.IdleSessions",
    "casino.requests.middleware.SignInRequired",
    "casino.requests.middleware.TLSAlone",
    "casino.requests.middleware.TooLong",
    "casino.requests.middleware.NothingThatFar",
    "allauth.account.middleware.AccountMiddleware",
    "casino.requests.middleware.OwnPasswordFirst",
    "casino.requests.middleware.SecondStepFirst",
    "casino.requests.middleware.ReadersChangeNothing",
    "casino.requests.middleware.NoSuperusers",
    "django.contrib.messages.middleware.MessageMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
    "django_htmx.middleware.HtmxMiddleware",
    "casino.requests.middleware.OpenedByWhoActs",
    "casino.requests.middleware.Refusals",
]
ROOT_URLCONF = "casino.urls"
TEMPLATES = [
    {
        "BACKEND": "django.template.backends.django.DjangoTemplates",
        "DIRS": [BASE_DIR / "templates"],
        "APP_DIRS": True,
        "OPTIONS": {
            "context_processors": [
                "django.template.context_processors.request",
                "django.contrib.auth.context_processors.auth",
                "django.contrib.messages.context_processors.messages",
                "ledger.views.day.house",
                "casino.roles.reader",
            ],
            "builtins": [
                "django.templatetags.i18n",
                "ledger.templatetags.languages",
                "ledger.templatetags.people",
            ],
        },
    }
]
ASGI_APPLICATION = "casino.asgi.application"
DEFAULT_AUTO_FIELD = "django.db.models.BigAutoField"

# --- Where things are kept ------------------------------------------------------------------------
DATABASE_URL = _given["DATABASE_URL"]
DATABASES = {"default": environment.database(DATABASE_URL)}
# Waiting longer than this for a lock is refused with "try again": others would wait behind.
BUSY_SECONDS = _given["BUSY_SECONDS"]
if DATABASES["default"]["ENGINE"].endswith("sqlite3"):
    DATABASES["default"]["ENGINE"] = "ledger.db.sqlite3"
    # IMMEDIATE takes the write lock at once, so a transaction never fails half-way for having read first.
    # Without recursive_triggers, INSERT OR REPLACE deletes rows past the triggers that forbid it.
    DATABASES["default"]["OPTIONS"] = {
        "transaction_mode": "IMMEDIATE",
        "timeout": BUSY_SECONDS,
        "init_command": "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL; PRAGMA foreign_keys=ON;"
        "PRAGMA recursive_triggers=ON;",
    }
    # The threads that answer requests keep their connections: opening one takes longer than a query.
    DATABASES["default"]["CONN_MAX_AGE"] = None
else:
    # Larger than the number of threads that answer (casino/serving/answering.py): streams, tasks and the
    # health probe need connections too. After a quiet hour many requests may wait for the pool to grow.
    _options = DATABASES["default"].setdefault("OPTIONS", {})
    _options["pool"] = {"min_size": 1, "max_size": 24, "timeout": 10, **environment.EACH_SECOND}
    # Notice a dead server within half a minute; a dead client keeps no lock.
    _options |= {"connect_timeout": 5, "keepalives_idle": 10, "keepalives_interval": 5, "keepalives_count": 3}
    _options["tcp_user_timeout"] = 20_000
    _limits = {
        "lock_timeout": BUSY_SECONDS * 1000,
        "statement_timeout": 30_000,
        "idle_in_transaction_session_timeout": 60_000,
    }
    _said = [_options.get("options", ""), *(f"-c {name}={limit}" for name, limit in _limits.items())]
    _options["options"] = " ".join(filter(None, _said))
# Long reads use a connection of their own (ledger/db/snapshots.py), without time limits on statements.
READING = {name: value for name, value in DATABASES["default"]["OPTIONS"].items() if name != "pool"}
if "options" in READING:
    READING["options"] += " -c statement_timeout=0 -c idle_in_transaction_session_timeout=0"
if "transaction_mode" in READING:
    READING["transaction_mode"] = "DEFERRED"
DATABASES["reading"] = {
    **DATABASES["default"],
    "CONN_MAX_AGE": 0,
    "OPTIONS": READING,
    "TEST": {"MIRROR": "default"},
}
DATABASE_ROUTERS = ["ledger.db.snapshots.Router"]
REDIS_URL = _given["REDIS_URL"]
# How many live screens one web process serves; each keeps a connection open.
LIVE_SCREENS: int = _given["LIVE_SCREENS"]
# Prefix of this house's keys in a shared Redis; the same in all its processes, as SECRET_KEY is.
HOUSE_MARK = (
    f"casino-{hashlib.blake2b(SECRET_KEY.encode(), person=b'casino-redis', digest_size=6).hexdigest()}"
)
if REDIS_URL:
    CACHES = {
        "default": {
            "BACKEND": "casino.serving.cache.HouseCache",
            "LOCATION": REDIS_URL,
            "KEY_PREFIX": HOUSE_MARK,
            "OPTIONS": call_options(),
        }
    }
else:
    CACHES = {"default": {"BACKEND": "django.core.cache.backends.locmem.LocMemCache"}}

USE_TZ = True
TIME_ZONE = "UTC"
LANGUAGE_CODE = languages.ENGLISH
LANGUAGES = languages.LANGUAGES
LOCALE_PATHS = [BASE_DIR / "locale"]
# Figures, money and dates keep their English form in every language: auditors read them.
FORMAT_MODULE_PATH = ["casino.formats"]
STATIC_URL = "/static/"
# Static files are served from their source folders, so no collected copy can be out of date.
WHITENOISE_USE_FINDERS = True
WHITENOISE_ALLOW_ALL_ORIGINS = False

# The house's own game sheets (*.toml), beside the built-in ones.
HOUSE_SHEETS = _given["HOUSE_SHEETS"]

# Where the daily papers of closed gaming days are written, one folder a day.
PAPERS = _given["PAPERS"]

# The key that signs the audit log, 32 bytes in base64; created in the file if none is given.
AUDIT_KEY = _given["AUDIT_KEY"]
AUDIT_KEY_FILE = _given["AUDIT_KEY_FILE"]

# Where each checkpoint of the audit log is written when it is signed, apart from the database.
CHECKPOINTS = _given["CASINO_CHECKPOINTS"]

# The witnesses that cosign checkpoints, and the quorum, as a C2SP tlog-policy file.
AUDIT_POLICY = _given["AUDIT_POLICY"]

# The socket on which systemd hears that worker and beat are alive.
NOTIFY_SOCKET: str = _given["NOTIFY_SOCKET"]

# --- Who may come in ------------------------------------------------------------------------------
AUTH_USER_MODEL = "casino.Staff"
AUTHENTICATION_BACKENDS = ["casino.sign_in.passwords.StaffBackend", "casino.sign_in.pins.PinBackend"]
LOGIN_URL = "/sign-in/"
LOGIN_REDIRECT_URL = "/"
LOGOUT_REDIRECT_URL = "/sign-in/"
PASSWORD_HASHERS = ["casino.sign_in.hashing.FewAtATime"]
AUTH_PASSWORD_VALIDATORS = [
    {"NAME": "casino.sign_in.passwords.NotTheDemoPassword"},
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ("username", "full_name")},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 10}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
    {"NAME": "django.contrib.auth.password_validation.NumericPasswordValidator"},
    {"NAME": "casino.sign_in.passwords.NotHouseWords"},
    {"NAME": "casino.sign_in.passwords.NotBreached"},
]
# File of leaked passwords that nobody may set; optional.
BREACHED_PASSWORDS = _given["BREACHED_PASSWORDS"]
# A session lasts a shift at most, and ends with the browser.
SESSION_ENGINE = "casino.sign_in.asking"
SESSION_COOKIE_AGE = 12 * 60 * 60
SESSION_EXPIRE_AT_BROWSER_CLOSE = True
SESSION_COOKIE_SAMESITE = "Lax"
MFA_ADAPTER = "casino.sign_in.factors.HouseFactors"
MFA_SUPPORTED_TYPES = ["totp", "webauthn", "recovery_codes"]
MFA_PASSKEY_LOGIN_ENABLED = True
MFA_WEBAUTHN_USER_VERIFICATION = (
    "required"  # also as a second step: otherwise a stolen key would work without its PIN
)
MFA_TOTP_TOLERANCE = 1
ACCOUNT_EMAIL_VERIFICATION = "none"
ACCOUNT_RATE_LIMITS = MFA_RATE_LIMITS = False  # casino/sign_in/attempts.py counts, in the database
# Minutes without activity after which a session ends; the shortest of a person's roles counts. Not in a demo.
IDLE_MINUTES = {
    "manager": 30,
    "cashier": 30,
    "counter": 30,
    "compliance": 30,
    "regulator": 60,
    "floor": 120,
    "dealer": 240,
}
# Mail for notices about people's own sign-in; without a host none are sent.
MAIL_HOST, _mail_port, _mail_user = _given["EMAIL_HOST"], _given["EMAIL_PORT"], _given["EMAIL_USER"]
DEFAULT_FROM_EMAIL = _given["EMAIL_FROM"] or _mail_user
_mail = {
    "host": MAIL_HOST,
    "port": _mail_port,
    "username": _mail_user,
    "password": _given["EMAIL_PASSWORD"],
    "use_tls": _mail_port == 587,
    "timeout": 10,
}
MAILERS = {"default": {"OPTIONS": _mail}}
if django.VERSION < (6, 1):  # it reads the older names, which newer ones refuse beside MAILERS
    EMAIL_HOST, EMAIL_PORT, EMAIL_HOST_USER, EMAIL_HOST_PASSWORD, EMAIL_USE_TLS, EMAIL_TIMEOUT = (
        _mail.values()
    )
# The fewest digits of a new PIN.
PIN_DIGITS = _given["PIN_DIGITS"]

# --- What leaves the building ---------------------------------------------------------------------
# Send cookies over TLS alone, outside a demo. SECURE=0 is for trying a real house without TLS.
SECURE = _given["SECURE"]
SESSION_COOKIE_SECURE = CSRF_COOKIE_SECURE = SECURE
# `__Host-` cookies are accepted over TLS from this very host alone: no other name of the domain can set one.
COOKIE_PREFIX = "__Host-" if SECURE else ""
SESSION_COOKIE_NAME, CSRF_COOKIE_NAME = f"{COOKIE_PREFIX}sessionid", f"{COOKIE_PREFIX}csrftoken"
SECURE_SSL_REDIRECT = SECURE
# Redirect pages to TLS, but refuse API calls (TLSAlone): a program's redirected plain call would go
# unnoticed.
SECURE_REDIRECT_EXEMPT = [r"^(healthz|api|live)(/|$)"]
SECURE_HSTS_SECONDS = 365 * 24 * 60 * 60 if SECURE else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE
# `check --deploy`: whether to preload HSTS is for the owner of the whole domain to decide.
SILENCED_SYSTEM_CHECKS = ["security.W021"]
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_FAILURE_VIEW = "casino.views.csrf_failure"
CONTENT_SECURITY_POLICY = {
    "DIRECTIVES": {
        "default-src": ["'none'"],
        "script-src": ["'self'"],
        "style-src": ["'self'"],
        "img-src": ["'self'", "data:"],
        "font-src": ["'self'"],
        "connect-src": ["'self'"],
        "manifest-src": ["'self'"],
        "form-action": ["'self'"],
        "frame-ancestors": ["'none'"],
        "base-uri": ["'none'"],
    }
}
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": [
        "rest_framework.authentication.SessionAuthentication",
        "casino.sign_in.tokens.ByToken",
    ],
    "DEFAULT_PERMISSION_CLASSES": ["rest_framework.permissions.IsAuthenticated"],
    "DEFAULT_RENDERER_CLASSES": ["casino.requests.languages.HouseJSON"],
    "DEFAULT_PARSER_CLASSES": ["casino.requests.refusals.HouseJSONParser"],
    "EXCEPTION_HANDLER": "casino.requests.refusals.refuse",
}

LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "line": {"format": "{asctime} {levelname} {name}: {message}", "style": "{"},
        "bare": {"format": "{message}", "style": "{"},
    },
    "filters": {"once": {"()": "casino.serving.faults.OncePerOutage"}},
    "handlers": {
        "stderr": {"class": "logging.StreamHandler", "formatter": "line", "filters": ["once"]},
        "access": {"class": "logging.StreamHandler", "formatter": "bare"},
    },
    "root": {"handlers": ["stderr"], "level": "WARNING"},
    # Log errors, not missing pages. Django's own handlers are silent with DEBUG off.
    "loggers": {
        "django": {"handlers": [], "level": "WARNING", "propagate": True},
        "django.request": {"level": "ERROR"},
        # One line of JSON a request (casino/requests/middleware.py).
        "casino.access": {
            "handlers": ["access"],
            "level": "INFO" if _given["ACCESS_LOG"] else "ERROR",
            "propagate": False,
        },
    },
}
