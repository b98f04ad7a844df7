"""The offline checker against whoever makes or cuts the export and the anchor: it takes no exporter's word, and never falls."""

import contextlib
import hashlib
import io
import json
import random
import sys
from collections.abc import Callable
from datetime import datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from audit import check_seals
from audit.models import AuditRecord, Export
from audit.seals.anchor import anchor_catch_up
from audit.seals.heads import leaf_digest
from audit.seals.models import Seal
from audit.seals.services import SEALING_LOCK, seal_make
from casino.errors import Busy
from casino.permissions import Role
from tests.databases import impatient
from tests.playing import user_with
from tests.services.seals.conftest import Sealed
from tests.services.seals.test_tampering import Tamper, cut_off
from tests.wallet_builders import account as account_of
from tests.wallet_builders import pay_in, player

Lines = list[dict[str, Any]]


@pytest.fixture
def lines(sealed: Sealed) -> Lines:
    return [json.loads(line) for line in sealed.export().read_text().splitlines()]


@pytest.fixture
def check(sealed: Sealed) -> Callable[..., tuple[int, str]]:
    """Check lines and say how it ended and what was printed, as the command does, in this process."""

    def run(lines: Lines | bytes, *options: str, anchor: Path | None = sealed.anchor) -> tuple[int, str]:
        path = sealed.folder / "forged.jsonl"
        path.write_bytes(lines if isinstance(lines, bytes) else "".join(json.dumps(line) + "\n" for line in lines).encode())
        told = io.StringIO()
        told.reconfigure = lambda **kwargs: None  # type: ignore[attr-defined]
        with pytest.MonkeyPatch.context() as patch, contextlib.redirect_stdout(told), contextlib.redirect_stderr(told):
            patch.setattr(sys, "argv", ["check_seals", str(path), *(["--anchor", str(anchor)] if anchor else []), *options])
            try:
                code = check_seals.main()
            except SystemExit as end:
                code = int(end.code or 0)
        return code, told.getvalue()

    return run


Check = Callable[..., tuple[int, str]]


def seals_of(lines: Lines) -> Lines:
    return [line for line in lines if line["type"] == "seal"]


def known(seal: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in seal.items() if name != "type"} | {"emptied_at": None}


def after(lines: Lines, number: int) -> Lines:
    """An export that goes on after a seal."""
    first, *_, end = lines
    start = lines.index(seals_of(lines)[number]) if number < len(seals_of(lines)) else len(lines) - 1
    rest = lines[start:-1]
    leaves = sum(line["type"] == "leaf" for line in rest)
    return [first | {"after": known(seals_of(lines)[number - 1])}, *rest, end | {"leaves": leaves}]


def test_control_the_export_is_verified(lines: Lines, check: Check) -> None:
    assert check(lines)[0] == check(lines, anchor=None)[0] == 0


@pytest.mark.parametrize("number", [1, 3])
def test_an_export_that_begins_later_is_held_against_the_anchor_and_says_what_it_left_out(
    lines: Lines, check: Check, number: int
) -> None:
    code, told = check(after(lines, number))
    assert code == 0
    assert f"the seals up to {number} and their rows are not in this export: not checked" in told
    code, told = check(after(lines, number), anchor=None)
    assert code == 1 and "export_begins_after_a_known_head" in told
    head = seals_of(lines)[number - 1]["hash"]
    assert check(after(lines, number), "--from-head", head, anchor=None)[0] == 0
    assert check(after(lines, number), "--from-head", "0" * 64, anchor=None)[0] == 1


@pytest.mark.parametrize("forged", [{"hash": "f" * 64}, {"root": "e" * 64}, {"edge": []}, {"number": 9}, {"tree_size": -1}])
def test_a_forged_beginning_is_found(lines: Lines, check: Check, forged: dict[str, Any]) -> None:
    first, *rest = after(lines, 3)
    assert check([first | {"after": first["after"] | forged}, *rest])[0] == 1


