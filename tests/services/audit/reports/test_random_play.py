"""Reports against the ledger after play by chance: all four games, two currencies, three time zones, days of 23 and 25 hours.

What a report must say is recounted here in plain Python from every transfer, by what each transfer's code says.
"""

import random
from collections import Counter, defaultdict
from collections.abc import Iterator
from datetime import date, datetime, timedelta
from itertools import pairwise
from typing import Any

from audit.reports.intervals import gaming_days
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round
from games.rounds.services import round_void
from tests.playing import user_with
from tests.report_builders import (
    agreeing,
    hall_of,
    open_round,
    pay_in,
    pay_out,
    play_out,
    player_with,
    report,
    table_of,
    utc,
    zone_changed,
)
from tests.table_builders import SEVERAL
from wallets.models import Transfer
from wallets.services import deposit_reverse

SPRING = [date(2026, 3, day) for day in (28, 29, 30)]
AUTUMN = [date(2026, 10, day) for day in (24, 25, 26)]
SHORT = [game for game in SEVERAL if game != "rapira"]
"""Games of few steps; of Rapira one game is enough."""
BOXES = {"boxes": [{"box": box, "ante_minor": 100, "bonus_minor": 10} for box in (1, 4)]}


def moments(days: list[date], chance: random.Random) -> list[datetime]:
    """Times around the bounds of days, of every zone, and within."""
    middle = datetime(days[1].year, days[1].month, days[1].day, tzinfo=utc("01-01").tzinfo)
    spread = [middle + timedelta(minutes=chance.randrange(-20 * 60, 30 * 60)) for _ in range(3)]
    return sorted(
        [*spread, middle - timedelta(hours=2, microseconds=1), middle - timedelta(hours=2), middle + timedelta(hours=22)]
    )


def busy(hall: Hall, other: Hall, days: list[date], chance: random.Random) -> None:
    """Let players of a hall pay in, play, pay out and have slips put right; some play on in another hall."""
    begun = datetime(days[0].year, days[0].month, days[0].day, tzinfo=utc("01-01").tzinfo) - timedelta(days=1)
    players = [player_with(hall, 50_000, begun) for _ in range(3)]
    for player in players:
        if other.currency != hall.currency:
            pay_in(player, other, 20_000, begun)
    supervisor = user_with(Role.SUPERVISOR)
    for at in moments(days, chance):
        player, room = chance.choice(players), chance.choice([hall, hall, other])
        what = chance.randrange(5)
        if what == 0:
            slip = pay_in(player, room, chance.randrange(1, 900), at)
            if chance.random() < 0.5:
                deposit_reverse(
                    actor=supervisor, transfer_id=slip.transfer.public_id, reason="a slip", now=at + timedelta(minutes=1)
                )
        elif what == 1:
            pay_out(player, room, chance.randrange(1, 900), at)
        elif what == 2:
            guests = chance.sample(players, 2)
            table_of(room, guests, at, game=chance.choice(SHORT)).play_out(chance)
        else:
            house_round(player, room, at, supervisor, chance)


def house_round(player: User, hall: Hall, at: datetime, supervisor: User, chance: random.Random) -> None:
    if Round.objects.filter(seats__user=player, hall=hall, table=None, status="open").exists():
        return
    round_id = open_round(player, hall, at, opening=BOXES)
    later = at + timedelta(hours=chance.randrange(0, 5))
    if chance.random() < 0.2:
        round_void(actor=supervisor, round_id=round_id, reason="test", now=later)
    elif chance.random() < 0.8:
        play_out(player, round_id, chance, later)


def played(seed: int, games: list[str]) -> list[Hall]:
    """Three halls after days of play; committed, as rows that one transaction changes thousands of times make it slow."""
    chance = random.Random(seed)
    made = [
        hall_of("kyiv"),
        hall_of("vienna", time_zone="Europe/Vienna"),
        hall_of("york", currency="USD", time_zone="America/New_York"),
    ]
    for hall, other in zip(made, made[1:] + made[:1], strict=True):
        for days in (SPRING, AUTUMN):
            busy(hall, other, days, chance)
    for hall, game in zip(made, games, strict=False):
        guests = [player_with(hall, 50_000, utc("03-28 12:00")) for _ in range(2)]
        table_of(hall, guests, utc("03-29 21:59:30"), game=game).play_out(chance)
    return made


