"""Every report against figures that were computed by hand from what happened (conftest.py)."""

from datetime import date
from typing import Any

import pytest

from audit.findings import Severity, finding_raise
from audit.models import AuditRecord
from audit.reports.frame import NO_ACTIVITY
from audit.reports.intervals import period_parse
from audit.reports.registry import REPORTS
from casino.errors import InvalidInput, NotFound, Refused
from casino.permissions import Role
from games.halls.services import hall_close, hall_open, limit_set_withdraw
from games.outages.models import Outage, Part
from tests.hall_builders import limits
from tests.playing import user_with
from tests.report_builders import (
    HOUR,
    agreeing,
    hall_of,
    open_round,
    pay_in,
    pay_out,
    player_with,
    publish_limits,
    report,
    utc,
    zone_changed,
)
from tests.services.audit.reports.conftest import DAY, World


def row_of(document: dict[str, Any], **named: Any) -> dict[str, Any]:
    (row,) = [row for row in document["rows"] if named.items() <= row.items()]
    return row


def test_game_performance(world: World) -> None:
    """Closed in the day: Anna's fold (100 lost), Dora's bet (300, 500 back), the void; the pot of 800 with a rake of 20."""
    document = report("game_performance", world.kyiv, DAY)
    russian = row_of(document, game="russian_poker")
    assert {name: russian[name] for name in russian if not name.endswith("_id")} == {
        "hall": "kyiv",
        "game": "russian_poker",
        "type": "house",
        "rules_version": 1,
        "pay_table_version": 1,
        "limit_set_version": 1,
        "available_since": "2026-01-01T00:00:00.000000Z",
        "status": "in_force",
        "retired_at": None,
        "currency": "EUR",
        "rounds_played": 2,
        "wagers_minor": 400,
        "wins_minor": 500,
        "rake_minor": 0,
        "house_win_minor": -100,
        "theoretical_rtp_percent": "blind 89.9931, bonus 96.9506",
        "actual_rtp_percent": "125.0000",
        "rounds_voided": 1,
        "voided_wagers_minor": 300,
        "voided_returned_minor": 300,
        "rounds_open": 1,
        "funds_open_minor": 300,
    }
    ukrainian = row_of(document, game="ukrainian_poker")
    assert (ukrainian["type"], ukrainian["rounds_played"], ukrainian["actual_rtp_percent"]) == ("players", 1, None)
    assert [ukrainian[name] for name in ("wagers_minor", "wins_minor", "rake_minor", "house_win_minor")] == [800, 780, 20, 0]
    assert document["totals"] == [
        {
            "currency": "EUR",
            "rounds_played": 3,
            "wagers_minor": 1_200,
            "wins_minor": 1_280,
            "rake_minor": 20,
            "house_win_minor": -100,
            "rounds_voided": 1,
            "voided_wagers_minor": 300,
            "voided_returned_minor": 300,
            "rounds_open": 1,
            "funds_open_minor": 300,
        }
    ]
    assert document["checks"] == [
        {"check": "house_and_rake_accounts", "currency": "EUR", "expected": -80, "found": -80, "agrees": True}
    ]


def test_a_round_counts_in_the_day_in_which_it_closed(world: World) -> None:
    played = {day: report("game_performance", world.kyiv, day)["totals"][0] for day in ("2026-03-28", "2026-03-29", "2026-03-30")}
    assert [(day["rounds_played"], day["wagers_minor"], day["rounds_open"]) for day in played.values()] == [
        (0, 0, 1),
        (3, 1_200, 1),
        (1, 100, 0),
    ]


def test_liability(world: World) -> None:
    """Anna 10,100, Dora 1,200, Boris and Clara together 9,980 after the rake; and Anna's open stake of 300."""
    document = report("liability", at=utc("03-29 21:00"))
    assert document["rows"] == [
        {
            "currency": "EUR",
            "accounts": 4,
            "available_minor": 21_280,
            "held_minor": 300,
            "liability_minor": 21_580,
            "house_minor": -100,
            "rake_minor": 20,
            "cage_minor": -21_500,
        }
    ]
    assert agreeing(document)
    assert document["header"]["interval"]["kind"] == "instant"
    earlier = {at: report("liability", at=utc(at))["rows"] for at in ("03-28 12:00", "03-28 12:01", "03-28 22:00")}
    assert earlier["03-28 12:00"] == []
    assert [earlier["03-28 12:01"][0][name] for name in ("available_minor", "held_minor")] == [10_000, 0]
    assert [earlier["03-28 22:00"][0][name] for name in ("available_minor", "held_minor")] == [9_700, 300]