def test_a_second_beginning_is_found(lines: Lines, check: Check) -> None:
    second = lines.index(seals_of(lines)[1])
    first, *rest = after(lines, 2)
    code, told = check([*lines[:second], first, *rest])
    assert code == 1 and "export_begins_once" in told
    assert check(lines[1:])[0] == 1, "nor is one without a beginning taken"


def test_a_leaf_outside_the_tree_is_found(lines: Lines, check: Check) -> None:
    leaf = [line for line in lines if line["type"] == "leaf" and line["kind"] == "transfer"][-1]
    row = leaf["leaf"] | {"id": 999_999, "amount_minor": 123_456}
    for index in (10**9, leaf["index"], leaf["index"] + 1, -1):
        extra = leaf | {"id": 999_999, "leaf": row, "index": index, "hash": leaf_digest(row).hex()}
        place = max(number for number, line in enumerate(lines) if line["type"] == "leaf") + 1
        code, told = check([*lines[:place], extra, *lines[place:-1], lines[-1] | {"leaves": lines[-1]["leaves"] + 1}])
        assert code == 1 and "leaf_has_its_place: transfer 999999" in told


def test_rows_that_wait_too_long_or_for_ever_are_found(lines: Lines, check: Check) -> None:
    row = next(line["leaf"] for line in lines if line["type"] == "leaf" and line["kind"] == "transfer") | {"id": 999_999}
    begun = lines[0]
    moment = datetime.fromisoformat(begun["at"])
    fresh = {"type": "unsealed", "kind": "transfer", "id": 999_999, "leaf": row}
    fresh |= {"written": str(int(begun["next_transaction"]) - 1), "minute": begun["at"][:16]}
    changes: dict[str, dict[str, str]] = {
        "": {},
        "row_is_sealed_soon": {"minute": (moment - timedelta(minutes=12)).strftime("%Y-%m-%dT%H:%M")},
        "row_is_sealed": {"written": "1"},
        "row_is_of_a_transaction": {"written": str(2**60)},
        "row_can_be_sealed": {"minute": "infinity"},
    }
    for name, change in changes.items():
        code, told = check([*lines[:-1], fresh | change, lines[-1]])
        assert (code, f"{name}: transfer 999999" in told) == (bool(name), bool(name)), told
    code, told = check([lines[0], fresh | changes["row_is_sealed"], *lines[1:]])
    assert code == 1 and "export_is_in_order" in told, "nor where it is not looked at"


@pytest.mark.parametrize("content", [b"", b"\n", b"\xff\xfe\x00\n", b"7\n", b"[" * 100_000 + b"\n"])
def test_a_file_without_a_head_is_no_anchor(lines: Lines, check: Check, sealed: Sealed, content: bytes) -> None:
    sealed.anchor.write_bytes(content)
    code, told = check(lines)
    assert code == 2 and "no anchor file" in told


def test_heads_later_than_the_export_are_told_and_no_deviation(lines: Lines, check: Check) -> None:
    pay_in(account_of(player("carla")), 5)
    assert seal_make() is not None
    assert anchor_catch_up() == 1
    code, told = check(lines)
    assert code == 0 and "4 anchored heads, of which 1 are later than the export: not checked" in told


def test_seals_that_the_anchor_does_not_reach_are_told(lines: Lines, check: Check, sealed: Sealed) -> None:
    assert "have no anchored head" not in check(lines)[1], "control"
    sealed.anchor.write_text(sealed.anchor.read_text().splitlines(keepends=True)[0])
    code, told = check(lines)
    assert code == 0 and "the newest 2 seals have no anchored head" in told


def test_an_export_of_what_was_cut_off_is_not_older_than_its_heads(
    sealed: Sealed, tamper: Tamper, lines: Lines, check: Check
) -> None:
    cut_off(tamper)
    code, told = check(sealed.export().read_bytes())
    assert code == 1 and "anchored_seal_is_there: seal 2" in told


