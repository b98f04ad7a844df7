"""The history's filters find what a look at every single round finds."""

import random
from collections.abc import Callable
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any
from uuid import uuid4

import pytest

from audit.findings import Severity, finding_raise
from audit.models import AuditFinding
from casino.errors import Forbidden
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.documents import figures_document
from games.rounds.models import Round, RoundSeat, RoundStep
from games.rounds.selectors import round_list
from games.rounds.services import round_void
from tests import playing
from tests.table_builders import Game, convention, publish_limits
from wallets.models import Transfer

AT_TABLES = "chinese_poker"
ANTE = {"boxes": [{"box": 1, "ante_minor": 100}]}


@dataclass(frozen=True)
class World:
    """Rounds of every kind: against the house and at tables, won, lost, voided, open, with time-outs, with findings."""

    auditor: User
    players: list[User]
    halls: dict[str, Hall]
    found: dict[str, Round]


@pytest.fixture
def world(halls: dict[str, Hall]) -> World:
    chance = random.Random(7)
    players = [playing.player(halls["first"]), playing.player(halls["second"], 1_000_000)]
    for number in range(6):
        for player, hall in zip(players, (halls["first"], halls["second"]), strict=True):
            opened = playing.open_round(player, hall, ANTE, now=datetime(2050, 1, 1 + number, tzinfo=UTC))
            if number == 4:
                round_void(actor=playing.user_with(Role.SUPERVISOR), round_id=opened.round_id, reason="test")
            elif number < 5:
                play_out(player, opened.round_id, chance)
    publish_limits(halls["first"], AT_TABLES, rake={"basis_points": 1000, "cap_minor": None})
    for is_late in (lambda seat: seat == 1, lambda seat: False):
        players.append(loser_at_table(halls["first"], chance, is_late))
    auditor = playing.user_with(Role.AUDITOR)
    unfinished = Game.opened(halls["first"], 2)
    unfinished.time_out(unfinished.to_act()[0])
    settled = list(Round.objects.filter(status="settled").order_by("pk"))
    found = {"open": settled[0], "resolved": settled[1]}
    finding_raise(check="a_check", severity=Severity.WARNING, subject=found["open"], evidence={})
    about = {"round_id": str(found["resolved"].public_id)}
    finding_raise(check="a_check", severity=Severity.WARNING, subject=("wallets.transfer", 1), evidence=about)
    finding_raise(check="a_check", severity=Severity.WARNING, subject=("wallets.transfer", 2), evidence={"round_id": "none"})
    finding_raise(check="a_check", severity=Severity.WARNING, subject=auditor, evidence={"round_id": str(uuid4())})
    of_resolved = AuditFinding.objects.filter(subject_id="1")
    of_resolved.update(status="resolved", owner=auditor, resolution="nothing", resolved_at=datetime.now(UTC))
    return World(auditor, players, halls, found)


def loser_at_table(hall: Hall, chance: random.Random, is_late: Callable[[int], bool]) -> User:
    """Play at tables until one of two players has lost, and hand that one back."""
    while True:
        table = Game.opened(hall, 2, game=AT_TABLES, convention=convention(AT_TABLES, target=5, point_price_minor=100))
        table.play_out(chance, is_late=is_late)
        for seat in table.seats:
            if net(seat) < 0:
                return seat.user


def play_out(player: User, round_id: Any, chance: random.Random) -> None:
    """Act by chance until the round is over, each time as early as can be."""
    at = Round.objects.get(commitment_id=round_id).opened_at
    while specs := playing.legal(player, round_id):
        at += timedelta(seconds=1)
        playing.act(player, round_id, playing.choose(specs, chance), now=at)


def net(seat: RoundSeat) -> int:
    return seat.returned_minor - seat.staked_minor


def some_seat(row: Round, fits: Callable[[RoundSeat], bool], player: User | None = None) -> bool:
    return row.status != "open" and any(fits(seat) for seat in row.seats.all() if player in (None, seat.user))


def has_time_out(row: Round) -> bool:
    return RoundStep.objects.filter(round=row, origin="timeout").exists()


Cases = dict[str, tuple[dict[str, Any], Callable[[Round], bool]]]
"""Filters, and what fits each, by a look at one round."""


def cases_of_rounds(world: World) -> Cases:
    """What is asked of rounds themselves."""
    hall, player = world.halls["second"], world.players[2]
    day = datetime(2050, 1, 2, tzinfo=UTC)
    return {
        "all": ({}, lambda row: True),
        "hall": ({"hall_id": hall.public_id}, lambda row: row.hall == hall),
        "no hall": ({"hall_id": uuid4()}, lambda row: False),
        "player": ({"player_id": player.public_id}, lambda row: row.seats.filter(user=player).exists()),
        "game": ({"game": AT_TABLES}, lambda row: row.game == AT_TABLES),
        "opened": (
            {"opened_from": day, "opened_to": day + timedelta(days=2)},
            lambda row: day <= row.opened_at < day + timedelta(days=2),
        ),
        "closed": (
            {"closed_from": day, "closed_to": day + timedelta(days=2)},
            lambda row: row.closed_at is not None and day <= row.closed_at < day + timedelta(days=2),
        ),
        "automatic": ({"automatic_moves": True}, lambda row: row.status != "open" and has_time_out(row)),
        "not automatic": ({"automatic_moves": False}, lambda row: row.status != "open" and not has_time_out(row)),
        "any finding": ({"finding": "any"}, lambda row: row in world.found.values()),
        "unresolved finding": ({"finding": "unresolved"}, lambda row: row == world.found["open"]),
    }


