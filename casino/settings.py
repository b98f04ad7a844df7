"""Settings, all from the environment. Without it the service refuses to start and names what is missing."""

from pathlib import Path

import environ

env = environ.Env()
BASE_DIR = Path(__file__).resolve().parent.parent

EMBEDDED = env.bool("CASINO_EMBEDDED", default=False)
SECRET_KEY = env.str("SECRET_KEY")
ROUND_KEYS = env.list("ROUND_KEYS")
ALLOWED_HOSTS = env.list("ALLOWED_HOSTS")
DEBUG = False

INSTALLED_APPS = [
    "casino",
    "casino.users",
    "wallets",
    "audit",
    "games.halls",
    "games.rounds",
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
    "django.middleware.security.SecurityMiddleware",
    "whitenoise.middleware.WhiteNoiseMiddleware",
    "corsheaders.middleware.CorsMiddleware",
    "django_structlog.middlewares.RequestMiddleware",
    "django.middleware.common.CommonMiddleware",
    "django.middleware.clickjacking.XFrameOptionsMiddleware",
]
ROOT_URLCONF = "casino.urls"
WSGI_APPLICATION = "casino.wsgi.application"
TEMPLATES = [{"BACKEND": "django.template.backends.django.DjangoTemplates", "APP_DIRS": True}]

DATABASES = {"default": env.db("DATABASE_URL")}
DATABASE_APP_ROLE = env.str("DATABASE_APP_ROLE", default="casino_app")
AUTH_USER_MODEL = "users.User"
USE_TZ = True
TIME_ZONE = "UTC"
STATIC_URL = "/static/"
STATIC_ROOT = BASE_DIR / "var" / "static"

CELERY_BROKER_URL = env.str("CELERY_BROKER_URL")
CELERY_TASK_IGNORE_RESULT = True
CELERY_TIMEZONE = "UTC"
