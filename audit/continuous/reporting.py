"""From what deviates to findings, each on the object that it is about, with its rows named."""

from collections import defaultdict
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass, field
from itertools import islice
from typing import Any

from audit.continuous.moments import moment_now
from audit.continuous.rows import Again, Written
from audit.findings import Severity, finding_raise
from audit.models import AuditFinding, StoredReport
from audit.reconcile import Deviation
from audit.replay import ReplayReport
from games.rounds.models import Round, RoundSeat, RoundStep
from wallets.models import Account, Transfer

SUBJECTS_MAX = 100
"""So many findings of one check a run makes; what is beyond is one finding more, that tells how much it is."""
ROWS_MAX = 100
AGAIN = "row_written_again"


@dataclass(frozen=True, slots=True)
class Subject:
    """What a finding is about, by the id that it is known by outside."""

    type: str
    id: str
    hall_id: int | None = None
    about: dict[str, Any] = field(default_factory=dict, hash=False, compare=False)


Name = Callable[[Collection[str]], dict[str, Subject]]


def deviations_report(deviations: Sequence[Deviation]) -> int:
    """Raise a finding for each check and object that deviate; return how many.

    **Rule** Call it in a transaction. Steps and seats are told of under their round, which is what an auditor looks into.
    """
    named = _named(deviations)
    grouped: dict[str, dict[Subject, list[Deviation]]] = defaultdict(lambda: defaultdict(list))
    for each in deviations:
        grouped[each.check][named.get((each.table, each.key), Subject(each.table, each.key))].append(each)
    for check, subjects in grouped.items():
        for subject, rows in islice(subjects.items(), SUBJECTS_MAX):
            told = [{"table": r.table, "key": r.key, "expected": r.expected, "found": r.found} for r in rows[:ROWS_MAX]]
            _raise(check, subject, {**subject.about, "rows": told, "rows_in_all": len(rows)})
        _raise_rest(check, len(subjects))
    return sum(map(len, grouped.values()))


def replay_report(report: ReplayReport) -> int:
    """Raise a finding for each kind of thing in which a replayed round deviates; return how many."""
    subject = Subject("rounds.round", str(report.round_id), report.hall_id)
    evidence = {"round_id": subject.id, "record_hash": report.record_hash}
    if report.divergence:
        _raise("replay_record", subject, {**evidence, "deviations": list(report.deviations)})
        return 1
    for what, differences in report.differences.items():
        rows = [each.as_json() for each in differences[:ROWS_MAX]]
        words = list(map(str, differences[:ROWS_MAX]))
        _raise(f"replay_{what}", subject, {**evidence, "deviations": words, "rows": rows, "rows_in_all": len(differences)})
    return len(report.differences)


def replay_failure_report(round_key: int, error: str) -> int:
    """Raise a finding for a round at which the replay itself failed."""
    (subject,) = _rounds([str(round_key)]).values() or (Subject("rounds_roundrecord", str(round_key)),)
    _raise("replay_failed", subject, {**subject.about, "error": error})
    return 1


def again_unresolved(written: Written, rows: Sequence[Again]) -> list[Again]:
    """Leave out rows of deeds whose findings have been resolved: what is found is the deed, and not anew each night.

    **Rule** After a restore numbers of transactions come again: a deed is known by its number and its database.
    """
    database = moment_now().database
    known = AuditFinding.objects.filter(check_name=AGAIN, subject_type=written.table, status=AuditFinding.Status.RESOLVED)
    deeds = {_deed(each, database) for each in rows}
    resolved = set(known.filter(subject_id__in=deeds).values_list("subject_id", flat=True))
    return [each for each in rows if _deed(each, database) not in resolved]


def _deed(row: Again, database: str) -> str:
    return f"transaction {row.writer_xid} of {database}"


def again_report(written: Written, rows: Sequence[Again]) -> int:
    """Raise a finding for each transaction that wrote again what is written once; return how many."""
    database, deeds = moment_now().database, defaultdict[str, list[int]](list)
    for each in rows:
        deeds[_deed(each, database)].append(each.key)
    for deed, keys in islice(deeds.items(), SUBJECTS_MAX):
        _raise_again(written, deed, keys)
    _raise_rest(AGAIN, len(deeds))
    return len(deeds)


def _raise_again(written: Written, deed: str, keys: Sequence[int]) -> None:
    """Raise the finding of a deed, about the round that it changed where all its rows are of one."""
    named = NAMES[written.table]([str(key) for key in keys[:ROWS_MAX]])
    told = [{"table": written.table, "key": key, "subject_id": subject.id} for key, subject in named.items()]
    rounds = {(subject.about.get("round_id"), subject.hall_id) for subject in named.values()}
    round_id, hall_id = rounds.pop() if len(rounds) == 1 and len(named) == len(keys) else (None, None)
    about = {"round_id": round_id} if round_id else {}
    _raise(AGAIN, Subject(written.table, deed, hall_id), {**about, "rows": told, "rows_in_all": len(keys)})