def test_account_summary(world: World) -> None:
    document = report("account_summary", world.kyiv, DAY)
    anna = row_of(document, player_id=str(world.anna.public_id))
    assert {name: value for name, value in anna.items() if name.endswith("_minor")} == {
        "opening_balance_minor": 9_700,
        "deposits_minor": 1_700,
        "withdrawals_minor": 500,
        "adjustments_minor": -700,
        "to_games_minor": 600,
        "from_games_minor": 500,
        "closing_balance_minor": 10_100,
        "funds_on_game_at_start_minor": 300,
        "funds_on_game_at_end_minor": 300,
        "win_loss_minor": -100,
    }
    two = [row_of(document, player_id=str(player.public_id)) for player in (world.boris, world.clara)]
    assert [row["to_games_minor"] for row in two] == [400, 400]
    assert sum(row["from_games_minor"] for row in two) == 780
    assert [row["opening_balance_minor"] for row in two] == [0, 0]
    assert [row["deposits_minor"] for row in two] == [5_000, 5_000]
    assert {check["check"]: (check["expected"], check["found"]) for check in document["checks"]} == {
        "accounts_that_do_not_add_up": (0, 0),
        "liability_at_the_end": (21_580, 21_580),
        "cage_accounts": (11_500, 11_500),
        "house_and_rake_accounts": (-80, -80),
    }
    assert document["header"]["filters"]["currency"] == "EUR"


def test_what_is_on_game_at_the_end_of_a_day_is_so_at_the_start_of_the_next(world: World) -> None:
    next_day = row_of(report("account_summary", world.kyiv, "2026-03-30"), player_id=str(world.anna.public_id))
    assert {name: value for name, value in next_day.items() if name.endswith("_minor") and value} == {
        "opening_balance_minor": 10_100,
        "from_games_minor": 200,
        "closing_balance_minor": 10_300,
        "funds_on_game_at_start_minor": 300,
        "win_loss_minor": -100,
    }


def test_the_clock_is_the_halls_and_the_money_is_the_currencys(world: World) -> None:
    """Vienna's day begins an hour later: what Anna paid in at 22:00 UTC, in Kyiv, lies in Vienna's day before."""
    before = row_of(report("account_summary", world.vienna, "2026-03-28"), player_id=str(world.anna.public_id))
    assert (before["deposits_minor"], before["closing_balance_minor"]) == (11_000, 10_900)


def test_rake(world: World) -> None:
    document = report("rake", world.kyiv, DAY)
    (row,) = document["rows"]
    assert {name: row[name] for name in row if name != "hall_id"} == {
        "hall": "kyiv",
        "game": "ukrainian_poker",
        "stake_kind": "ante",
        "stake_minor": 400,
        "rake_basis_points": 250,
        "rake_cap_minor": 300,
        "currency": "EUR",
        "rounds": 1,
        "pots_minor": 800,
        "rake_minor": 20,
        "rake_over_rule_minor": 0,
    }
    assert agreeing(document)


def test_terms_changes(world: World) -> None:
    raised = limits(min_minor=20)
    row = publish_limits(world.kyiv, "russian_poker", raised, now=utc("03-29 11:00"), effective_at=utc("03-29 18:00"))
    document = report("terms_changes", world.kyiv, DAY)
    (change,) = document["rows"]
    assert change["changed"] == [{"path": "stakes.ante.min_minor", "before": 10, "after": 20}]
    assert (change["before"]["stakes"]["ante"]["min_minor"], change["after"]) == (10, raised)
    assert {
        name: change[name] for name in ("at", "hall", "game", "kind", "id", "version", "change", "effective_at", "reason")
    } == {
        "at": "2026-03-29T11:00:00.000000Z",
        "hall": "kyiv",
        "game": "russian_poker",
        "kind": "limit_set",
        "id": str(row.public_id),
        "version": 2,
        "change": "published",
        "effective_at": "2026-03-29T18:00:00.000000Z",
        "reason": "test",
    }
    assert change["performed_by"] == row.author.username
    assert agreeing(document)


