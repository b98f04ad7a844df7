"""The API's own description: the OpenAPI document and the page made from it."""

import json
from functools import cache
from typing import Any

from django.conf import settings
from django.http import HttpResponse
from drf_spectacular.generators import SchemaGenerator
from drf_spectacular.utils import extend_schema
from drf_spectacular.views import SpectacularSwaggerSplitView
from rest_framework.permissions import BasePermission
from rest_framework.request import Request
from rest_framework.response import Response

from casino.api.views import ApiView
from casino.permissions import PUBLIC, STAFF
from casino.users.authentication import BasicAuthentication, TokenAuthentication

# The page runs our own files only. Its style sheet is inline; data: are the icons in it.
PAGE_POLICY = (
    "default-src 'none'; script-src 'self'; connect-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; "
    "base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


@cache
def schema_document() -> bytes:
    """Generate the OpenAPI document, once per process."""
    document = SchemaGenerator().get_schema(request=None, public=True)
    return json.dumps(document, indent=2).encode() + b"\n"


class ReferenceAccess(BasePermission):
    """Open to everybody or, by setting, to staff; a browser asks them for name and password."""

    def has_permission(self, request: Request, view: Any) -> bool:
        user = request.user
        return settings.API_REFERENCE_PUBLIC or (user.is_authenticated and user.has_any_role(STAFF))


class SchemaView(ApiView):
    """The OpenAPI 3.1 document."""

    roles = PUBLIC
    sees = None
    permission_classes = (ReferenceAccess,)
    authentication_classes = (BasicAuthentication, TokenAuthentication)

    @extend_schema(exclude=True)
    def get(self, request: Request) -> HttpResponse:
        return HttpResponse(schema_document(), content_type="application/json")


class ReferenceView(SpectacularSwaggerSplitView):
    """The page on which every operation can be read and tried."""

    permission_classes = (ReferenceAccess,)
    authentication_classes = (BasicAuthentication, TokenAuthentication)
    schema = None
    url_name = "schema"

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        response.headers["Content-Security-Policy"] = PAGE_POLICY
        response.headers["Cache-Control"] = "private, no-cache"
        return response