class Recount:
    """Every transfer, with the kinds of its accounts and the round that it belongs to."""

    def __init__(self) -> None:
        related = ("debit_account", "credit_account")
        self.transfers = list(Transfer.objects.select_related(*related).order_by("pk"))
        self.accounts = {account.pk: account for each in self.transfers for account in (each.debit_account, each.credit_account)}
        self.rounds = {row.escrow_id: row for row in Round.objects.select_related("hall").prefetch_related("seats")}

    def between(self, starts_at: datetime | None, ends_at: datetime) -> Iterator[Transfer]:
        return (each for each in self.transfers if (starts_at is None or starts_at <= each.at) and each.at < ends_at)

    def round_of(self, transfer: Transfer) -> Round | None:
        return self.rounds.get(transfer.debit_account_id) or self.rounds.get(transfer.credit_account_id)

    def balances(self, at: datetime) -> Counter[int]:
        balances: Counter[int] = Counter()
        for each in self.between(None, at):
            balances[each.debit_account_id] -= each.amount_minor
            balances[each.credit_account_id] += each.amount_minor
        return balances

    def figures(self, hall: Hall, starts_at: datetime | None, ends_at: datetime) -> dict[str, Counter[str]]:
        """By game: staked, returned and raked in settled rounds that closed in the interval, and the same of voided ones."""
        found: dict[str, Counter[str]] = defaultdict(Counter)
        closed = {
            row.pk
            for row in self.rounds.values()
            if row.hall_id == hall.pk
            and row.closed_at
            and (starts_at is None or starts_at <= row.closed_at)
            and row.closed_at < ends_at
        }
        for row in self.rounds.values():
            if row.pk in closed:
                found[row.game]["rounds_played" if row.status == "settled" else "rounds_voided"] += 1
        for each in self.transfers:
            row = self.round_of(each)
            if row is None or row.pk not in closed:
                continue
            kind, _, what = each.code.partition(".")
            voided = row.status == "voided"
            wagers, wins = ("voided_wagers_minor", "voided_returned_minor") if voided else ("wagers_minor", "wins_minor")
            if kind == "hold":
                found[row.game][wagers] += each.amount_minor
            elif kind == "release":
                found[row.game][wagers if what == "unplaced" else wins] += (
                    -each.amount_minor if what == "unplaced" else each.amount_minor
                )
            elif kind == "rake":
                found[row.game]["rake_minor"] += each.amount_minor
            else:
                assert kind in ("fund", "collect")
        return found


def bounds(hall: Hall, day: date) -> tuple[datetime, datetime]:
    days = gaming_days(hall)
    return days.starts_at(day), days.ends_at(day)


NAMES = (
    "rounds_played",
    "rounds_voided",
    "wagers_minor",
    "wins_minor",
    "rake_minor",
    "voided_wagers_minor",
    "voided_returned_minor",
)


def test_reports_equal_the_ledger(committed_db: str) -> None:
    halls = played(1, SEVERAL)
    recount = Recount()
    for hall in halls:
        for day in (*SPRING, *AUTUMN):
            starts_at, ends_at = bounds(hall, day)
            check_performance(report("game_performance", hall, day.isoformat()), recount.figures(hall, starts_at, ends_at))
            check_rake(report("rake", hall, day.isoformat()), hall, recount, starts_at, ends_at)
            check_liability(report("liability", at=ends_at), recount, ends_at)
            check_summary(report("account_summary", hall, day.isoformat()), hall, recount, starts_at, ends_at)
        check_performance(report("game_performance", hall), recount.figures(hall, None, utc("11-30 00:00")))


def check_performance(document: dict[str, Any], expected: dict[str, Counter[str]]) -> None:
    assert agreeing(document)
    for row in document["rows"]:
        assert {name: row[name] for name in NAMES} == {name: expected[row["game"]][name] for name in NAMES}, row["game"]
        assert row["house_win_minor"] == row["wagers_minor"] - row["wins_minor"] - row["rake_minor"]


def check_rake(document: dict[str, Any], hall: Hall, recount: Recount, starts_at: datetime, ends_at: datetime) -> None:
    assert agreeing(document)
    to_rake = [each for each in recount.between(starts_at, ends_at) if each.credit_account.kind == "rake"]
    assert sum(row["rake_minor"] for row in document["rows"]) == sum(
        each.amount_minor for each in to_rake if each.credit_account.hall_id == hall.pk
    )


