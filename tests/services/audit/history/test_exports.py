"""Exports: what is read back equals the database, the end is the beginning's, and nothing is held open meanwhile."""

import csv
import hashlib
import io
import json
import random
import re
from collections.abc import Callable
from pathlib import Path
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.db import DatabaseError, connection, transaction

from audit.cells import cell
from audit.history import exporting
from audit.history.exporting import export_begin, export_lines
from audit.history.lines import COLUMNS
from audit.history.models import Export
from audit.models import AuditRecord
from casino.errors import RateLimited
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round, RoundRecord, RoundSeat, RoundStep
from games.rounds.services import round_void
from games.verify import verify
from tests import playing
from tests.concurrency.racing import race
from tests.databases import Server
from tests.services.audit.history.worlds import closed_rounds
from wallets.models import Transfer


@pytest.fixture
def hall(committed_db: str) -> Hall:
    return playing.halls()["first"]


@pytest.fixture
def author(hall: Hall) -> User:
    return playing.user_with(Role.AUDITOR, name="exporter")


def settle(hall: Hall, rounds: int = 1) -> list[Round]:
    """Play some rounds to their end."""
    player = playing.player(hall)
    played = []
    for number in range(rounds):
        opened = playing.open_round(player, hall)
        playing.play_out(player, opened.round_id, random.Random(number))
        played.append(Round.objects.get(pk=opened.row.pk))
    return played


def exported(author: User, format: str, **filters: Any) -> str:
    export = export_begin(author=author, format=format, filters=filters)
    return b"".join(export_lines(export, filters=filters)).decode()


def read_text(text: str) -> str:
    """Read a text of an export back: take one apostrophe from its front."""
    return text.removeprefix("'")


def test_what_is_read_back_equals_the_database(hall: Hall, author: User) -> None:
    list(closed_rounds(hall))
    playing.open_round(playing.player(hall), hall)
    rounds = list(Round.objects.exclude(status="open").order_by("pk"))
    lines = exported(author, "jsonl").splitlines()
    assert lines == [RoundRecord.objects.get(round=row).document for row in rounds]
    assert all(str(verify(line.encode())).startswith("verified") for line in lines)
    read = list(csv.DictReader(io.StringIO(exported(author, "csv"), newline="")))
    seats = list(RoundSeat.objects.filter(round__in=rounds).select_related("user", "round").order_by("round", "index"))
    assert [(line["round_id"], int(line["seat"])) for line in read] == [(str(s.round.public_id), s.index) for s in seats]
    for line, seat in zip(read, seats, strict=True):
        row, net = seat.round, seat.returned_minor - seat.staked_minor
        assert tuple(line) == COLUMNS
        assert {name: int(line[name]) for name in ("staked_minor", "returned_minor", "net_minor", "steps")} == {
            "staked_minor": seat.staked_minor,
            "returned_minor": seat.returned_minor,
            "net_minor": net,
            "steps": RoundStep.objects.filter(round=row).count(),
        }
        own = RoundStep.objects.filter(round=row, seat=seat.index, seq__gt=0)
        assert (int(line["moves"]), int(line["automatic_moves"])) == (own.count(), own.filter(origin="timeout").count())
        texts = {name: read_text(line[name]) for name in ("client_seed", "username", "hall_name", "game", "status", "player_id")}
        assert texts == {
            "client_seed": seat.client_seed,
            "username": seat.user.username,
            "hall_name": row.hall.name,
            "game": row.game,
            "status": row.status,
            "player_id": str(seat.user.public_id),
        }
        won = "won" if net > 0 else "lost" if net < 0 else "even"
        assert line["result"] == ("voided" if row.status == "voided" else won)
        assert line["record_hash"] == row.record.record_hash
    rake = Transfer.objects.filter(credit_account__kind="rake")
    assert rake.exists()
    assert sum(int(line["rake_minor"]) for line in read) == sum(rake.values_list("amount_minor", flat=True))
    assert any(int(line["automatic_moves"]) for line in read)


