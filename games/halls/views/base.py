"""What the views of halls and of their terms share."""

import re
from collections.abc import Callable
from typing import Any, TypeVar
from uuid import UUID

from django.http import HttpResponse

from casino.api.fields import StrictSerializer
from casino.api.preconditions import if_match
from casino.api.schema import IDEMPOTENCY_KEY, IF_MATCH
from casino.api.views import ApiView
from casino.errors import Forbidden, PreconditionFailed
from casino.idempotency import Answer, idempotent
from casino.permissions import Role, only
from games.halls.models import Hall
from games.halls.selectors import hall_get

MANAGERS = only(Role.ADMIN, Role.OPERATOR)
CHANGE_HEADERS = [IF_MATCH, IDEMPOTENCY_KEY]
_VERSION_ETAG = re.compile(r'"([1-9][0-9]{0,17})"', re.ASCII)

Changed = TypeVar("Changed")


class HallView(ApiView):
    """Base of what belongs to one hall."""

    def hall(self, hall_id: UUID) -> Hall:
        """Find the hall of the path, if the caller may know of it."""
        return hall_get(user=self.actor, hall_id=hall_id)

    def change(
        self,
        hall_id: UUID,
        body_class: type[StrictSerializer],
        service: Callable[..., Changed],
        answer: Callable[[Changed], Answer],
        **arguments: Any,
    ) -> HttpResponse:
        """Carry out one service on the version of the hall that the caller saw.

        **Rule** A hall is changed by its operators and by admins.
        """
        hall = self.hall(hall_id)
        if not (self.actor.has_role(Role.ADMIN) or self.actor.has_role(Role.OPERATOR, hall)):
            raise Forbidden("forbidden")
        body = self.body(body_class)

        def effect() -> Answer:
            version = self._version_seen()
            return answer(service(actor=self.actor, hall_id=hall_id, version=version, **arguments, **body))

        return idempotent(self.request, effect, required=False)

    def _version_seen(self) -> int:
        seen = _VERSION_ETAG.fullmatch(if_match(self.request))
        if seen is None:
            raise PreconditionFailed("precondition_failed")
        return int(seen[1])


def hall_etag(hall: Hall) -> str:
    """The ETag of a hall: its version."""
    return f'"{hall.version}"'
