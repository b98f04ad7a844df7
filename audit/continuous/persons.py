"""Whom a finding is about, whatever it names: nobody judges what they did themselves."""

import json
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, NamedTuple
from uuid import UUID

from django.core.serializers.json import DjangoJSONEncoder
from django.db.models import Model, Q, QuerySet

from audit.models import AuditFinding, AuditRecord
from casino.users.models import User
from games.rounds.models import Round, RoundSeat, RoundStep
from wallets.models import Account, Transfer


def finding_is_about(finding: AuditFinding, user: User) -> bool:
    """Tell whether a finding is about a user.

    **Rule** It is where subject or evidence name the user, or a row that is the user's: an account by its owner, a movement over
    the counter by its author and the account's owner, a round, its steps and its transfers by who sat there or intervened, a
    record of the trail by its actor, a finding by its owner; of the last two also what they are about. Where it does not name
    all that it is about, or that is gone, it may be about whoever has an account or has moved money at the counter.
    """
    told = json.dumps([finding.subject_id, finding.evidence], cls=DjangoJSONEncoder)
    if str(user.public_id) in told:
        return True
    is_whole = _names_all(finding.evidence)
    keys: dict[str, set[str]] = defaultdict(set)
    for table, key in _rows_named(finding):
        keys[table].add(key)
    for table, of_table in keys.items():
        kind = KINDS[table]
        named = kind.model._default_manager.filter(_keyed(of_table, kind.outside))
        if kind.is_about(list(named), user):
            return True
        is_whole = is_whole and of_table <= _names_of(named, kind.outside)
    return not is_whole and _has_moved_money(user)


def _names_all(evidence: dict[str, Any]) -> bool:
    rows = evidence.get("rows", [])
    return isinstance(rows, list) and evidence.get("rows_in_all", 0) <= len(rows) and "subjects_in_all" not in evidence


def _rows_named(finding: AuditFinding) -> Iterator[tuple[str, str]]:
    """The rows that a finding names, by table and key; steps by their rounds where the key says so, records by theirs."""
    rows = finding.evidence.get("rows", [])
    named = [(finding.subject_type, finding.subject_id), ("rounds_round", finding.evidence.get("round_id"))]
    named += [(row.get("table"), row.get("key")) for row in (rows if isinstance(rows, list) else [])]
    for kind, key in named:
        table, text = str(kind).replace(".", "_"), str(key)
        if (table == RoundStep._meta.db_table and "/" in text) or table == "rounds_roundrecord":
            table, text = Round._meta.db_table, text.partition("/")[0]
        if table in KINDS and _is_key(text):
            yield table, text


def _is_key(text: str) -> bool:
    return (text.isascii() and text.isdigit() and int(text) < 2**63) or _is_outside(text)


def _is_outside(text: str) -> bool:
    try:
        return str(UUID(text)) == text
    except ValueError:
        return False


def _keyed(keys: Iterable[str], outside: str) -> Q:
    by_outside = {key for key in keys if _is_outside(key)}
    return Q(pk__in=[int(key) for key in keys if key not in by_outside]) | Q(**{f"{outside}__in": by_outside})


def _names_of(rows: QuerySet[Any], outside: str) -> set[str]:
    """What rows may be named by: one and the same is named by its outside id as the subject, and by its key in the evidence."""
    return {str(name) for names in rows.values_list("pk", outside) for name in names}


def _has_moved_money(user: User) -> bool:
    return Account.objects.filter(user=user).exists() or Transfer.objects.filter(created_by=user).exists()


def _accounts(rows: Sequence[Account], user: User) -> bool:
    references = [row.round_reference for row in rows if row.round_reference]
    return any(row.user_id == user.pk for row in rows) or _rounds(Round.objects.filter(commitment_id__in=references), user)


def _transfers(rows: Sequence[Transfer], user: User) -> bool:
    whose = Q(created_by=user) | Q(reversal_of__created_by=user) | Q(debit_account__user=user) | Q(credit_account__user=user)
    return (
        Transfer.objects.filter(whose, pk__in=[row.pk for row in rows]).exists()
        or _recorded("wallets.transfer", rows, user)
        or _of_rounds(RoundStep.objects.filter(pk__in=[row.step_id for row in rows if row.step_id]), user)
    )


def _rounds(rows: Iterable[Round], user: User) -> bool:
    rounds = list(rows)
    return RoundSeat.objects.filter(round__in=rounds, user=user).exists() or _recorded("rounds.round", rounds, user)


def _of_rounds(rows: Iterable[RoundStep | RoundSeat], user: User) -> bool:
    return _rounds(Round.objects.filter(pk__in={row.round_id for row in rows}), user)


def _users(rows: Iterable[User], user: User) -> bool:
    return user in rows


def _records(rows: Iterable[AuditRecord], user: User) -> bool:
    """Whether records are the user's, or about what is: what they tell of is looked at as a finding would name it."""
    return any(row.actor_id == user.pk or finding_is_about(_as_found(row), user) for row in rows)


def _as_found(row: AuditRecord) -> AuditFinding:
    told = {"before": row.before, "after": row.after}
    return AuditFinding(subject_type=row.subject_type, subject_id=row.subject_id, evidence=told)


def _findings(rows: Iterable[AuditFinding], user: User) -> bool:
    return any(row.owner_id == user.pk or finding_is_about(row, user) for row in rows)


def _recorded(subject_type: str, rows: Iterable[Round | Transfer], user: User) -> bool:
    """Whether the trail has the user for who did it, whatever the rows say by now."""
    about = [str(row.public_id) for row in rows]
    return AuditRecord.objects.filter(subject_type=subject_type, subject_id__in=about, actor=user).exists()


class Kind(NamedTuple):
    """A kind of rows: their model, by which field they are known outside, and whether some are about a user."""

    model: type[Model]
    outside: str
    is_about: Callable[[Any, User], bool]


KINDS = {
    kind.model._meta.db_table: kind
    for kind in (
        Kind(Account, "public_id", _accounts),
        Kind(Transfer, "public_id", _transfers),
        Kind(Round, "commitment_id", _rounds),
        Kind(RoundStep, "round__commitment_id", _of_rounds),
        Kind(RoundSeat, "round__commitment_id", _of_rounds),
        Kind(User, "public_id", _users),
        Kind(AuditRecord, "public_id", _records),
        Kind(AuditFinding, "public_id", _findings),
    )
}
"""By the table; a finding's subject has the model's label, which is the table's with a dot."""
