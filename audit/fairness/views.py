"""The API of the fairness statistics. It reads runs and starts none."""

from typing import ClassVar
from uuid import UUID

from drf_spectacular.utils import extend_schema
from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.fairness.selectors import fairness_run_get, fairness_runs
from audit.fairness.serializers import FairnessRunDetailSerializer, FairnessRunFilters, FairnessRunSerializer
from casino.api.schema import paged
from casino.api.views import ApiView
from casino.permissions import Roles


class FairnessRunsView(ApiView):
    """Runs of the fairness battery, newest first."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @paged(FairnessRunSerializer, filters=FairnessRunFilters, operation_id="fairness_run_list")
    def get(self, request: Request) -> Response:
        """List runs of the fairness battery, newest first. Each with its sample and its verdict; begun ones are there at once."""
        return self.page(fairness_runs(**self.query(FairnessRunFilters)), FairnessRunSerializer)


class FairnessRunView(ApiView):
    """One run of the fairness battery."""

    roles: ClassVar[Roles] = AUDITORS
    sees = None

    @extend_schema(operation_id="fairness_run_read", responses=FairnessRunDetailSerializer)
    def get(self, request: Request, run_id: UUID) -> Response:
        """Read a run of the fairness battery. Tells every statistic, its law and its p-value."""
        self.query()
        return Response(FairnessRunDetailSerializer(fairness_run_get(run_id=run_id)).data)
