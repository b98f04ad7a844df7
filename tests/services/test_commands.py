"""Arguments of commands that make no sense: each is told by its name, in words."""

from pathlib import Path
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command

from audit.history import exporting
from casino.permissions import Role
from casino.users.models import User
from tests.playing import user_with


@pytest.fixture
def author(db: None) -> User:
    return user_with(Role.AUDITOR)


@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("report", "rake", "--day", "foo"), "argument --day: 'foo' is no day, such as 2026-03-29"),
        (("report", "rake", "--from", "2026-02-30", "--to", "2026-03-01"), "argument --from: '2026-02-30' is no day"),
        (("report", "rake", "--year", "x"), "argument --year: 'x' is no whole number of at least 0"),
        (("report", "liability", "--at", "yesterday"), "argument --at: 'yesterday' is no instant with its offset from UTC"),
        (("round_replay", "foo"), "argument round_id: 'foo' is no id"),
        (("round_export", "foo"), "argument round_id: 'foo' is no id"),
        (("audit_run", "--processes", "0"), "argument --processes: '0' is no whole number of at least 1"),
        (("fairness_run", "--since", "foo"), "argument --since: 'foo' is no day"),
        (("fairness_run", "--show", "foo"), "argument --show: 'foo' is no id"),
        (("fairness_run", "--level", "2"), "argument --level: '2' is no chance between 0 and 1"),
        (("fairness_run", "--decks", "٣"), "argument --decks: '٣' is no whole number of at least 1"),
        (("fairness_bits", "--bytes", "-1"), "argument --bytes: '-1' is no whole number of at least 1"),
    ],
)
def test_an_argument_that_is_none_of_its_kind_is_told_by_its_name(arguments: tuple[str, ...], told: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments)
    assert told in str(refused.value)


@pytest.mark.parametrize(
    ("asked", "told"),
    [
        (("--closed-from", "yesterday"), "--closed-from: Datetime has wrong format"),
        (("--net-from-minor", "much"), "--net-from-minor: A valid integer is required."),
        (("--player-id", "me", "--game", "x" * 500), "--player-id: "),
        (("--output", "/nowhere/at/all"), "--output: "),
    ],
)
def test_the_filters_of_an_export_are_told_as_its_options(author: User, asked: tuple[str, ...], told: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command("rounds_export", "--author", author.username, "--format", "csv", *asked)
    assert str(refused.value).startswith(told)
    assert "ErrorDetail" not in str(refused.value)


@pytest.mark.parametrize("command", [("rounds_export", "--format", "csv"), ("seals_export",)])
def test_an_export_that_is_refused_leaves_the_file_that_is_there(
    author: User, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, command: tuple[str, ...]
) -> None:
    monkeypatch.setattr(exporting, "MOST_RUNNING", 0)
    kept = tmp_path / "kept"
    kept.write_text("the last one")
    with pytest.raises(CommandError, match="too_many_exports"):
        call_command(*command, "--author", author.username, "--output", str(kept))
    assert kept.read_text() == "the last one"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("arguments", "told"),
    [
        (("report", "rake", "--month", "2026-13"), "--month: A month is written as 2026-03."),
        (("report", "rake", "--from", "2026-03-01"), "--to: Give both days."),
        (("report", "rake", "--hall", "nowhere"), "--hall: there is no hall nowhere"),
        (("report", "rake", "--day", "2026-03-29", "--year", "2026"), "--day: Ask for one interval."),
        (("round_replay", str(uuid4())), "not_found: There is no such thing."),
        (("halls_create", "--author", "nobody"), "--author: there is no active user nobody"),
        (("seals_export", "--output", "/nowhere/at/all"), "--output: [Errno 2] No such file or directory: '/nowhere/at/all'"),
    ],
)
def test_what_a_service_refuses_is_told_by_the_option(arguments: tuple[str, ...], told: str) -> None:
    with pytest.raises(CommandError) as refused:
        call_command(*arguments)
    assert str(refused.value) == told


def test_an_instant_is_written_as_in_the_api(db: None, capsys: pytest.CaptureFixture[str]) -> None:
    for at in ("2026-03-29T21:00:00Z", "2026-03-29T23:00:00+02:00"):
        call_command("report", "liability", "--at", at)
        assert '"2026-03-29T21:00:00' in capsys.readouterr().out
