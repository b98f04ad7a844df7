"""The WSGI entry point of the REST API, and the only process that pools its database connections."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "casino.settings")
os.environ.setdefault("DATABASE_POOL_MAX_SIZE", "10")

application = get_wsgi_application()
