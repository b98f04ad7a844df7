"""The manifest over the API: what it says, the log of its checks, and a check now."""

from typing import ClassVar

from django.http import HttpResponse
from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.manifest import selectors, services
from audit.manifest.models import ManifestCheck
from audit.manifest.serializers import ManifestCheckSerializer, ManifestSerializer
from casino.api.fields import EmptyBody
from casino.api.schema import IDEMPOTENCY_KEY, paged
from casino.api.views import ApiView
from casino.db import now
from casino.idempotency import Answer, idempotent
from casino.permissions import Roles


class ManifestView(ApiView):
    """What decides rounds, by SHA-256."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(operation_id="manifest_get", responses={200: ManifestSerializer})
    def get(self, request: Request) -> Response:
        """Show the manifest. Every rule-bearing file and every published pay table and limit set, and whether all was so last."""
        self.query()
        return Response(ManifestSerializer({**selectors.manifest_now(), "server_time": now()}).data)


class ManifestChecksView(ApiView):
    """The log of checks."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @paged(ManifestCheckSerializer, operation_id="manifest_check_list")
    def get(self, request: Request) -> Response:
        """List all checks of the manifest, newest first, with what deviated."""
        self.query()
        return self.page(selectors.check_list(), ManifestCheckSerializer)

    @extend_schema(
        operation_id="manifest_check", request=EmptyBody, responses={201: ManifestCheckSerializer}, parameters=[IDEMPOTENCY_KEY]
    )
    def post(self, request: Request) -> HttpResponse:
        """Check the manifest now, on the host that answers. What deviates is a finding, and stops new rounds."""
        self.body(EmptyBody)

        def effect() -> Answer:
            check = services.manifest_check(occasion=ManifestCheck.Occasion.DEMAND, part=ManifestCheck.Part.WEB, actor=self.actor)
            return Answer(ManifestCheckSerializer(check).data, status=201)

        return idempotent(request, effect, required=False)