@pytest.mark.parametrize(
    ("value", "written"),
    [
        ("=1+1", "'=1+1"),
        ("+1", "'+1"),
        ("-1", "'-1"),
        ("@SUM(A1)", "'@SUM(A1)"),
        ("\tx", "'\tx"),
        ("\rx", "'\rx"),
        ("'quoted", "''quoted"),
        ("plain = text", "plain = text"),
        ("", ""),
        (-100, -100),
        (0, 0),
        (None, ""),
        (True, "true"),
    ],
)
def test_texts_that_begin_like_formulas_are_disarmed_and_numbers_stay_numbers(value: Any, written: Any) -> None:
    assert cell(value) == written
    if isinstance(value, str):
        assert read_text(str(written)) == value


def test_no_cell_of_an_export_begins_a_formula_but_a_number(hall: Hall, author: User) -> None:
    list(closed_rounds(hall))
    cells = [text for line in csv.reader(io.StringIO(exported(author, "csv"), newline="")) for text in line]
    dangerous = [text for text in cells if text.startswith(("=", "+", "-", "@", "\t", "\r"))]
    assert dangerous and all(re.fullmatch("-[0-9]+", text) for text in dangerous), "net amounts alone begin with a sign"
    assert '\'=HYPERLINK("evil"), 1' in cells


def test_the_filters_are_the_historys(hall: Hall, author: User) -> None:
    played = settle(hall, 3)
    asked = {"opened_from": played[1].opened_at, "result": "lost", "net_to_minor": -1}
    expected = [
        row
        for row in played[1:]
        if RoundSeat.objects.get(round=row).returned_minor < RoundSeat.objects.get(round=row).staked_minor
    ]
    lines = exported(author, "jsonl", **asked).splitlines()
    assert [json.loads(line)["head"]["round_id"] for line in lines] == [str(row.public_id) for row in expected]
    noted = AuditRecord.objects.get(action="rounds_exported")
    assert noted.after is not None and noted.after["filters"]["opened_from"].endswith("Z")


