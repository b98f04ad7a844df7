"""Sums of days, verdicts on series, findings: on rounds that the services played."""

import json
from collections.abc import Callable, Iterator
from datetime import UTC, datetime, timedelta
from decimal import Decimal
from random import Random
from typing import Any
from uuid import UUID

import psycopg
import pytest
from django.core.management import call_command
from django.db import DatabaseError, connection, transaction
from django.test.utils import CaptureQueriesContext

from audit.models import AuditFinding
from audit.returns.checking import EVERY_LEVEL, LATELY, WHOLE, Series, returns_check, returns_list
from audit.returns.days import Of, days_finish, stored_sums
from audit.returns.models import ReturnsDay
from audit.returns.sums import level_of
from audit.returns.tasks import returns_check as returns_check_task
from casino.db import now as database_now
from casino.errors import Conflict
from casino.permissions import Role
from games.core.cards import DECK_52
from games.core.shuffle import Seed
from games.core.shuffle import commitment as seed_hash_of
from games.engines import current_engine
from games.halls.models import Hall
from games.halls.services import limit_set_publish, pay_table_publish
from games.rounds import cipher
from games.rounds.models import Commitment, Round, RoundRecord
from games.rounds.services import round_void
from games.russian_poker.engine.scoring import Category, evaluate
from tests import playing
from tests.playing import ENGINE, GAME, commit, open_round, play_out, user_with
from tests.table_builders import Game, convention

DAY = timedelta(days=1)
ONCE_SUMMED = 2 * DAY
"""After so long a day is summed whenever it was played: just after midnight the one before waits, and games run ahead."""
SEED = bytes(32)
BOX = {"boxes": [{"box": 1, "ante_minor": 100, "bonus_minor": 10}]}


def rounds_that_hit() -> Iterator[UUID]:
    """Round ids with which the seed of zeros deals three of a kind, and no better, to the one box."""
    for number in range(1, 10_000):
        round_id = UUID(int=number)
        deck = Seed(str(round_id), SEED, ("a seed",)).shuffled(DECK_52, 0)
        if evaluate(deck[:5]).first.category is Category.THREE_OF_A_KIND:
            yield round_id


@pytest.fixture
def hall(db: None) -> Hall:
    return playing.halls()["first"]


def play(hall: Hall, round_id: UUID | None = None, opening: Any = BOX) -> UUID:
    """Play a round to its end with little money moved: fold where possible."""
    user = playing.player(hall)
    if round_id is not None:
        secret = cipher.seal(round_id, "seed", SEED.hex())
        Commitment.objects.create(
            round_id=round_id, user=user, hall=hall, game=GAME, seed_hash=seed_hash_of(SEED), seed_secret=secret
        )
    opened = open_round(user, hall, opening, round_id=round_id or commit(user, hall))
    if round_id is None:
        play_out(user, opened.round_id, Random(1))
    else:
        playing.act(user, opened.round_id, {"type": "fold", "box": 1})
    return opened.round_id


def at(found: list[Series], series: str, level: int, window: str = LATELY) -> Series:
    (one,) = [each for each in found if (each.key.series, each.key.level_minor, each.window) == (series, level, window)]
    return one


def test_hits_upon_hits_are_found_with_their_figures(hall: Hall) -> None:
    """Five Bonuses of 10 in a row hit three of a kind, 260 back each: the chance of that is one in fifty millions."""
    hits = rounds_that_hit()
    for _ in range(5):
        play(hall, next(hits))
    once_summed = database_now() + ONCE_SUMMED
    found = returns_check(now=once_summed)
    series = at(found, "bonus", 10)
    assert (series.sums.plays, series.sums.staked_minor, series.sums.returned_minor) == (5, 50, 1_300)
    assert series.sums.effective_plays == 5
    assert series.verdict.colour == "red"
    folded = at(found, "open", 100)
    assert (folded.sums.staked_minor, folded.sums.returned_minor, folded.verdict.colour) == (500, 0, "green")
    findings = {finding.subject_id: finding for finding in AuditFinding.objects.all()}
    name = f"first/{GAME}/1/{series.pay_table.public_id}/bonus"
    assert findings.keys() == {f"{name}/{level}/{window}" for level in ("10", "all") for window in (LATELY, WHOLE)}
    finding = findings[f"{name}/10/{LATELY}"]
    assert (finding.check_name, finding.severity, finding.subject_type) == ("returns.red", "critical", "returns")
    assert finding.evidence["staked_minor"] == 50
    assert finding.evidence["returned_minor"] == 1_300
    assert finding.evidence.items() >= series.figures.items()
    assert (finding.evidence["rare"]["seen"], finding.evidence["common"]["z"]) == (5, None)
    assert Decimal(finding.evidence["actual"]) > Decimal(finding.evidence["bounds"]["red"]["max"])


