"""The published pay tables and limit sets as entries of the manifest, held against what the trail says was published."""

from collections.abc import Iterator
from dataclasses import dataclass

from audit.manifest.files import Deviation, sha256
from audit.models import AuditRecord
from games.core.codec import canonical
from games.halls.models import LimitSet, PayTable, Terms

KINDS: dict[type[Terms], tuple[str, str]] = {
    LimitSet: ("limit-sets", "limit_set_published"),
    PayTable: ("pay-tables", "pay_table_published"),
}
"""The folder of each kind in an export, and the action under which the trail has its publication."""


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
    for model, (folder, action) in KINDS.items():
        published = dict(AuditRecord.objects.filter(action=action).values_list("subject_id", "after__data"))
        rows = model.objects.filter(data__isnull=False).select_related("hall")
        for row in rows.order_by("hall__code", "game", "version"):
            data = published.get(str(row.public_id))
            name = f"{folder}/{row.hall.code}/{row.game}/{row.version}.json"
            yield TermsEntry(name, row, canonical(row.data), None if data is None else sha256(canonical(data)))


def terms_deviate(entries: list[TermsEntry]) -> list[Deviation]:
    """Find rows that are not what was published, and rows that nobody published."""
    return [Deviation(each.name, each.published, each.digest) for each in entries if each.published != each.digest]
