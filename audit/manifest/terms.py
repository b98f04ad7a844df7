"""The published pay tables and limit sets as entries of the manifest, held against what the trail says was published."""

import json
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from django.core.serializers.json import DjangoJSONEncoder

from audit.manifest.files import Deviation, sha256
from audit.models import AuditRecord
from games.core.codec import canonical
from games.core.engine import Json
from games.halls.models import Hall, LimitSet, PayTable, Terms

KINDS: dict[type[Terms], tuple[str, str]] = {
    LimitSet: ("limit-sets", "limit_set"),
    PayTable: ("pay-tables", "pay_table"),
}
"""The folder of each kind in an export, and what the trail calls it in the names of its actions."""


@dataclass(frozen=True, slots=True)
class TermsEntry:
    """A published row: the name and canonical text of its file in an export, and the digest of what was published."""

    name: str
    row: Terms
    content: bytes
    published: str | None

    @property
    def digest(self) -> str:
        return sha256(self.content)


def terms_entries() -> Iterator[TermsEntry]:
    """List every pay table and limit set that was ever published; rounds in any past or future may be played by it."""
    for model, (folder, noun) in KINDS.items():
        published = dict(AuditRecord.objects.filter(action=f"{noun}_published").values_list("subject_id", "after__data"))
        rows = model.objects.filter(data__isnull=False).select_related("hall")
        for row in rows.order_by("hall__code", "game", "version"):
            data = published.get(str(row.public_id))
            name = f"{folder}/{row.hall.code}/{row.game}/{row.version}.json"
            yield TermsEntry(name, row, canonical(row.data), None if data is None else sha256(canonical(data)))


def terms_deviate(entries: list[TermsEntry]) -> list[Deviation]:
    """Find rows that are not what was published, rows that nobody published, and what else decides which terms are in force.

    **Rule** Of what is published between two statements one sees the row, or the record, without the other: only what is found
    at a second look too deviates.
    """
    found = _deviate(entries)
    return found and [each for each in _deviate(terms_entries()) if each in found]


def _deviate(entries: Iterable[TermsEntry]) -> list[Deviation]:
    deviations = [Deviation(each.name, each.published, each.digest) for each in entries if each.published != each.digest]
    return [*deviations, *_standing_deviate()]


def _standing_deviate() -> Iterator[Deviation]:
    """Find rows that stand elsewhere or since another time than the trail says, or are gone, and withdrawals that nobody made."""
    halls = dict(Hall.objects.values_list("pk", "code"))
    for model, (folder, noun) in KINDS.items():
        rows = {str(row.public_id): row for row in model.objects.order_by("pk")}
        records = AuditRecord.objects.filter(action__in=[f"{noun}_published", f"{noun}_withdrawn"], after__isnull=False)
        told = {record.subject_id: (record.hall_id, record.after or {}) for record in records.order_by("pk")}
        withdrawn = {key for key, row in rows.items() if row.data is None}
        for key in sorted(told.keys() | withdrawn):
            expected, found = _standing(halls, *told[key]) if key in told else None, None
            if key in rows:
                found = _standing(halls, rows[key].hall_id, _as_told(rows[key]))
            if expected != found:
                yield Deviation(f"{folder}/{expected or found}", expected, found)


def _as_told(row: Terms) -> Json:
    """Return what decides when a row is in force as the trail tells it."""
    told = {"game": row.game, "version": row.version, "effective_at": row.effective_at}
    kept: Json = json.loads(json.dumps(told, cls=DjangoJSONEncoder))
    return kept


def _standing(halls: Mapping[int, str], hall_id: int | None, told: Json) -> str:
    place = halls.get(hall_id or 0), told.get("game"), told.get("version")
    return "{}/{}/{}.json from {}".format(*place, told.get("effective_at"))
