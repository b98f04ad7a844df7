"""The WSGI entry point of the REST API: its processes pool their database connections, are the web whose heart beats, and check
that they are the reviewed program."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
os.environ.setdefault("DATABASE_POOL_MAX_SIZE", "10")

application = get_wsgi_application()

from audit.manifest.models import ManifestCheck  # noqa: E402 Django must be set up first
from audit.manifest.watching import ManifestWatch  # noqa: E402
from games.outages.beating import WebHeartbeat  # noqa: E402

WebHeartbeat().start()
ManifestWatch(ManifestCheck.Part.WEB).start()