def test_a_hall_with_the_longest_code_has_its_alarms(hall: Hall) -> None:
    Hall.objects.filter(pk=hall.pk).update(code="h" * 32)
    hits = rounds_that_hit()
    for _ in range(3):
        play(hall, next(hits))
    returns_check(now=database_now() + ONCE_SUMMED)
    assert AuditFinding.objects.filter(check_name="returns.amber").count() == 4


def test_three_hits_are_a_warning(hall: Hall) -> None:
    hits = rounds_that_hit()
    for _ in range(3):
        play(hall, next(hits))
    returns_check(now=database_now() + ONCE_SUMMED)
    assert {(f.check_name, f.severity) for f in AuditFinding.objects.all()} == {("returns.amber", "warning")}


def test_checking_twice_changes_nothing(hall: Hall) -> None:
    hits = rounds_that_hit()
    for _ in range(3):
        play(hall, next(hits))
    once_summed = database_now() + ONCE_SUMMED
    first = returns_check(now=once_summed)
    rows = list(ReturnsDay.objects.values())
    assert rows
    again = returns_check(now=once_summed)
    returns_check_task()
    assert [each.sums for each in again] == [each.sums for each in first]
    assert list(ReturnsDay.objects.values()) == rows
    assert AuditFinding.objects.count() == 4
    assert set(AuditFinding.objects.values_list("times_seen", flat=True)) == {3}


def test_a_day_is_summed_when_it_is_over_and_every_round_of_it_is_there(hall: Hall) -> None:
    play(hall)
    moment = database_now()
    midnight = datetime(moment.year, moment.month, moment.day, tzinfo=UTC) + DAY
    assert days_finish(now=midnight + timedelta(minutes=59)) == []
    assert returns_list(now=moment) == []
    today = returns_list(now=moment, with_today=True)
    assert {each.key.series for each in today} == {"bonus", "open"}
    assert days_finish(now=midnight + timedelta(minutes=60)) == [moment.date()]
    stored = returns_list(now=midnight)
    assert [(each.key, each.sums.returned_minor) for each in stored] == [(each.key, each.sums.returned_minor) for each in today]
    assert returns_list(now=midnight, with_today=True) == stored


def test_two_days_are_summed_while_somebody_waits_and_no_more(hall: Hall) -> None:
    play(hall)
    moment = database_now()
    assert returns_list(now=moment + DAY, with_today=True)
    with pytest.raises(Conflict) as refused:
        returns_list(now=moment + 2 * DAY, with_today=True)
    assert refused.value.code == "returns_not_summed"
    assert returns_list(now=moment + 2 * DAY) == []
    days_finish(now=moment + 2 * DAY)
    assert returns_list(now=moment + 9 * DAY, with_today=True) == returns_list(now=moment + 9 * DAY)


