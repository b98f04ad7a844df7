"""A report that counts wrongly disagrees with the ledger; what moves in whatever order adds up."""

from importlib import import_module
from uuid import UUID

import pytest
from django.db import transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.reports.intervals import LIFE_TO_DATE
from games.halls.models import Hall
from tests.report_builders import MINUTE, act, agreeing, open_round, period, report, utc
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
    ("game_performance", "_KEPT_SQL", "0, kept_minor", "0, -kept_minor"),
    ("rake", "_SQL", "sum(pot_minor - paid_minor)", "sum(paid_minor - pot_minor)"),
    ("rake", "_SQL", "pot_minor * rake_basis_points", "0 * rake_basis_points"),
    ("rake", "_ACCOUNTS_SQL", "kind = 'rake'", "kind = 'house'"),
    ("terms_changes", "_SQL", "'halls.limitset'", "'halls.limits'"),
    ("significant_events", "_RECORDED_SQL", "'round_voided'", "'round_annulled'"),
]


def fee_paid(world: World) -> None:
    """Let a round be open at the day's end of which the house has got a fee already."""
    round_id = open_round(world.dora, world.kyiv, utc("03-29 19:00"))
    act(world.dora, round_id, {"type": "sixth_card", "box": 1}, utc("03-29 19:01"))


def test_a_fee_is_lost_at_once_and_the_stakes_are_on_game(world: World) -> None:
    before = report("account_summary", world.kyiv, DAY)
    fee_paid(world)
    after = report("account_summary", world.kyiv, DAY)
    assert agreeing(after)
    (was,), (now,) = ([row for row in each["rows"] if row["player_id"] == str(world.dora.public_id)] for each in (before, after))
    changed = {name: now[name] - was[name] for name in now if name.endswith("_minor") and now[name] != was[name]}
    assert changed == {
        "to_games_minor": 400,
        "closing_balance_minor": -400,
        "funds_on_game_at_end_minor": 300,
        "win_loss_minor": -100,
    }
    performance = report("game_performance", world.kyiv, DAY)
    assert agreeing(performance)
    assert (performance["totals"][0]["rounds_open"], performance["totals"][0]["funds_open_minor"]) == (2, 600)


@pytest.mark.parametrize(("name", "query", "right", "wrong"), MUTANTS)
def test_a_report_that_counts_wrongly_disagrees(
    world: World, monkeypatch: pytest.MonkeyPatch, name: str, query: str, right: str, wrong: str
) -> None:
    module = import_module(f"audit.reports.{name}")
    hall = None if name == "liability" else world.kyiv
    of = {"terms_changes": period("2026-01"), "significant_events": LIFE_TO_DATE}.get(name, period(DAY))
    fee_paid(world)
    arguments = {"at": utc("03-28 22:00")} if name == "liability" else {"period": of}
    assert agreeing(report(name, hall, **arguments))
    assert right in getattr(module, query)
    monkeypatch.setattr(module, query, getattr(module, query).replace(right, wrong))
    assert not agreeing(report(name, hall, **arguments))


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
