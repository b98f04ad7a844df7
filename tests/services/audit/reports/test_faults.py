"""A report that counts wrongly disagrees with the ledger, and so does one of rows that somebody changed."""

from importlib import import_module
from random import Random
from uuid import UUID

import psycopg
import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.reports.intervals import LIFE_TO_DATE
from casino.db import unit_of_work
from games.halls.models import Hall
from tests.report_builders import MINUTE, agreeing, hall_of, period, player_with, report, table_of, utc
from tests.services.audit.reports.conftest import DAY, World
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Account

MUTANTS = [
    ("account_summary", "_SQL", "-coalesce(flow.withdrawals, 0)", "coalesce(flow.withdrawals, 0)"),
    ("account_summary", "_SQL", "-coalesce(flow.to_games, 0)", "coalesce(flow.to_games, 0)"),
    ("account_summary", "_SQL", "code = 'deposit'", "code = 'payment'"),
    ("account_summary", "_SQL", "code = 'withdrawal'", "code = 'payment'"),
    ("account_summary", "_SQL", "('deposit', 'withdrawal')", "('deposit', 'withdrawal', 'deposit_reversal')"),
    ("account_summary", "_SQL", "coalesce(flow.since_end, 0)", "0"),
    ("account_summary", "_SQL", "coalesce(flow.since_start, 0)", "coalesce(flow.since_end, 0)"),
    ("account_summary", "_SQL", "+ funds_on_game_at_end_minor - funds_on_game_at_start_minor", "- funds_on_game_at_end_minor"),
    ("account_summary", "_SQL", "OR round.table_id IS NULL", ""),
    ("liability", "_SQL", "transfer.at < ", "transfer.at <= "),
    ("liability", "_SQL", "credit_kind = 'player'", "credit_kind = 'cage'"),
    ("liability", "_STORED_SQL", "-amount_minor", "amount_minor"),
    ("game_performance", "_SQL", "sum(returned_minor * settled)", "sum(returned_minor)"),
    ("game_performance", "_SQL", "sum(staked_minor * settled)", "sum(staked_minor)"),
    ("game_performance", "_SQL", "round.closed_at < ", "round.closed_at <= "),
    ("game_performance", "_SQL", "round.closed_at >= %(starts_at)s", "round.closed_at > %(starts_at)s"),
    ("game_performance", "_KEPT_SQL", "'house', 'rake'", "'house'"),
    ("rake", "_SQL", "sum(pot_minor - paid_minor)", "sum(paid_minor - pot_minor)"),
    ("rake", "_SQL", "pot_minor * rake_basis_points", "0 * rake_basis_points"),
    ("rake", "_ACCOUNTS_SQL", "kind = 'rake'", "kind = 'house'"),
    ("terms_changes", "_SQL", "'halls.limitset'", "'halls.limits'"),
    ("significant_events", "_RECORDED_SQL", "'round_voided'", "'round_annulled'"),
]


@pytest.mark.parametrize(("name", "query", "right", "wrong"), MUTANTS)
def test_a_report_that_counts_wrongly_disagrees(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, query: str, right: str, wrong: str
) -> None:
    module = import_module(f"audit.reports.{name}")
    hall = None if name == "liability" else world.kyiv
    of = {"terms_changes": period("2026-01"), "significant_events": LIFE_TO_DATE}.get(name, period(DAY))
    arguments = {"at": utc("03-28 22:00")} if name == "liability" else {"period": of}
    assert agreeing(report(name, hall, **arguments))
    assert right in getattr(module, query)
    monkeypatch.setattr(module, query, getattr(module, query).replace(right, wrong))
    assert not agreeing(report(name, hall, **arguments))