def test_only_what_is_asked_for_is_read(hall: Hall) -> None:
    """Other halls' and other games' sums and rounds, and the other window's sums, stay in the database."""
    play(hall)
    other = Of(hall_id=UUID(int=1)), Of(game="rapira")
    moment = database_now()
    with CaptureQueriesContext(connection) as asked:
        for of in other:
            assert returns_list(now=moment, of=of, with_today=True) == []
        assert {series.key.game for series in returns_list(now=moment, of=Of(hall.public_id, GAME), with_today=True)} == {GAME}
    assert len([query for query in asked if "document" in query["sql"]]) == 1
    days_finish(now=moment + ONCE_SUMMED)
    assert [list(stored_sums(of=of)) for of in other] == [[], []]
    with CaptureQueriesContext(connection) as asked:
        found = returns_list(now=moment + ONCE_SUMMED, of=Of(hall.public_id, GAME), windows=[WHOLE])
    assert {series.window for series in found} == {WHOLE}
    assert len([query for query in asked if "audit_returnsday" in query["sql"]]) == 1


def test_the_window_is_of_thirty_days_and_the_whole_series_is_not(hall: Hall) -> None:
    play(hall)
    moment = database_now()
    returns_check(now=moment + ONCE_SUMMED)
    lately = {each.window for each in returns_list(now=moment + 30 * DAY)}
    later = {each.window for each in returns_list(now=moment + 31 * DAY)}
    assert (lately, later) == ({LATELY, WHOLE}, {WHOLE})


def test_what_is_summed_is_all_that_settled_rounds_moved(hall: Hall) -> None:
    """Sums over series and levels equal what the seats of the rounds staked and got back; voided and open rounds are left out."""
    for _ in range(5):
        play(hall, opening=playing.FOUR_BOXES)
    voided = open_round(playing.player(hall), hall).round_id
    round_void(actor=user_with(Role.SUPERVISOR), round_id=voided, reason="test")
    open_round(playing.player(hall), hall)
    returns_check(now=database_now() + ONCE_SUMMED)
    seats = [seat for row in Round.objects.filter(status="settled") for seat in row.seats.all()]
    rows = ReturnsDay.objects.all()
    assert sum(row.staked_minor for row in rows) == sum(seat.staked_minor for seat in seats) > 0
    assert sum(row.returned_minor for row in rows) == sum(seat.returned_minor for seat in seats)
    assert {row.series for row in rows} == {"bonus", "blind_1", "blind_2", "open"}
    found = returns_list(now=database_now() + ONCE_SUMMED)
    assert at(found, "bonus", EVERY_LEVEL).sums.plays == 20


def test_a_new_pay_table_is_a_new_series(hall: Hall) -> None:
    play(hall)
    hall.refresh_from_db()
    table = pay_table_publish(
        actor=user_with(Role.ADMIN),
        hall_id=hall.public_id,
        version=hall.version,
        game=GAME,
        data={**ENGINE.default_pay_table, "bonus": {**ENGINE.default_pay_table["bonus"], "royal_flush": 2000}},
        reason="test",
    )
    play(hall)
    found = [
        each for each in returns_check(now=database_now() + ONCE_SUMMED) if each.key.series == "bonus" and each.window == WHOLE
    ]
    by_table = {each.pay_table.pk: each for each in found}
    assert len(by_table) == 2
    assert {each.sums.plays for each in found} == {1}
    theories = {each.verdict.theoretical for each in found}
    assert len(theories) == 2
    assert by_table[table.pk].verdict.theoretical == max(theories, key=lambda theory: theory or 0)


def test_games_among_players_are_summed_without_a_theory_and_their_rake_is_checked(hall: Hall) -> None:
    game = "ukrainian_poker"
    data = {**current_engine(game).default_limits["first"], "rake": {"basis_points": 1_000, "cap_minor": 700}}
    limit_set_publish(
        actor=user_with(Role.ADMIN), hall_id=hall.public_id, version=hall.version, game=game, data=data, reason="test"
    )
    table = Game.opened(hall, 2, game=game, convention=convention(game, ante_minor=100))
    table.play_out(Random(1))
    (one,) = [
        each for each in returns_check(now=database_now() + ONCE_SUMMED) if (each.window, each.key.level_minor) == (WHOLE, 100)
    ]
    assert (one.key.series, one.sums.plays, one.sums.staked_minor, one.sums.returned_minor) == ("pot", 1, 200, 180)
    assert (one.verdict.colour, one.verdict.theoretical) == ("green", None)
    assert not AuditFinding.objects.exists()