def test_terms_that_never_took_effect_say_when_and_by_whom_they_were_withdrawn(world: World) -> None:
    hall, later = world.kyiv, utc("04-02 18:00")
    first = publish_limits(hall, "russian_poker", limits(min_minor=20), now=utc("03-29 11:00"), effective_at=later)
    taken_back = limit_set_withdraw(
        actor=(admin := user_with(Role.ADMIN)),
        hall_id=hall.public_id,
        game="russian_poker",
        limit_set_id=first.public_id,
        version=hall.version,
        reason="a slip",
        now=utc("03-31 12:00"),
    )
    hall.refresh_from_db()
    second = publish_limits(hall, "russian_poker", limits(min_minor=30), now=utc("04-01 11:00"), effective_at=later)
    told = ("version", "change", "withdrawn_at", "withdrawn_by", "withdraws_id", "withdraws_version")

    def rows(*, first_day: str, last_day: str) -> list[tuple[Any, ...]]:
        days = {"first_day": date.fromisoformat(first_day), "last_day": date.fromisoformat(last_day)}
        document = report("terms_changes", hall, period=period_parse(**days))
        assert agreeing(document)
        return [tuple(row[name] for name in told) for row in document["rows"]]

    withdrawal = (taken_back.version, "withdrawn", None, None, str(first.public_id), first.version)
    assert rows(first_day="2026-03-29", last_day="2026-03-30") == [(2, "published", None, None, None, None)]
    assert rows(first_day="2026-03-31", last_day="2026-03-31") == [withdrawal]
    assert rows(first_day="2026-03-29", last_day="2026-04-02") == [
        (2, "published", "2026-03-31T12:00:00.000000Z", admin.username, None, None),
        withdrawal,
        (second.version, "published", None, None, None, None),
    ]
    (row,) = report("terms_changes", hall, "2026-03-31")["rows"]
    assert (row["id"], row["performed_by"], row["reason"]) == (str(taken_back.public_id), admin.username, "a slip")
    assert (row["before"], row["after"], row["changed"]) == (first.data, None, [])


def test_new_terms_are_a_row_of_their_own_from_their_time_on(world: World) -> None:
    publish_limits(world.kyiv, "russian_poker", limits(min_minor=20), now=utc("03-29 11:00"), effective_at=utc("03-29 18:00"))
    open_round(world.dora, world.kyiv, utc("03-29 19:00"))
    rows = [row for row in report("game_performance", world.kyiv, DAY)["rows"] if row["game"] == "russian_poker"]
    assert [(row["limit_set_version"], row["status"], row["available_since"], row["retired_at"]) for row in rows] == [
        (1, "retired", "2026-01-01T00:00:00.000000Z", "2026-03-29T18:00:00.000000Z"),
        (2, "in_force", "2026-03-29T18:00:00.000000Z", None),
    ]
    assert [(row["rounds_played"], row["rounds_open"]) for row in rows] == [(2, 1), (0, 1)]
    (before,) = [row for row in report("game_performance", world.kyiv, "2026-03-28")["rows"] if row["game"] == "russian_poker"]
    assert (before["limit_set_version"], before["status"], before["retired_at"]) == (1, "in_force", None)


def test_what_a_closed_hall_offers_is_not_in_force(world: World) -> None:
    admin = user_with(Role.ADMIN)
    closed = hall_close(actor=admin, hall_id=world.kyiv.public_id, version=world.kyiv.version, reason="test")
    assert {row["status"] for row in report("game_performance", world.kyiv)["rows"]} == {"hall_closed"}
    assert {row["status"] for row in report("game_performance", world.kyiv, DAY)["rows"]} == {"in_force"}
    hall_open(actor=admin, hall_id=world.kyiv.public_id, version=closed.version, reason="test")
    assert {row["status"] for row in report("game_performance", world.kyiv)["rows"]} == {"in_force"}