def test_an_export_that_says_it_is_older_than_a_seal_in_it_is_found(lines: Lines, check: Check) -> None:
    first, *rest = lines
    newest = seals_of(lines)[-1]["at"]
    code, told = check([first | {"at": "2020-01-01T00:00:00.000000Z"}, *rest])
    assert code == 1 and f"export_is_no_older_than_its_seals: export at (seal 3): expected {newest} or later" in told
    assert check([first | {"at": newest}, *rest])[0] == 0, "control"


def test_an_export_waits_for_the_seal_that_is_being_made(sealed: Sealed, owner_connection: Any) -> None:
    """Else it would name a moment after that of a head that it has not seen."""
    before = sealed.export().read_bytes()
    with owner_connection.transaction():
        owner_connection.execute("SELECT pg_advisory_xact_lock(%s)", [SEALING_LOCK])
        impatient()
        with pytest.raises(Busy):
            sealed.export()
    assert (sealed.folder / "export.jsonl").read_bytes() == before
    assert sealed.export().read_bytes() != before


def test_an_export_by_an_author_is_in_the_trail_with_its_hash(sealed: Sealed) -> None:
    auditor, path = user_with(Role.AUDITOR), sealed.folder / "of-author.jsonl"
    call_command("seals_export", output=path, author=auditor.username)
    export = Export.objects.get()
    assert (export.author, export.format, export.status) == (auditor, "seals", "done")
    assert export.sha256 == hashlib.sha256(path.read_bytes()).hexdigest()
    assert AuditRecord.objects.get(action="seals_exported").subject_id == str(export.public_id)
    with pytest.raises(CommandError, match="must be the name of an auditor"):
        call_command("seals_export", output=path, author=user_with(Role.PLAYER).username)


def edited(content: bytes, chance: random.Random) -> bytes:
    """Change bytes, or take away, double, move or cut lines."""
    kind = chance.randrange(7)
    if kind < 3:
        at = chance.randrange(len(content))
        other = bytes([chance.randrange(256)]) if kind == 0 else chance.choice([b"", b"{", b'"', b"\n", b"9", b"null", b"\\u"])
        return content[:at] + other + content[at + chance.randrange(2) :]
    rows = content.splitlines(keepends=True)
    one, other_one = chance.randrange(len(rows)), chance.randrange(len(rows))
    if kind == 3:
        del rows[one]
    elif kind == 4:
        rows.insert(other_one, rows[one])
    elif kind == 5:
        rows[one], rows[other_one] = rows[other_one], rows[one]
    else:
        rows[one] = rows[one][: chance.randrange(len(rows[one]))]
    return b"".join(rows)


def told_of_rows(content: bytes) -> Lines:
    """What the seals of an export are and hold; whether a record tells a step beside is not needed for it."""
    return [line | {"step": None} for line in read_of(content) if line["type"] in ("seal", "leaf")]


def read_of(content: bytes) -> Lines:
    """What lines say, each whole: spaces between its values, a carriage return too, say nothing."""
    return [json.loads(line) for line in content.split(b"\n") if line.strip()]


@pytest.mark.parametrize("seed", range(4))
def test_every_edit_of_an_export_is_found_or_changes_nothing(sealed: Sealed, check: Check, seed: int) -> None:
    whole = sealed.export().read_bytes()
    rows, chance, found = told_of_rows(whole), random.Random(seed), 0
    for _ in range(100):
        content = edited(whole, chance)
        code, told = check(content)
        assert code in (0, 1) and ("verified" in told) == (code == 0), told
        found += code
        assert code or told_of_rows(content) == rows, told
    assert found > 50


@pytest.mark.parametrize("seed", range(4))
def test_every_edit_of_an_anchor_is_found_or_only_takes_from_it(lines: Lines, check: Check, sealed: Sealed, seed: int) -> None:
    whole = sealed.anchor.read_bytes()
    heads = read_of(whole)
    chance, found = random.Random(seed), 0
    for _ in range(100):
        content = edited(whole, chance)
        sealed.anchor.write_bytes(content)
        code, told = check(lines)
        found += code > 0
        complete = content[: content.rfind(b"\n") + 1]
        assert code in (1, 2) or all(head in heads for head in read_of(complete)), told
    assert found > 30
    assert Seal.objects.count() == 3
