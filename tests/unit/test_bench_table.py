"""What the bench prints."""

from bench.table import Line, report

LINE = Line("a", "posting", "100/s", "200/s", 0.5, "≥ 0.40")


def test_a_balanced_run_shows_its_figures() -> None:
    assert "0.50" in report([LINE], [])


def test_a_run_that_loses_money_shows_none() -> None:
    found = report([LINE], ["bench_played: account_balance_is_the_sum_of_its_transfers: 7"])
    assert "account_balance" in found
    assert "0.50" not in found
    assert "100/s" not in found