def test_what_is_committed_after_the_beginning_is_not_in_it_though_it_was_written_before(
    hall: Hall, author: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A round closes, between two others, in a transaction that is still open when the export begins."""
    monkeypatch.setattr(exporting, "PAGE_ROUNDS", 1)
    first = settle(hall)[0]
    late = playing.open_round(playing.player(hall), hall).round_id
    last = settle(hall)[0]
    supervisor = playing.user_with(Role.SUPERVISOR)
    with transaction.atomic():
        connection.atomic_blocks[-1]._from_testcase = True  # lets the service's durable transaction be a part of this one
        round_void(actor=supervisor, round_id=late, reason="test")
        export = in_another_session(lambda: export_begin(author=author, format="jsonl", filters={}))
    assert Round.objects.get(commitment_id=late).status == "voided"
    ids = [json.loads(line)["head"]["round_id"] for line in b"".join(export_lines(export, filters={})).splitlines()]
    assert ids == [str(first.public_id), str(last.public_id)]
    export.refresh_from_db()
    assert (export.status, export.rounds_written, export.rounds_total) == ("done", 2, 2)
    assert len(exported(author, "jsonl").splitlines()) == 3, "the next export has it"


def in_another_session(call: Callable[[], Export]) -> Export:
    (made,) = race([call])
    assert isinstance(made, Export), made
    return made


def test_progress_is_told_along_and_the_digest_at_the_end(hall: Hall, author: User, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exporting, "PAGE_ROUNDS", 1)
    monkeypatch.setattr(exporting, "PROGRESS_EVERY_SECONDS", -1)
    settle(hall, 3)
    export = export_begin(author=author, format="csv", filters={})
    lines, seen, content = export_lines(export, filters={}), [], b""
    for chunk in lines:
        content += chunk
        kept = Export.objects.get(pk=export.pk)
        seen.append((kept.status, kept.rounds_written, kept.bytes_written, kept.sha256))
    assert [(status, written) for status, written, *_ in seen] == [("running", number) for number in range(4)]
    kept = Export.objects.get(pk=export.pk)
    digest = hashlib.sha256(content).hexdigest()
    assert (kept.status, kept.rounds_written, kept.bytes_written, kept.sha256) == ("done", 3, len(content), digest)


def test_no_transaction_is_open_while_the_reader_reads(
    hall: Hall, author: User, database_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(exporting, "PAGE_ROUNDS", 1)
    settle(hall, 2)
    export = export_begin(author=author, format="jsonl", filters={})
    for _ in export_lines(export, filters={}):
        assert database_server.transactions_open(connection.settings_dict["NAME"]) == 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert database_server.transactions_open(connection.settings_dict["NAME"]) == 1, "control"


def test_a_reader_who_goes_away_leaves_a_stopped_export_and_a_fault_a_failed_one(
    hall: Hall, author: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    settle(hall)
    export = export_begin(author=author, format="csv", filters={})
    lines = export_lines(export, filters={})
    next(lines)
    lines.close()  # type: ignore[attr-defined]
    assert Export.objects.get(pk=export.pk).status == "stopped"
    export = export_begin(author=author, format="csv", filters={})
    settle(hall)
    monkeypatch.setattr(exporting, "_rounds", lambda export, filters: Round.objects.all())
    with pytest.raises(DatabaseError, match="audit_export"):
        list(export_lines(export, filters={}))
    assert Export.objects.get(pk=export.pk).status == "failed", "more came than was counted"


def test_only_so_many_run_at_once_and_dead_ones_do_not_count(hall: Hall, author: User) -> None:
    for _ in range(exporting.MOST_RUNNING):
        export = export_begin(author=author, format="csv", filters={})
    with pytest.raises(RateLimited):
        export_begin(author=author, format="csv", filters={})
    Export.objects.filter(pk=export.pk).update(progress_at=export.began_at - exporting.SILENT_AFTER)
    assert export_begin(author=author, format="csv", filters={}).status == "running"


@pytest.mark.parametrize(
    ("change", "refused_by"),
    [
        ("UPDATE audit_export SET author_id = author_id + 1", "audit_export_identity_fixed"),
        ("UPDATE audit_export SET filters = '{}'", "audit_export_identity_fixed"),
        ("UPDATE audit_export SET rounds_total = 9", "audit_export_identity_fixed"),
        ("UPDATE audit_export SET status = 'running' WHERE status = 'stopped'", "audit_export_ended_for_good"),
        ("DELETE FROM audit_export", "audit_export_no_delete"),
        ("TRUNCATE audit_export", "audit_export_no_truncate"),
        ("UPDATE audit_export SET status = 'done' WHERE status = 'running'", "audit_export_done_is_whole"),
        ("UPDATE audit_export SET sha256 = repeat('0', 64) WHERE status = 'running'", "audit_export_done_is_whole"),
        ("UPDATE audit_export SET status = 'lost' WHERE status = 'running'", "audit_export_done_is_whole"),
        (
            "INSERT INTO audit_export (public_id, author_id, format, filters, snapshot, rounds_total, rounds_written,"
            " bytes_written, status, sha256) SELECT gen_random_uuid(), author_id, 'xls', '{}', '', 1, 0, 0, 'running', ''"
            " FROM audit_export LIMIT 1",
            "audit_export_format",
        ),
    ],
)
def test_the_database_keeps_what_was_exported(
    hall: Hall, author: User, owner_connection: "psycopg.Connection[Any]", change: str, refused_by: str
) -> None:
    for status in ("running", "stopped"):
        Export.objects.create(author=author, format="csv", filters={"game": "rapira"}, snapshot="", rounds_total=1, status=status)
    with pytest.raises(psycopg.Error) as refused:
        owner_connection.execute(change)
    assert refused.value.diag.constraint_name == refused_by


def test_the_command_writes_a_file_says_how_far_it_is_and_who_it_was(
    hall: Hall, author: User, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    settle(hall, 2)
    file = tmp_path / "rounds.csv"
    call_command("rounds_export", author="exporter", format="csv", output=file, game=playing.GAME)
    export = Export.objects.get()
    assert f"2 of 2 rounds, SHA-256 {export.sha256}" in capsys.readouterr().err
    assert hashlib.sha256(file.read_bytes()).hexdigest() == export.sha256
    assert AuditRecord.objects.get(action="rounds_exported").actor == author
    for wrong in ({"author": "nobody", "format": "csv"}, {"author": "exporter", "format": "xls"}):
        with pytest.raises(CommandError):
            call_command("rounds_export", **wrong)
    with pytest.raises(CommandError):
        call_command("rounds_export", author="exporter", format="csv", game=playing.GAME, net_from_minor="much")
