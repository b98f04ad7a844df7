"""The base of every view: parse, call one service, format."""

from collections.abc import Mapping, Sequence
from http import HTTPStatus
from typing import TYPE_CHECKING, Any, ClassVar, cast
from uuid import UUID

from django.db.models import QuerySet
from django.http import HttpResponse, HttpResponseNotModified
from django.utils.cache import patch_vary_headers
from knox.models import AuthToken
from rest_framework import serializers
from rest_framework.request import Request
from rest_framework.response import Response
from rest_framework.views import APIView

from audit.sightings.recording import Reading, Sight, sighting_record
from casino.api.address import client_address
from casino.api.pagination import KeyPagination
from casino.api.parsing import validated
from casino.api.preconditions import etag_of, none_match
from casino.api.rendering import CONTENT_TYPE, render_json
from casino.permissions import STAFF, Roles

if TYPE_CHECKING:
    from casino.users.models import User

_PAGE_PARAMETERS = frozenset({"cursor", "page_size"})


class ApiView(APIView):
    """A view of the API. It says who may call it in ``roles``, for all methods or for each.

    What its reading shows staff of players it says in ``sees``, and with None that it shows nothing of them.
    """

    http_method_names = ("get", "post", "put", "patch", "delete", "head")
    roles: ClassVar[Roles | Mapping[str, Roles]]
    sees: ClassVar[Sight | None]
    pagination: ClassVar[type[KeyPagination]] = KeyPagination
    page_rows: Sequence[Any] = ()
    """The rows of the page that is answered, if it is one of a list."""

    @property
    def actor(self) -> "User":
        """The authenticated user."""
        return cast("User", self.request.user)

    @property
    def token(self) -> AuthToken:
        """The token in use."""
        return cast(AuthToken, self.request.auth)

    def body(self, serializer_class: type[serializers.BaseSerializer[Any]]) -> dict[str, Any]:
        """Validate the request's body.

        **Errors** 400 naming the field.
        """
        return validated(serializer_class, self.request.data)

    def query(self, serializer_class: type[serializers.Serializer[Any]] | None = None) -> dict[str, Any]:
        """Validate the query string; an unknown or repeated parameter is refused, as a mistyped filter would show too much.

        **Errors** 400 naming the parameter.
        """
        parameters = self.request.query_params
        fields = serializer_class().fields if serializer_class else {}
        for name, values in parameters.lists():
            if name not in fields and name not in _PAGE_PARAMETERS:
                raise serializers.ValidationError({name: ["Unknown parameter."]}, code="unknown")
            if len(values) > 1:
                raise serializers.ValidationError({name: ["Given more than once."]}, code="repeated")
        if serializer_class is None:
            return {}
        return validated(serializer_class, {name: parameters[name] for name in parameters if name in fields})

    def page(self, queryset: QuerySet[Any], serializer_class: type[serializers.BaseSerializer[Any]]) -> Response:
        """Answer with one page: ``next``, ``previous``, ``results``."""
        paginator = self.pagination()
        self.page_rows = rows = paginator.paginate_queryset(queryset, self.request, view=self) or []
        return paginator.get_paginated_response(serializer_class(rows, many=True, context={"request": self.request}).data)

    def conditional(self, data: Any, *, etag: str | None = None) -> HttpResponse:
        """Answer with data and its ETag, or 304 when the client has it."""
        etag = etag or etag_of(data)
        if not none_match(self.request, etag):
            return HttpResponseNotModified(headers={"ETag": etag})
        return HttpResponse(render_json(data), content_type=CONTENT_TYPE, headers={"ETag": etag})

    def finalize_response(self, request: Request, response: Any, *args: Any, **kwargs: Any) -> Response:
        response = super().finalize_response(request, response, *args, **kwargs)
        try:
            self._answer_sight(response)
        except Exception as error:  # what cannot be written down is not shown
            response = super().finalize_response(request, self.handle_exception(error), *args, **kwargs)
        if "Cache-Control" not in response.headers:
            is_read = request.method in ("GET", "HEAD")
            response.headers["Cache-Control"] = "private, no-cache" if is_read else "no-store"
        patch_vary_headers(response, ["Authorization"])
        return cast(Response, response)

    def sight_record(self, sight: Sight, arguments: Mapping[str, UUID], query: Mapping[str, str]) -> None:
        """Write down that the user is about to be shown what the sight says of the arguments; see ``audit.sightings``."""
        reading = Reading(self.request.path, arguments, query, client_address(self.request), self.page_rows)
        sighting_record(self.actor, sight, reading)

    def _answer_sight(self, response: Any) -> None:
        """Write down what a member of staff is about to be shown of players; see ``audit.sightings``."""
        request = self.request
        if response.status_code >= HTTPStatus.BAD_REQUEST:
            return
        is_read = request.method in ("GET", "HEAD")
        sees = self.sees if is_read else getattr(self, "sees", None)  # who only takes changes says nothing
        if sees is not None and request.method in sees.methods and self.actor.has_any_role(STAFF):
            self.sight_record(sees, self.kwargs, request.query_params.dict())
