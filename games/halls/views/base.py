"""What the views of halls and of their terms share."""

from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from django.http import HttpResponse

from casino.api.fields import StrictSerializer
from casino.api.preconditions import version_etag, version_seen
from casino.api.schema import IDEMPOTENCY_KEY, IF_MATCH
from casino.api.views import ApiView
from casino.idempotency import Answer, idempotent
from casino.permissions import OVERSEERS, Role, only
from games.halls.models import Hall

MANAGERS = only(Role.ADMIN, Role.OPERATOR)
READERS = only(Role.OPERATOR, *OVERSEERS)
CHANGE_HEADERS = [IF_MATCH, IDEMPOTENCY_KEY]

Changed = TypeVar("Changed")


class HallView(ApiView):
    """Base of what belongs to one hall."""

    def change(
        self,
        hall_id: UUID,
        body_class: type[StrictSerializer],
        service: Callable[..., Changed],
        answer: Callable[[Changed], Answer],
        **arguments: Any,
    ) -> HttpResponse:
        """Carry out one service on the version of the hall that the caller saw."""
        body = self.body(body_class)

        def effect() -> Answer:
            version = version_seen(self.request)
            return answer(service(actor=self.actor, hall_id=hall_id, version=version, **arguments, **body))

        return idempotent(self.request, effect, required=False)


def hall_etag(hall: Hall) -> str:
    """The ETag of a hall: its version."""
    return version_etag(hall.version)
