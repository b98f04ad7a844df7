"""Settings, all from the environment; docs/settings.md lists them. The service refuses to start without its secrets.

``make run`` writes the environment of its stack to var/stack.env, which counts only where none of them is set otherwise.
"""

import logging
import os
import re
import tomllib
from datetime import timedelta
from pathlib import Path
from typing import Any

import environ
import structlog
from cryptography.fernet import Fernet
from django.core.exceptions import ImproperlyConfigured

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent
_STACK_ENV = BASE_DIR / "var" / "stack.env"
_REQUIRED = ("SECRET_KEY", "ROUND_KEYS", "ALLOWED_HOSTS", "DATABASE_URL", "CELERY_BROKER_URL")
if not {*_REQUIRED, "CASINO_EMBEDDED"} & os.environ.keys() and _STACK_ENV.is_file():
    env.read_env(_STACK_ENV)

if _missing := [name for name in _REQUIRED if not os.environ.get(name, "").strip(" ,")]:
    raise ImproperlyConfigured(f"Missing settings: {', '.join(_missing)}. docs/settings.md says what they are.")


def _flag(name: str, *, default: bool) -> bool:
    """Read a switch; a mistyped one must not mean off."""
    words = {"1": True, "true": True, "yes": True, "on": True, "0": False, "false": False, "no": False, "off": False}
    given = os.environ.get(name, "").strip().lower()
    if given and given not in words:
        raise ImproperlyConfigured(f"{name} is neither on nor off.")
    return words.get(given, default)


def _whole(name: str, *, default: int) -> int:
    given = os.environ.get(name, "").strip()
    if given and not (given.isascii() and given.isdigit()):
        raise ImproperlyConfigured(f"{name} is no whole number.")
    return int(given) if given else default


def _amounts(name: str) -> dict[str, int]:
    """Read amounts in minor units by currency, such as ``EUR:1000000,UAH:50000000``."""
    given = [part.strip() for part in os.environ.get(name, "").split(",") if part.strip()]
    parts = [re.fullmatch(r"([A-Z]{3}):([1-9][0-9]{0,17})", part, re.ASCII) for part in given]
    amounts = {part[1]: int(part[2]) for part in parts if part}
    if len(amounts) < len(given):
        raise ImproperlyConfigured(f"{name}: each currency once with an amount in minor units, such as EUR:1000000.")
    return amounts


EMBEDDED = _flag("CASINO_EMBEDDED", default=False)
DEBUG = False
SECRET_KEY = env.str("SECRET_KEY")
ROUND_KEYS = env.list("ROUND_KEYS")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")
for _number, _key in enumerate(ROUND_KEYS, start=1):
    try:
        Fernet(_key)
    except ValueError:
        raise ImproperlyConfigured(f"ROUND_KEYS: key number {_number} is no Fernet key.") from None

INSTALLED_APPS = [
    "casino",
    "casino.users",
    "wallets",
    "audit",
    "audit.seals",
    "games.halls",
    "games.outages",
    "games.rounds",
    "games.tables",
    "django.contrib.auth",
    "django.contrib.contenttypes",
    "django.contrib.staticfiles",
    "rest_framework",
    "knox",
    "drf_spectacular",
    "drf_spectacular_sidecar",
    "corsheaders",
    "django_structlog",
]
MIDDLEWARE = [
    "casino.metrics.RequestMetrics",
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.csrf.CsrfViewMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]
AUTH_USER_MODEL = "users.User"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"
WHITENOISE_USE_FINDERS = EMBEDDED


def _origin(name: str) -> str:
    """Read an origin; without one it is that of the first of our own host names."""
    given = os.environ.get(name, "").strip()
    if not given and ALLOWED_HOSTS[0].startswith(("*", ".")):
        raise ImproperlyConfigured(f"{name} is needed, as the first of ALLOWED_HOSTS names no single host.")
    if given and not re.fullmatch(r"https?://[^/?#\s]+", given):
        raise ImproperlyConfigured(f"{name} is no origin, such as https://casino.example.")
    return given or f"{'https' if SECURE_SSL_REDIRECT else 'http'}://{ALLOWED_HOSTS[0]}"


