"""Who saw what, over the API."""

from typing import ClassVar

from rest_framework.request import Request
from rest_framework.response import Response

from audit.access import AUDITORS
from audit.sightings.recording import Sight
from audit.sightings.selectors import sighting_list
from audit.sightings.serializers import SightingFilters, SightingSerializer
from casino.api.schema import paged
from casino.api.views import ApiView
from casino.permissions import Roles


class SightingsView(ApiView):
    """What staff was shown of players."""

    roles: ClassVar[Roles] = AUDITORS
    sees = Sight("audit.sighting")

    @paged(SightingSerializer, filters=SightingFilters, operation_id="sighting_list")
    def get(self, request: Request) -> Response:
        """List what staff was shown of players, newest first. Who, what, whose, when, from where; reading this is noted too."""
        return self.page(sighting_list(**self.query(SightingFilters)), SightingSerializer)
