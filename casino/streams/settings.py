"""The service's settings for the process that serves streams: a URL map of its own, and no static files."""

from casino.settings import *  # noqa: F403 the same in everything else
from casino.settings import MIDDLEWARE as _MIDDLEWARE

ROOT_URLCONF = "casino.streams.urls"
MIDDLEWARE = [each for each in _MIDDLEWARE if "whitenoise" not in each]