def _database(name: str, pool_max_size: int = 0) -> dict[str, Any]:
    """Read a database URL; connections are kept by the pool alone and send no start-up options, which PgBouncer refuses."""
    if not os.environ[name].startswith(("postgresql://", "postgres://")):
        raise ImproperlyConfigured(f"{name} is no PostgreSQL URL.")
    database: dict[str, Any] = {**env.db(name), "CONN_MAX_AGE": 0, "DISABLE_SERVER_SIDE_CURSORS": True}
    if folder := database.get("OPTIONS", {}).pop("host", ""):
        database["HOST"] = folder  # a socket's folder stands in the query, and psql is told of HOST alone
    if pool_max_size:
        database["OPTIONS"] = database.get("OPTIONS", {}) | {"pool": {"min_size": 1, "max_size": pool_max_size, "timeout": 5}}
    return database


# The application's role owns nothing. Migrations run as the owner: `manage.py migrate --database=owner`, where its URL is given.
DATABASES = {"default": _database("DATABASE_URL", _whole("DATABASE_POOL_MAX_SIZE", default=0))}
if os.environ.get("DATABASE_OWNER_URL"):
    DATABASES["owner"] = _database("DATABASE_OWNER_URL")
if os.environ.get("DATABASE_REPLICA_URL"):
    DATABASES["replica"] = _database("DATABASE_REPLICA_URL")
DATABASE_APP_ROLE = env.str("DATABASE_APP_ROLE", default="casino_app")

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL")
CELERY_BROKER_CONNECTION_RETRY_ON_STARTUP = True
if CELERY_BROKER_URL.startswith("redis"):
    CELERY_BROKER_TRANSPORT_OPTIONS = {"visibility_timeout": _whole("CELERY_VISIBILITY_TIMEOUT_SECONDS", default=300)}
if CELERY_BROKER_URL.startswith("amqp"):
    CELERY_TASK_DEFAULT_QUEUE_TYPE = CELERY_TASK_CREATE_MISSING_QUEUE_TYPE = "quorum"
CELERY_BEAT_SCHEDULER = "celery.beat:Scheduler"  # in memory: a kill corrupts the default's file, and every task is safe to repeat
CELERY_ACCEPT_CONTENT = ["json"]
CELERY_TASK_SERIALIZER = "json"
CELERY_TASK_IGNORE_RESULT = True
CELERY_TASK_ACKS_LATE = True
CELERY_TASK_REJECT_ON_WORKER_LOST = True
CELERY_TASK_TIME_LIMIT = 120
CELERY_WORKER_PREFETCH_MULTIPLIER = 1
CELERY_WORKER_HIJACK_ROOT_LOGGER = False
CELERY_TIMEZONE = "UTC"

CORS_ALLOWED_ORIGINS = env.list("CORS_ALLOWED_ORIGINS", default=[])
CORS_EXPOSE_HEADERS = ["ETag", "Retry-After", "Idempotency-Replayed", "Export-Id", "Export-Rounds"]
CORS_ALLOW_HEADERS = ["accept", "authorization", "content-type", "idempotency-key", "if-match", "if-none-match"]
CORS_ALLOW_HEADERS += ["last-event-id", "x-request-id"]

SECURE_SSL_REDIRECT = _flag("HTTPS_ONLY", default=not EMBEDDED)
SECURE_REDIRECT_EXEMPT = [r"^(healthz|readyz|metrics)$"]  # asked for from inside, over plain HTTP
SECURE_HSTS_SECONDS = _whole("HSTS_SECONDS", default=31_536_000) if SECURE_SSL_REDIRECT else 0
SECURE_HSTS_INCLUDE_SUBDOMAINS = SECURE_HSTS_PRELOAD = SECURE_SSL_REDIRECT
SECURE_REFERRER_POLICY = "same-origin"
X_FRAME_OPTIONS = "DENY"
CSRF_COOKIE_SECURE = SECURE_SSL_REDIRECT
if _flag("TRUST_FORWARDED_PROTO", default=False):
    SECURE_PROXY_SSL_HEADER = ("HTTP_X_FORWARDED_PROTO", "https")

