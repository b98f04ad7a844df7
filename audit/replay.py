"""A second look at closed rounds: the offline verifier over the record, and the record against what the database holds."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import chain
from typing import Any
from uuid import UUID

from django.core.exceptions import ObjectDoesNotExist

from audit.differences import Difference
from audit.matching import round_differences, step_differences, transfer_differences
from audit.stored import Stored, rounds_stored
from casino.errors import Conflict, NotFound
from games.core.codec import canonical, parse
from games.core.engine import Json
from games.core.errors import InvalidData
from games.engines import engine_for
from games.rounds.models import Round
from games.rounds.selectors import record_missing
from games.verify import Divergence, verify


@dataclass(frozen=True, slots=True)
class ReplayReport:
    """What a replay found: the verifier's verdict on the record, and how the stored round differs from it, by what was compared.

    A record that the verifier refuses has a ``divergence`` instead, and nothing is held against it.
    """

    round_id: UUID
    hall_id: int
    record_hash: str
    record_verdict: str | None = None
    divergence: str | None = None
    differences: Mapping[str, tuple[Difference, ...]] = field(default_factory=dict)

    @property
    def deviations(self) -> tuple[str, ...]:
        """Each thing that is amiss, in words."""
        refused = [f"record: {self.divergence}"] if self.divergence else []
        return (*refused, *map(str, chain.from_iterable(self.differences.values())))

    @property
    def is_clean(self) -> bool:
        return not self.deviations


def round_audit(*, round_id: UUID) -> ReplayReport:
    """Replay a closed round by the offline verifier, then match its record with the stored steps, totals and transfers.

    **Errors** NotFound; Conflict ``round_open``, or ``record_unreadable``: its record, or what it points to, is gone.
    """
    row = Round.objects.filter(commitment_id=round_id).first()
    if row is None:
        raise NotFound("not_found")
    stored = rounds_stored([row.pk])
    if not stored:
        raise record_missing(row)
    try:
        return Replayer().replay(stored[0])
    except ObjectDoesNotExist as error:
        raise Conflict("record_unreadable") from error


class Replayer:
    """Replays rounds, and remembers from one to the next what the terms of halls come to."""

    def __init__(self) -> None:
        self._terms: dict[tuple[Any, ...], Json] = {}

    def replay(self, stored: Stored) -> ReplayReport:
        """Replay a round and match it with what is stored."""
        row, kept = stored.row, stored.record
        about = (row.public_id, row.hall_id, kept.record_hash)
        text = kept.document.encode()
        try:
            verdict = str(verify(text))
        except Divergence as divergence:
            return ReplayReport(*about, divergence=str(divergence))
        record = parse(text)
        compared = {
            "round": round_differences(stored, record, self._terms_complete(row, record["head"]["setup"])),
            "steps": step_differences(stored, record),
            "transfers": transfer_differences(stored, record),
        }
        found = {what: tuple(differences) for what, differences in compared.items()}
        return ReplayReport(*about, verdict, differences={what: told for what, told in found.items() if told})

    def _terms_complete(self, row: Round, setup: Json) -> Json:
        """Return the round's limit set and pay table as its game completes them; as they are, where they make no sense to it."""
        rest = canonical({name: value for name, value in setup.items() if name not in ("limits", "pay_table")})
        key = (row.game, row.rules_version, row.limit_set_id, row.pay_table_id, rest)
        if key not in self._terms:
            terms = {"limits": row.limit_set.data, "pay_table": row.pay_table.data}
            engine = engine_for(row.game, row.rules_version)
            try:
                self._terms[key] = engine.dump_setup(engine.parse_setup({**setup, **terms}))
            except InvalidData:
                self._terms[key] = terms
        return self._terms[key]