def test_a_wrong_rake_is_found(committed_db: str, plant: Callable[[str], None]) -> None:
    """The record of a round says that the rake was to be ten per cent, and none was taken."""
    game = "ukrainian_poker"
    table = Game.opened(playing.halls()["first"], 2, game=game, convention=convention(game, ante_minor=100))
    table.play_out(Random(1))
    none, some = '"rake":{"basis_points":0,', '"rake":{"basis_points":1000,'
    assert none in RoundRecord.objects.get().document
    plant(f"UPDATE rounds_roundrecord SET document = replace(document, '{none}', '{some}')")
    returns_check(now=database_now() + ONCE_SUMMED)
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.subject_type) == ("returns.rake", "critical", "rounds.round")
    assert finding.subject_id == str(Round.objects.get().public_id)
    assert finding.evidence["found"] == "rake of a pot of 200: 0, due 20"


def test_what_a_bet_cannot_give_back_is_a_finding_that_names_it(committed_db: str, plant: Callable[[str], None]) -> None:
    """One Bonus of 10, lost as most are, has 13 back after all: much too little for z, and no pay table says so."""
    play(playing.halls()["first"])
    record = json.loads(RoundRecord.objects.get().document)
    (event,) = [event for step in record["steps"] for event in step["events"] if event["type"] in ("bonus_lost", "bonus_won")]
    event["returned_minor"] = 13
    plant(f"UPDATE rounds_roundrecord SET document = '{json.dumps(record)}'")
    returns_check(now=database_now() + ONCE_SUMMED)
    findings = {finding.subject_id.split("/", 4)[4]: finding for finding in AuditFinding.objects.all()}
    assert findings.keys() == {f"bonus/{level}/{window}" for level in ("10", "all") for window in (LATELY, WHOLE)}
    for finding in findings.values():
        assert (finding.check_name, finding.severity) == ("returns.red", "critical")
        assert finding.evidence["impossible"] == {"plays": 1, "backs": [{"back": "1.3", "plays": 1}]}


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        ("{", "["),
        ('"steps":[', '"stops":['),
        ('"amount_minor":100,', '"amount_minor":"100",'),
        ('"amount_minor":100,', '"amount_minor":100000000000000000000,'),
        ('"amount_minor":100,', '"amount_minor":-100,'),
        ('"amount_minor":100,', '"amount_minor":100,"\\u0000":1,'),
        ('"amount_minor":100,', '"amount_minor":100,"\\ud800":1,'),
    ],
)
def test_a_bad_record_does_not_stop_the_day_of_all_others(
    committed_db: str, plant: Callable[[str], None], right: str, wrong: str
) -> None:
    game = "ukrainian_poker"
    hall = playing.halls()["first"]
    rounds = []
    for _ in range(2):
        table = Game.opened(hall, 2, game=game, convention=convention(game, ante_minor=100))
        table.play_out(Random(1))
        rounds.append(table.row)
    bad, good = rounds
    assert right in RoundRecord.objects.get(pk=bad.pk).document
    plant(f"UPDATE rounds_roundrecord SET document = replace(document, '{right}', '{wrong}') WHERE round_id = {bad.pk}")
    returns_check(now=database_now() + ONCE_SUMMED)
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity, finding.subject_type) == ("returns.record", "critical", "rounds.round")
    assert finding.subject_id == str(bad.public_id)
    (row,) = ReturnsDay.objects.all()
    assert (row.plays, row.staked_minor, row.returned_minor, row.hall_id) == (1, 200, 200, good.hall_id)