@pytest.mark.parametrize(
    ("name", "change"),
    [
        ("game_performance", "UPDATE rounds_roundseat SET returned_minor = returned_minor + 1"),
        ("game_performance", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'rake.rake'"),
        ("rake", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'rake.rake'"),
        ("rake", "UPDATE rounds_roundseat SET staked_minor = staked_minor + 1"),
        ("account_summary", "UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE kind = 'player'"),
        ("account_summary", "UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE code = 'deposit'"),
        ("liability", "UPDATE wallets_account SET balance_minor = balance_minor + 1 WHERE kind = 'player'"),
        ("liability", "DELETE FROM wallets_transfer WHERE code = 'deposit'"),
    ],
)
def test_a_report_of_rows_that_somebody_changed_disagrees(
    committed_db: str, owner_connection: psycopg.Connection, name: str, change: str
) -> None:
    hall = hall_of("kyiv")
    guests = [player_with(hall, 5_000, utc("03-29 08:00")) for _ in range(2)]
    table_of(hall, guests, utc("03-29 12:00"), ante_minor=400).play_out(Random(1))
    asked = None if name == "liability" else hall
    assert agreeing(report(name, asked, "2026-03"))
    for table in ("wallets_account", "wallets_transfer", "rounds_roundseat"):
        owner_connection.execute(f"ALTER TABLE {table} DISABLE TRIGGER USER".encode())
    assert owner_connection.execute(change.encode()).rowcount
    assert not agreeing(report(name, asked, "2026-03"))


WAYS = ("deposit", "withdrawal", "deposit_reversal", "goodwill", "hold.stake", "release.stake", "collect.stake", "rake.rake")
movements = st.tuples(st.sampled_from(WAYS), st.integers(1, 300), st.integers(-90 * 60, 26 * 60))


def _pair(code: str, player: Account, escrow: Account, hall: Hall) -> tuple[int, int]:
    cage = ledger.cage_account(hall.pk, hall.currency).pk
    return {
        "deposit": (cage, player.pk),
        "goodwill": (cage, player.pk),
        "withdrawal": (player.pk, cage),
        "deposit_reversal": (player.pk, cage),
        "hold.stake": (player.pk, escrow.pk),
        "release.stake": (escrow.pk, player.pk),
        "collect.stake": (escrow.pk, ledger.house_account(hall.pk, hall.currency).pk),
        "rake.rake": (escrow.pk, ledger.rake_account(hall.pk, hall.currency).pk),
    }[code]


@given(history=st.lists(movements, max_size=25), day=st.sampled_from([DAY, "2026-03-30", "2026-03"]))
@settings(max_examples=25, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_whatever_moves_in_whatever_order_of_times_the_accounts_add_up(
    world: World, history: list[tuple[str, int, int]], day: str
) -> None:
    """Also with codes that nobody thought of, and with times that do not follow the order of posting."""
    with transaction.atomic():
        account = ledger.player_account(world.anna.pk, "EUR")
        escrow = ledger.escrow_open(UUID(int=1), "EUR")
        held = 0
        for code, amount_minor, minutes in history:
            kind = code.partition(".")[0]
            if kind in ("release", "collect", "rake"):
                amount_minor = min(amount_minor, held)
            held += {"hold": amount_minor, "release": -amount_minor, "collect": -amount_minor, "rake": -amount_minor}.get(kind, 0)
            if amount_minor:
                debit, credit = _pair(code, account, escrow, world.kyiv)
                with unit_of_work():
                    moment = utc("03-29 12:00") + minutes * MINUTE
                    ledger.post([Posting(debit, credit, amount_minor, code)], step_id=None, now=moment)
        document = report("account_summary", world.kyiv, day)
        for row in document["rows"]:
            moved = row["deposits_minor"] - row["withdrawals_minor"] + row["adjustments_minor"]
            played = row["from_games_minor"] - row["to_games_minor"]
            assert row["opening_balance_minor"] + moved + played == row["closing_balance_minor"]
        checks = {check["check"]: check["agrees"] for check in document["checks"]}
        assert checks["accounts_that_do_not_add_up"] and checks["cage_accounts"]
        transaction.set_rollback(True)
