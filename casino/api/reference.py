"""The API's own description: the OpenAPI document, the page made from it, and the sign of life."""

import json
from functools import cache

from django.conf import settings
from django.db import connection
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.request import Request

from casino.api.views import ApiView
from casino.permissions import PUBLIC, STAFF, Roles, only
from casino.users.authentication import BasicAuthentication, TokenAuthentication


@cache
def schema_document() -> bytes:
    """Generate the OpenAPI document, once per process."""
    return json.dumps(SchemaGenerator().get_schema(request=None, public=True), indent=2).encode() + b"\n"


class _ReferenceAccess:
    """Open to everybody or, by setting, to staff; a browser asks them for name and password."""

    authentication_classes = (BasicAuthentication, TokenAuthentication)

    @property
    def roles(self) -> Roles:
        return PUBLIC if settings.API_REFERENCE_PUBLIC else only(*STAFF)


class SchemaView(_ReferenceAccess, ApiView):
    """The OpenAPI 3.1 document."""

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(schema_document(), content_type="application/json")


class ReferenceView(_ReferenceAccess, SpectacularSwaggerSplitView):
    """The page on which every operation can be read and tried."""

    schema = None
    url_name = "schema"


class HealthView(ApiView):
    """Whether this process serves and reaches its database."""

    roles = PUBLIC
    authentication_classes = ()

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1")
        return HttpResponse(b'{"status":"ok"}', content_type="application/json")