def test_the_rest_of_a_round_may_have_got_back_less_than_nothing(committed_db: str, plant: Callable[[str], None]) -> None:
    """A blind box counts as won by the dealer's lack of a game; the game that was bought for it lost after all."""
    play(playing.halls()["first"])
    stored = RoundRecord.objects.get()
    record = json.loads(stored.document)
    events = [
        {"type": "bet_placed", "box": 1, "blind": True},
        {"type": "game_bought", "box": 1},
        {"type": "box_settled", "box": 1, "returned_minor": 0},
    ]
    record["steps"] = [{"events": events}]
    record["result"]["seats"] = [{"staked_minor": 400, "returned_minor": 0}]
    plant(f"UPDATE rounds_roundrecord SET document = '{json.dumps(record)}'")
    returns_check(now=database_now() + ONCE_SUMMED)
    assert not AuditFinding.objects.filter(check_name="returns.record").exists()
    assert {row.series: (row.staked_minor, row.returned_minor) for row in ReturnsDay.objects.all()} == {
        "blind_1": (300, 400),
        "open": (100, -400),
    }


def test_a_drawn_game_by_points_is_summed(committed_db: str, plant: Callable[[str], None]) -> None:
    game = "chinese_poker"
    table = Game.opened(playing.halls()["first"], 2, game=game, convention=convention(game, target=1, point_price_minor=100))
    table.play_out(Random(1))
    stored = RoundRecord.objects.get()
    record = json.loads(stored.document)
    moves = [move for step in record["steps"] for move in step["moves"]]
    held = {move["seat"]: move["amount_minor"] for move in moves if move["kind"] == "hold"}
    for step in record["steps"]:
        step["moves"] = [move for move in step["moves"] if move["kind"] == "hold"]
    record["steps"][-1]["moves"] += [
        {"kind": "release", "seat": seat, "amount_minor": amount, "code": "unplaced"} for seat, amount in held.items()
    ]
    plant(f"UPDATE rounds_roundrecord SET document = '{json.dumps(record)}'")
    returns_check(now=database_now() + ONCE_SUMMED)
    (row,) = ReturnsDay.objects.all()
    assert (row.series, row.plays, row.staked_minor, row.level_minor) == ("pot", 1, 0, level_of(held[0]))
    assert not AuditFinding.objects.exists()


def test_the_command_prints_every_series_and_says_when_one_alarms(hall: Hall, capsys: pytest.CaptureFixture[str]) -> None:
    hits = rounds_that_hit()
    play(hall, next(hits))
    call_command("returns_check", "--today")
    assert "8 series, 0 not green" in capsys.readouterr().out
    for _ in range(5):
        play(hall, next(hits))
    with pytest.raises(SystemExit) as stopped:
        call_command("returns_check", "--today")
    assert stopped.value.code == 1
    assert "red" in capsys.readouterr().out


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("constraint", "change"),
    [
        ("audit_returns_day_counts", "plays = 0"),
        ("audit_returns_day_counts", "level_minor = 0"),
        ("audit_returns_day_counts", "staked_minor = -1"),
        ("audit_returns_day_once", "plays = plays"),
    ],
)
def test_the_database_keeps_one_row_of_a_kind(hall: Hall, constraint: str, change: str) -> None:
    play(hall)
    returns_check(now=database_now() + ONCE_SUMMED)
    changed, value = change.split(" = ")
    columns = [field.column for field in ReturnsDay._meta.concrete_fields if field.column != "id"]
    chosen = ", ".join(value if column == changed else column for column in columns)
    insert = f"INSERT INTO audit_returnsday ({', '.join(columns)}) SELECT {chosen} FROM audit_returnsday LIMIT 1"
    with pytest.raises(DatabaseError, match=constraint), transaction.atomic(), connection.cursor() as cursor:
        cursor.execute(insert)


@pytest.mark.parametrize("change", ["UPDATE {} SET plays = 2", "DELETE FROM {}", "TRUNCATE {}"])
def test_even_their_owner_cannot_change_sums(owner_connection: psycopg.Connection, change: str) -> None:
    play(playing.halls()["first"])
    returns_check(now=database_now() + ONCE_SUMMED)
    with pytest.raises(psycopg.errors.RestrictViolation, match="audit_returnsday is append-only"):
        owner_connection.execute(change.format("audit_returnsday"))