def test_an_event_with_two_records_is_none_with_its_record(world: World) -> None:
    """Else a second record of one would make up for the missing record of another."""
    of_round = {"action": "round_voided", "subject_type": "rounds.round", "subject_id": str(world.voided)}
    AuditRecord.objects.create(actor_name="system", **of_round)
    (check,) = report("significant_events", world.kyiv, DAY)["checks"]
    assert (check["expected"], check["found"], check["agrees"]) == (1, 0, False)


def test_significant_events_are_the_records_one_by_one(world: World) -> None:
    """The trail's times are the database's own: the events are those of all time."""
    Outage.objects.create(part=Part.WEB, began_at=utc("03-29 01:00"), ended_at=utc("03-29 01:05"), lost=HOUR, deadlines_moved=0)
    outage = Outage.objects.get()
    AuditRecord.objects.create(
        actor_name="system",
        action="outage_ended",
        subject_type="outages.outage",
        subject_id=str(outage.pk),
        after={"part": "web"},
    )
    finding = finding_raise(check="sums", severity=Severity.WARNING, subject=("wallets.transfer", 7), evidence={"found": 6})
    document = report("significant_events")
    records = {str(each): None for each in AuditRecord.objects.order_by("pk").values_list("public_id", flat=True)}
    assert [row["id"] for row in document["rows"]] == [*records, str(finding.public_id)]
    assert [row["at"] for row in document["rows"]] == sorted(row["at"] for row in document["rows"])
    voided = row_of(document, event="round_voided")
    assert (voided["component"], voided["subject_id"], voided["hall"]) == ("rounds", str(world.voided), "kyiv")
    assert (voided["reason"], voided["before"]["status"], voided["after"]["status"]) == ("the screen broke", "open", "voided")
    assert voided["performed_by"] and voided["performed_by_id"] and voided["authorised_by"] is None
    assert row_of(document, event="outage_ended")["component"] == "web"
    assert [(check["found"], check["agrees"]) for check in document["checks"]] == [(2, True)]
    found = row_of(document, source="finding")
    assert (found["severity"], found["event"], found["after"], found["performed_by"]) == (
        "warning",
        "sums",
        {"found": 6},
        "system",
    )
    assert document["checks"] == [
        {"check": "records_of_outages_and_voided_rounds", "currency": None, "expected": 2, "found": 2, "agrees": True}
    ]
    of_vienna = report("significant_events", world.vienna)["rows"]
    assert {row["hall"] for row in of_vienna} == {"vienna"}


def test_large_wagers_and_wins_are_significant(world: World, settings: Any) -> None:
    """Dora staked 300 and won 200 beyond it."""
    settings.LARGE_WAGERS, settings.LARGE_WINS = {"EUR": 300, "UAH": 1}, {"EUR": 200}
    document = report("significant_events", world.kyiv, DAY)
    large = [row for row in document["rows"] if row["source"] == "round"]
    assert [(row["event"], row["performed_by"]) for row in large if row["performed_by"] == world.dora.username] == [
        ("large_wager", world.dora.username),
        ("large_win", world.dora.username),
    ]
    win = row_of(document, event="large_win", performed_by_id=str(world.dora.public_id))
    assert (win["at"], win["component"], win["subject_type"], win["subject_id"]) == (
        "2026-03-29T09:01:00.000000Z", "rounds", "rounds.round", win["id"]
    )  # fmt: skip
    assert win["after"] == {"currency": "EUR", "seat": 0, "staked_minor": 300, "returned_minor": 500, "large_from_minor": 200}
    assert document["header"]["filters"] | {"hall_id": None} == {
        "hall_id": None, "large_wagers": {"EUR": 300, "UAH": 1}, "large_wins": {"EUR": 200}
    }  # fmt: skip
    assert [row for row in report("significant_events", world.kyiv, "2026-03-30")["rows"] if row["source"] == "round"] == []