def check_liability(document: dict[str, Any], recount: Recount, at: datetime) -> None:
    assert agreeing(document)
    balances, kinds = recount.balances(at), defaultdict[str, Counter[str]](Counter)
    for account in recount.accounts.values():
        kinds[account.currency][account.kind] += balances[account.pk]
    for row in document["rows"]:
        of = kinds[row["currency"]]
        assert (row["available_minor"], row["held_minor"], row["rake_minor"]) == (of["player"], of["escrow"], of["rake"])
        assert row["liability_minor"] == of["player"] + of["escrow"] == -(of["house"] + of["rake"] + of["cage"])


def check_summary(document: dict[str, Any], hall: Hall, recount: Recount, starts_at: datetime, ends_at: datetime) -> None:
    assert agreeing(document)
    opening, closing = recount.balances(starts_at), recount.balances(ends_at)
    accounts = {
        str(account.public_id): account
        for account in recount.accounts.values()
        if account.kind == "player" and account.currency == hall.currency
    }
    rows = {row["account_id"]: row for row in document["rows"]}
    moved: dict[str, Counter[str]] = defaultdict(Counter)
    for each in recount.between(starts_at, ends_at):
        name = {"deposit": "deposits", "withdrawal": "withdrawals", "deposit_reversal": "adjustments"}.get(each.code)
        name = name or {"hold": "to_games", "release": "from_games"}.get(each.code.partition(".")[0])
        player = each.debit_account if each.debit_account.kind == "player" else each.credit_account
        if name:
            moved[str(player.public_id)][f"{name}_minor"] += -each.amount_minor if name == "adjustments" else each.amount_minor
    for account_id, account in accounts.items():
        row = rows.get(account_id, defaultdict(int))
        assert (row["opening_balance_minor"], row["closing_balance_minor"]) == (opening[account.pk], closing[account.pk])
        for name in ("deposits", "withdrawals", "adjustments", "to_games", "from_games"):
            assert row[f"{name}_minor"] == moved[account_id][f"{name}_minor"], name


def test_days_follow_on_one_another_and_add_up_to_their_month(committed_db: str) -> None:
    """Also in a month in which the hall moves, once to the west and once to the east."""
    halls = played(3, SHORT)
    moving = halls[0]
    zone_changed(moving, "Europe/London", utc("03-29 13:00"))
    zone_changed(moving, "Asia/Tokyo", utc("10-25 14:59"))
    for hall in halls:
        for month in ("2026-03", "2026-10"):
            every = [f"{month}-{day:02d}" for day in range(1, 32)]
            for name in ("game_performance", "rake"):
                whole, parts = sums(report(name, hall, month)), Counter[str]()
                for day in every[20:]:
                    parts.update(sums(report(name, hall, day)))
                assert whole == parts, (hall.code, name, month)
            summaries = [report("account_summary", hall, day) for day in every[20:]]
            check_chain(summaries, report("account_summary", hall, month))


def sums(document: dict[str, Any]) -> Counter[str]:
    """What of a report's totals can be added up over days."""
    return Counter(
        {
            f"{total['currency']} {name}": value
            for total in document["totals"]
            for name, value in total.items()
            if name != "currency" and "open" not in name and value
        }
    )


def check_chain(summaries: list[dict[str, Any]], month: dict[str, Any]) -> None:
    """What an account ends a day with it begins the next one with."""
    by_day = [{row["account_id"]: row for row in document["rows"]} for document in summaries]
    assert all(agreeing(document) for document in (*summaries, month))
    nothing: dict[str, int] = defaultdict(int)
    for today, tomorrow in pairwise(by_day):
        for account_id in {*today, *tomorrow}:
            before, after = today.get(account_id, nothing), tomorrow.get(account_id, nothing)
            assert before["closing_balance_minor"] == after["opening_balance_minor"]
            assert before["funds_on_game_at_end_minor"] == after["funds_on_game_at_start_minor"]
    for row in month["rows"]:
        for name in (
            "deposits_minor",
            "withdrawals_minor",
            "adjustments_minor",
            "to_games_minor",
            "from_games_minor",
            "win_loss_minor",
        ):
            assert row[name] == sum(day.get(row["account_id"], nothing)[name] for day in by_day), name
