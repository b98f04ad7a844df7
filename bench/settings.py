"""The service's own settings, with the yardstick's view beside the API."""

from casino.settings import *  # noqa: F403 the same in everything else
from casino.settings import INSTALLED_APPS as _INSTALLED_APPS

INSTALLED_APPS = [*_INSTALLED_APPS, "bench"]
ROOT_URLCONF = "bench.urls"