TABLE_READY_SECONDS = _whole("TABLE_READY_SECONDS", default=60)
TABLE_CLOSE_AFTER_SECONDS = _whole("TABLE_CLOSE_AFTER_SECONDS", default=900)
STREAM_ORIGIN = _origin("STREAM_ORIGIN")
STREAM_HEARTBEAT_SECONDS = _whole("STREAM_HEARTBEAT_SECONDS", default=12)
STREAM_RETRY_MILLISECONDS = _whole("STREAM_RETRY_MILLISECONDS", default=1000)
STREAMS_PER_USER = _whole("STREAMS_PER_USER", default=20)
STREAMS_PER_PROCESS = _whole("STREAMS_PER_PROCESS", default=1000)
_BROKER = CELERY_BROKER_URL if CELERY_BROKER_URL.startswith("redis") else ""
VALKEY_URL = env.str("VALKEY_URL", default=_BROKER).replace("redis+socket://", "unix://")
OUTAGE_AFTER_SECONDS = _whole("OUTAGE_AFTER_SECONDS", default=3)
if OUTAGE_AFTER_SECONDS < 2:
    raise ImproperlyConfigured("OUTAGE_AFTER_SECONDS: heartbeats come about once a second, so it must be 2 or more.")

MANIFEST_FILE = Path(env.str("MANIFEST_FILE", default=str(BASE_DIR / "manifest.sha256")))
SEAL_ANCHOR_FILE = env.str("SEAL_ANCHOR_FILE", default="")
SEAL_WEBHOOK_URL = env.str("SEAL_WEBHOOK_URL", default="")
SEAL_WEBHOOK_SECRET = env.str("SEAL_WEBHOOK_SECRET", default="")
if SEAL_WEBHOOK_URL and not re.fullmatch(r"https://[^/?#\s@]+(/[^#\s]*)?", SEAL_WEBHOOK_URL):
    raise ImproperlyConfigured("SEAL_WEBHOOK_URL is no https URL.")
if SEAL_WEBHOOK_URL and not re.fullmatch(r"whsec_[A-Za-z0-9+/]{32,}={0,2}", SEAL_WEBHOOK_SECRET):
    raise ImproperlyConfigured("SEAL_WEBHOOK_SECRET is no secret such as whsec_ and 24 or more bytes in base64.")
OPERATOR_NAME = env.str("OPERATOR_NAME", default="Casino")
GAMING_DAY_START_HOUR = _whole("GAMING_DAY_START_HOUR", default=0)
if GAMING_DAY_START_HOUR > 23:
    raise ImproperlyConfigured("GAMING_DAY_START_HOUR: an hour of the clock is from 0 to 23.")
LARGE_WAGERS = _amounts("LARGE_WAGERS")
LARGE_WINS = _amounts("LARGE_WINS")
SOFTWARE_VERSION = tomllib.loads((BASE_DIR / "pyproject.toml").read_text(encoding="utf-8"))["project"]["version"]

METRICS_TOKEN = env.str("METRICS_TOKEN", default="")
METRICS_FOLDER = env.str("PROMETHEUS_MULTIPROC_DIR", default="")  # under the name by which the library reads it
if METRICS_FOLDER and not Path(METRICS_FOLDER).is_dir():
    raise ImproperlyConfigured("PROMETHEUS_MULTIPROC_DIR: there is no such folder.")

DJANGO_STRUCTLOG_CELERY_ENABLED = True
DJANGO_STRUCTLOG_USER_ID_FIELD = None
# A sweep each second and a pair of lines per request would bury what matters.
DJANGO_STRUCTLOG_STATUS_START_LOG_LEVEL = DJANGO_STRUCTLOG_CELERY_DEFAULT_LOG_LEVEL = logging.DEBUG
DJANGO_STRUCTLOG_CELERY_TASK_FAILURE_LOG_LEVEL = logging.ERROR
_TALKATIVE = ("celery.beat", "celery.worker.strategy", "celery.app.trace")
_SHARED_PROCESSORS: list[Any] = [
    structlog.contextvars.merge_contextvars,
    structlog.stdlib.add_logger_name,
    structlog.stdlib.add_log_level,
    structlog.processors.TimeStamper(fmt="iso", utc=True),
]
structlog.configure(
    processors=[structlog.stdlib.filter_by_level, *_SHARED_PROCESSORS, structlog.stdlib.ProcessorFormatter.wrap_for_formatter],
    logger_factory=structlog.stdlib.LoggerFactory(),
    cache_logger_on_first_use=True,
)
LOGGING = {
    "version": 1,
    "disable_existing_loggers": False,
    "formatters": {
        "json": {
            "()": structlog.stdlib.ProcessorFormatter,
            "foreign_pre_chain": _SHARED_PROCESSORS,
            "processors": [
                structlog.stdlib.ProcessorFormatter.remove_processors_meta,
                structlog.processors.format_exc_info,
                structlog.processors.JSONRenderer(),
            ],
        }
    },
    "handlers": {"console": {"class": "logging.StreamHandler", "formatter": "json"}},
    "root": {"handlers": ["console"], "level": env.str("LOG_LEVEL", default="INFO")},
    "loggers": {
        **{name: {"handlers": [], "propagate": True} for name in ("django", "django.server")},
        **{name: {"level": "WARNING"} for name in _TALKATIVE},
    },
}

