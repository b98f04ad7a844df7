"""Writing down what staff sees. A view says in ``sees`` what it shows of players; the base of all views does the rest."""

import hashlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any
from uuid import UUID

from django.db import DEFAULT_DB_ALIAS, connections
from psycopg.types.json import Jsonb
from structlog.contextvars import get_contextvars

from games.core.codec import canonical

if TYPE_CHECKING:
    from casino.users.models import User

Players = Callable[[UUID], Sequence[UUID]]
Listed = Callable[[Any], Sequence[UUID]]


def oneself(player_id: UUID) -> Sequence[UUID]:
    """Say whose data a player is."""
    return (player_id,)


def nobody(object_id: UUID) -> Sequence[UUID]:
    """Say of what is of many that it is nobody's own."""
    return ()


def no_row(row: Any) -> Sequence[UUID]:
    """Say of a list whose rows are nobody's own."""
    return ()


@dataclass(frozen=True, slots=True)
class Sight:
    """What the reading of a view shows of players.

    **Shapes** ``subject`` is the type of object, ``key`` the name of its id in the path, without which it is a list; ``players``
    finds whose data the object is; ``filter`` names the parameter by which a list is that of one player, and ``listed`` finds
    whose data a row of the list is. With ``also_own`` it is
    noted even if it is the viewer's own, as others' hidden things are in it; with ``posts`` the question comes in a body.
    """

    subject: str
    key: str | None = None
    players: Players = oneself
    filter: str = "player_id"
    listed: Listed = no_row
    also_own: bool = False
    posts: bool = False

    @property
    def methods(self) -> frozenset[str]:
        """The methods that show it."""
        return frozenset({"POST"}) if self.posts else frozenset({"GET", "HEAD"})

    def shown(self, reading: "Reading") -> tuple[str, str, Sequence[UUID]]:
        """Return the type and id of what is shown, and whose data it is."""
        if self.key is not None:
            return self.subject, str(reading.arguments[self.key]), self.players(reading.arguments[self.key])
        asked = [UUID(reading.query[self.filter])] if self.filter in reading.query else []
        return self.subject, "", list(dict.fromkeys([*asked, *(each for row in reading.rows for each in self.listed(row))]))

    def is_own(self, viewer: UUID, reading: "Reading", players: Sequence[UUID]) -> bool:
        """Say whether what is shown is the viewer's own: an object in which they share, or the list of theirs alone."""
        if self.key is not None:
            return viewer in players and not self.also_own
        return self.filter in reading.query and list(players) == [viewer]


@dataclass(frozen=True, slots=True)
class Reading:
    """A read that was answered: of which path, with which arguments and parameters, and from where it was asked for.

    ``rows`` are those of the page of a list.
    """

    path: str
    arguments: Mapping[str, UUID]
    query: Mapping[str, str]
    address: str
    rows: Sequence[Any] = ()


def sighting_record(viewer: "User", sight: Sight, reading: Reading) -> None:
    """Write down, before the answer goes out, what a member of staff is about to be shown; nothing for what is their own.

    **Rule** In the primary database, wherever the answer was read from, and in one statement. If it cannot be written, the error
    takes the answer's place.
    """
    subject_type, subject_id, players = sight.shown(reading)
    if sight.is_own(viewer.public_id, reading, players):
        return
    query, named = dict(reading.query), [str(each) for each in players]
    what = hashlib.sha256(canonical([viewer.pk, reading.path, query, sorted(named)])).digest()
    values = {
        "what": what,
        "viewer": viewer.pk,
        "viewer_name": viewer.get_username(),
        "path": reading.path,
        "subject_type": subject_type,
        "subject_id": subject_id,
        "query": Jsonb(query),
        "players": Jsonb(named),
        "address": reading.address,
        "request_id": get_contextvars().get("request_id", ""),
    }
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute(_INSERT, values)


_INSERT = """
    INSERT INTO audit_sighting
        (public_id, what, viewer_id, viewer_name, path, subject_type, subject_id, query, players, address, request_id)
    VALUES (gen_random_uuid(), %(what)s, %(viewer)s, %(viewer_name)s, %(path)s, %(subject_type)s, %(subject_id)s, %(query)s,
            %(players)s, %(address)s, %(request_id)s)
    ON CONFLICT (what, minute) DO NOTHING"""