def test_an_amount_below_the_bound_or_of_another_currency_and_a_void_are_not(world: World, settings: Any) -> None:
    settings.LARGE_WAGERS, settings.LARGE_WINS = {"UAH": 1}, {"EUR": 201}
    rows = [row for row in report("significant_events", world.kyiv, DAY)["rows"] if row["source"] == "round"]
    assert not [row for row in rows if row["performed_by"] == world.dora.username]
    settings.LARGE_WAGERS = {"EUR": 1}
    assert str(world.voided) not in {row["id"] for row in report("significant_events")["rows"] if row["source"] == "round"}


@pytest.mark.parametrize("name", REPORTS)
@pytest.mark.parametrize("of", ["2025-06-01", "2025-06", "2025", ""])
def test_without_activity_a_report_says_so(db: None, name: str, of: str) -> None:
    hall = None if name in ("terms_changes", "significant_events") and not of else hall_of("quiet")
    document = report(name, None if REPORTS[name].by_hall == "never" else hall, of)
    header = document["header"]
    assert header["activity"] == NO_ACTIVITY
    assert (header["operator"], header["title"]) == ("Casino", REPORTS[name].title)
    assert (header["page"], header["pages"], header["definition_version"]) == (1, 1, REPORTS[name].version)
    assert all(check["agrees"] for check in document["checks"])
    assert header["is_final"] == header["interval"]["is_over"] == bool(of)


def test_the_head_tells_of_the_interval_and_its_zones(world: World) -> None:
    zone_changed(world.kyiv, "Europe/London", utc("03-29 10:00"))
    assert report("rake", world.kyiv, DAY)["header"]["interval"] == {
        "kind": "day",
        "first_day": "2026-03-29",
        "last_day": "2026-03-29",
        "day_starts_at_hour": 0,
        "time_zones": [
            {"time_zone": "Europe/Kyiv", "since": None},
            {"time_zone": "Europe/London", "since": "2026-03-29T10:00:00.000000Z"},
        ],
        "starts_at": "2026-03-28T22:00:00.000000Z",
        "ends_at": "2026-03-29T23:00:00.000000Z",
        "is_over": True,
    }


def test_an_interval_that_goes_on_ends_now(world: World) -> None:
    document = report("game_performance", world.kyiv, "2026-03", now=utc("03-29 12:30"))
    assert document["header"]["interval"]["ends_at"] == document["header"]["generated_at"] == "2026-03-29T12:30:00.000000Z"
    assert not document["header"]["is_final"]
    assert document["totals"][0]["rounds_played"] == 3


def test_what_makes_no_sense_is_refused(world: World) -> None:
    refusals = [
        (NotFound, {"name": "profits"}),
        (InvalidInput, {"name": "account_summary"}),
        (InvalidInput, {"name": "liability", "hall": world.kyiv}),
        (InvalidInput, {"name": "rake", "at": utc("03-29 12:00")}),
        (InvalidInput, {"name": "liability", "at": utc("03-29 12:00"), "now": utc("03-28 12:00")}),
        (InvalidInput, {"name": "rake", "of": DAY, "now": utc("03-28 12:00")}),
        (Refused, {"name": "account_summary", "hall": world.kyiv, "rows_max": 2}),
    ]
    for error, arguments in refusals:
        with pytest.raises(error):
            report(**arguments)


def test_a_balance_that_only_stands_there_is_no_activity(db: None) -> None:
    hall = hall_of("still", currency="JPY", time_zone="Australia/Lord_Howe")
    player = player_with(hall, 500, utc("03-01 12:00"))
    still = report("account_summary", hall, "2026-03-10")
    assert (still["header"]["activity"], [row["opening_balance_minor"] for row in still["rows"]]) == (NO_ACTIVITY, [500])
    pay_out(player, hall, 500, utc("03-10 02:00"))
    pay_in(player, hall, 500, utc("03-10 03:00"))
    moved = report("account_summary", hall, "2026-03-10")
    assert (moved["header"]["activity"], moved["totals"][0]["closing_balance_minor"]) == (None, 500)