PASSWORD_HASHERS = ["casino.users.hashers.PasswordHasher"]
AUTH_PASSWORD_VALIDATORS = [
    {
        "NAME": "django.contrib.auth.password_validation.UserAttributeSimilarityValidator",
        "OPTIONS": {"user_attributes": ["username"]},
    },
    {"NAME": "django.contrib.auth.password_validation.MinimumLengthValidator", "OPTIONS": {"min_length": 12}},
    {"NAME": "django.contrib.auth.password_validation.CommonPasswordValidator"},
]
APPEND_SLASH = False
API_REFERENCE_PUBLIC = _flag("API_REFERENCE_PUBLIC", default=True)
REST_FRAMEWORK = {
    "DEFAULT_AUTHENTICATION_CLASSES": ["casino.users.authentication.TokenAuthentication"],
    "DEFAULT_PERMISSION_CLASSES": ["casino.permissions.RolesRequired"],
    "DEFAULT_PARSER_CLASSES": ["casino.api.parsing.StrictJSONParser"],
    "DEFAULT_RENDERER_CLASSES": ["rest_framework.renderers.JSONRenderer"],
    "DEFAULT_SCHEMA_CLASS": "casino.api.schema.Schema",
    "DEFAULT_METADATA_CLASS": None,
    "URL_FORMAT_OVERRIDE": None,  # a parameter `format` is one like any other
    "EXCEPTION_HANDLER": "casino.api.problems.exception_handler",
    "DATETIME_FORMAT": "%Y-%m-%dT%H:%M:%S.%fZ",
    "NUM_PROXIES": _whole("TRUSTED_PROXY_COUNT", default=0),
    "TEST_REQUEST_DEFAULT_FORMAT": "json",
}
REST_KNOX = {"AUTH_HEADER_PREFIX": "Bearer", "TOKEN_TTL": timedelta(hours=_whole("TOKEN_TTL_HOURS", default=10))}
SPECTACULAR_SETTINGS = {
    "TITLE": "Casino back office",
    "DESCRIPTION": "Halls, wallets and rounds. Amounts are integers of the currency's minor unit; times are UTC.",
    "VERSION": "1",
    "TAGS": [
        {"name": "users", "description": "Logging in and out, oneself, and the users that staff look after."},
        {"name": "halls", "description": "Halls, the limits and pay tables of their games, and how they are published."},
        {"name": "wallets", "description": "Accounts, statements, and the cashier's counter."},
        {"name": "rounds", "description": "Commitments, playing for money, records of closed rounds, and the sandbox."},
        {"name": "tables", "description": "Tables of players: making, finding, sitting, being ready, and what happened there."},
        {"name": "audit", "description": "The trail of changes, replays of rounds, and whether the books agree."},
    ],
    "OAS_VERSION": "3.1.0",
    "SCHEMA_PATH_PREFIX": "/api/v1",
    "COMPONENT_SPLIT_REQUEST": True,
    "COMPONENT_SPLIT_PATCH": False,
    "ENUM_GENERATE_CHOICE_DESCRIPTION": False,
    "POSTPROCESSING_HOOKS": [
        "casino.api.document.add_problems",
        "casino.api.document.share_refusals",
        "casino.api.document.add_examples",
    ],
    "SWAGGER_UI_DIST": "SIDECAR",
    "SWAGGER_UI_FAVICON_HREF": "SIDECAR",
    "SWAGGER_UI_SETTINGS": {"deepLinking": True, "displayRequestDuration": True, "persistAuthorization": False},
}