def cases_of_seats(world: World) -> Cases:
    """What is asked of seats: the result and the amounts."""
    hall, player = world.halls["second"], world.players[2]
    day = datetime(2050, 1, 2, tzinfo=UTC)
    return {
        "open": ({"result": "open"}, lambda row: row.status == "open"),
        "voided": ({"result": "voided"}, lambda row: row.status == "voided"),
        "won": ({"result": "won"}, lambda row: row.status == "settled" and some_seat(row, lambda seat: net(seat) > 0)),
        "lost": ({"result": "lost"}, lambda row: row.status == "settled" and some_seat(row, lambda seat: net(seat) < 0)),
        "even": ({"result": "even"}, lambda row: row.status == "settled" and some_seat(row, lambda seat: net(seat) == 0)),
        "lost by the player": (
            {"result": "lost", "player_id": player.public_id},
            lambda row: row.status == "settled" and some_seat(row, lambda seat: net(seat) < 0, player),
        ),
        "staked": (
            {"staked_from_minor": 100, "staked_to_minor": 300},
            lambda row: some_seat(row, lambda seat: 100 <= seat.staked_minor <= 300),
        ),
        "returned": ({"returned_from_minor": 1}, lambda row: some_seat(row, lambda seat: seat.returned_minor >= 1)),
        "returned nothing": ({"returned_to_minor": 0}, lambda row: some_seat(row, lambda seat: seat.returned_minor == 0)),
        "net": ({"net_to_minor": -100}, lambda row: some_seat(row, lambda seat: net(seat) <= -100)),
        "net of one seat": (
            {"net_from_minor": 1, "returned_to_minor": 0},
            lambda row: False,
        ),
        "several": (
            {"hall_id": hall.public_id, "staked_from_minor": 100, "opened_to": day + timedelta(days=2), "automatic_moves": False},
            lambda row: (
                row.hall == hall
                and row.opened_at < day + timedelta(days=2)
                and some_seat(row, lambda seat: seat.staked_minor >= 100)
            ),
        ),
    }


NONE_FIT = {"no hall", "net of one seat", "even"}
"""A round may end even, by chance; voided ones, in which nobody wins or loses, never count as such."""


def test_every_filter_finds_what_fits_and_nothing_else_once_and_newest_first(world: World) -> None:
    rows = list(Round.objects.order_by("-pk"))
    assert len(rows) >= 15
    for name, (asked, fits) in (cases_of_rounds(world) | cases_of_seats(world)).items():
        expected = [row for row in rows if fits(row)]
        assert list(round_list(user=world.auditor, **asked)) == expected, name
        assert name in NONE_FIT or 0 < len(expected) < len(rows) or name == "all", f"{name} tells nothing apart"


def test_a_player_asks_of_own_rounds_and_of_the_own_seat(world: World) -> None:
    player = world.players[2]
    opponent = RoundSeat.objects.filter(round__seats__user=player).exclude(user=player).first()
    assert opponent is not None
    own = RoundSeat.objects.get(user=player)
    assert list(round_list(user=player)) == list(round_list(user=player, player_id=opponent.user.public_id)) == [own.round]
    assert net(own) < 0 < net(opponent)
    for asked in ({}, {"player_id": opponent.user.public_id}):
        assert list(round_list(user=player, result="lost", **asked)) == [own.round]
        assert list(round_list(user=player, result="won", **asked)) == []
    with pytest.raises(Forbidden):
        round_list(user=player, finding="any")


def test_the_figures_beside_a_round_are_those_of_its_rows(world: World) -> None:
    for row in round_list(user=world.auditor):
        seats, figures = list(row.seats.all()), figures_document(row)
        steps = RoundStep.objects.filter(round=row)
        rake = sum(
            transfer.amount_minor
            for transfer in Transfer.objects.filter(step_id__in=steps.values("pk"))
            if transfer.credit_account.kind == "rake"
        )
        assert figures == {
            "staked_minor": sum(seat.staked_minor for seat in seats),
            "returned_minor": sum(seat.returned_minor for seat in seats),
            "net_minor": None if row.status == "open" else sum(net(seat) for seat in seats),
            "rake_minor": rake,
            "automatic_moves": None if row.status == "open" else steps.filter(origin="timeout").count(),
            "findings": int(row in world.found.values()),
            "findings_unresolved": int(row == world.found["open"]),
        }
    assert any(figures_document(row)["rake_minor"] for row in round_list(user=world.auditor))
    assert any(figures_document(row)["automatic_moves"] for row in round_list(user=world.auditor))


def test_findings_are_asked_for_as_they_were(world: World) -> None:
    from games.rounds.history import HistoryFilter, rounds_fitting

    before = datetime(2024, 1, 1, tzinfo=UTC)
    for finding in ("any", "unresolved"):
        asked = HistoryFilter(finding=finding)
        assert not rounds_fitting(asked, user=world.auditor, at=before).exists()
    resolved_at = AuditFinding.objects.get(status="resolved").resolved_at
    assert resolved_at is not None
    then = rounds_fitting(HistoryFilter(finding="unresolved"), user=world.auditor, at=resolved_at - timedelta(microseconds=1))
    assert set(then) == set(world.found.values())
