"""The ASGI entry point: streams and nothing else; REST is served by ``casino/wsgi.py``, which is several times as fast at it."""

import os
import sys

import django

os.environ["DJANGO_SETTINGS_MODULE"] = "casino.streams.settings"
os.environ.setdefault("DATABASE_POOL_MAX_SIZE", "8")
sys.setswitchinterval(0.001)  # events must not wait while threads open other streams
django.setup(set_prefix=False)

from casino.streams.server import StreamServer  # noqa: E402 Django must be set up first

application = StreamServer()