def unreadable_report(table: str, keys: Sequence[int], error: str = "") -> int:
    """Raise a finding for rows at which the audit came to its end again and again, or for the one that makes a check fail."""
    subject = Subject(table, str(keys[0]) if len(keys) == 1 else f"{keys[0]} to {keys[-1]}")
    rows = [{"table": table, "key": key} for key in keys[:ROWS_MAX]]
    _raise("audit_cannot_read", subject, {"rows": rows, "rows_in_all": len(keys), "error": error})
    return 1


def _raise_rest(check: str, subjects: int) -> None:
    """Say how many subjects of a check there are, where not all of them are findings of their own."""
    if subjects > SUBJECTS_MAX:
        _raise(check, Subject("check", check), {"subjects_in_all": subjects, "subjects_told": SUBJECTS_MAX})


def _raise(check: str, subject: Subject, evidence: dict[str, Any]) -> None:
    finding_raise(
        check=check,
        severity=Severity.CRITICAL,
        subject=(subject.type, subject.id),
        evidence=evidence,
        hall=subject.hall_id,
    )


def _named(deviations: Iterable[Deviation]) -> dict[tuple[str, str], Subject]:
    keys: dict[str, set[str]] = defaultdict(set)
    for each in deviations:
        keys[each.table].add(each.key)
    return {
        (table, key): subject
        for table, of_table in keys.items()
        if table in NAMES
        for key, subject in NAMES[table](list(of_table)[: SUBJECTS_MAX * ROWS_MAX]).items()
    }


# What a row is named by, and nothing else of it: it may be one of which not all can be read.
_TRANSFER_NAMED = ("public_id", "step_id", "debit_account__hall_id", "credit_account__hall_id", "created_by__public_id")
_ACCOUNT_NAMED = ("public_id", "hall_id", "kind", "round_reference")


def _transfers(keys: Collection[str]) -> dict[str, Subject]:
    sides = Transfer.objects.select_related("debit_account", "credit_account", "created_by").only(*_TRANSFER_NAMED)
    rows = sides.filter(pk__in=list(map(int, keys)))
    steps = {row.step_id: row.pk for row in rows}
    rounds = {
        pk: (round_id, hall_id)
        for pk, round_id, hall_id in RoundStep.objects.filter(pk__in=[step for step in steps if step]).values_list(
            "pk", "round__commitment_id", "round__hall_id"
        )
    }
    found = {}
    for row in rows:
        round_id, hall_id = rounds.get(row.step_id or 0, (None, row.debit_account.hall_id or row.credit_account.hall_id))
        about = {"round_id": str(round_id)} if round_id else {}
        about |= {"author_id": str(row.created_by.public_id)} if row.created_by else {}
        found[str(row.pk)] = Subject("wallets.transfer", str(row.public_id), hall_id, about)
    return found


def _accounts(keys: Collection[str]) -> dict[str, Subject]:
    rows = Account.objects.filter(pk__in=list(map(int, keys))).only(*_ACCOUNT_NAMED)
    return {
        str(row.pk): Subject(
            "wallets.account",
            str(row.public_id),
            row.hall_id,
            {"kind": row.kind} | ({"round_id": str(row.round_reference)} if row.round_reference else {}),
        )
        for row in rows
    }


def _rounds(keys: Collection[str]) -> dict[str, Subject]:
    rows = Round.objects.filter(pk__in=list(map(int, keys))).values_list("pk", "commitment_id", "hall_id")
    return {str(pk): _round(round_id, hall_id) for pk, round_id, hall_id in rows}


def _round(round_id: object, hall_id: int) -> Subject:
    return Subject("rounds.round", str(round_id), hall_id, {"round_id": str(round_id)})


def _seats(keys: Collection[str]) -> dict[str, Subject]:
    rows = RoundSeat.objects.filter(pk__in=list(map(int, keys))).values_list("pk", "round__commitment_id", "round__hall_id")
    return {str(pk): _round(round_id, hall_id) for pk, round_id, hall_id in rows}


def _steps(keys: Collection[str]) -> dict[str, Subject]:
    """Name steps by their rounds. A step's key is its own, or that of its round with its number."""
    of_round = {key: key.partition("/")[0] for key in keys if "/" in key}
    rounds = _rounds(set(of_round.values()))
    found = {key: rounds[pk] for key, pk in of_round.items() if pk in rounds}
    own = [int(key) for key in keys if key not in of_round]
    rows = RoundStep.objects.filter(pk__in=own).values_list("pk", "round__commitment_id", "round__hall_id")
    return found | {str(pk): _round(round_id, hall_id) for pk, round_id, hall_id in rows}


def _kept(model: type[AuditFinding] | type[StoredReport]) -> Name:
    def name(keys: Collection[str]) -> dict[str, Subject]:
        rows = model._default_manager.filter(pk__in=list(map(int, keys))).values_list("pk", "public_id", "hall_id")
        return {str(pk): Subject(model._meta.label_lower, str(public_id), hall_id) for pk, public_id, hall_id in rows}

    return name


NAMES: dict[str, Name] = {
    "audit_auditfinding": _kept(AuditFinding),
    "audit_storedreport": _kept(StoredReport),
    "wallets_transfer": _transfers,
    "wallets_account": _accounts,
    "rounds_round": _rounds,
    "rounds_roundrecord": _rounds,
    "rounds_roundseat": _seats,
    "rounds_roundstep": _steps,
}
"""How rows of a table are named, by the keys that deviations give."""
