"""What decks have to do with the next ones, and repeated decks."""

import pytest

from audit.fairness.between import between_decks, lags, repeats, top_cards
from tests.unit.fairness.faulty import chance_of, decks_to_show, fair


def test_a_top_card_that_tells_the_next_one_is_found():
    orders = fair(chance_of(3), 14_000)
    assert top_cards(orders).p > 1e-3
    told = orders.copy()
    told[1::20, 0] = orders[0:-1:20, 0]
    assert top_cards(told).p < 1e-9


@pytest.mark.parametrize("lag", [1, 10])
def test_a_deck_that_comes_again_later_is_found_at_its_lag(lag):
    orders = fair(chance_of(4), 50_000)
    assert min(each.p for each in lags(orders)) > 1e-3
    orders[lag::25] = orders[: len(orders) - lag : 25]
    found = {each.name: each.p for each in lags(orders)}
    assert found[f"descents against those {lag} decks on"] < 1e-9


def test_repeated_decks_are_counted():
    orders = fair(chance_of(5), 1_000)
    assert (repeats(orders).statistic, repeats(orders).p) == (0, 1)
    orders[999] = orders[0]
    assert repeats(orders).statistic == 1
    assert repeats(orders).p < 1e-50
    orders[998] = orders[0]
    assert repeats(orders).statistic == 2


def test_so_many_decks_show_so_few_seeds():
    day_of_milliseconds = 24 * 3600 * 1000
    assert [decks_to_show(seeds) for seeds in (day_of_milliseconds, 2**31, 2**32)] == [28_210, 140_639, 198_893]
    assert decks_to_show(2**48) == pytest.approx(51e6, rel=0.01)


def test_what_a_sample_is_too_small_for_is_left_out():
    assert list(between_decks(fair(chance_of(6), 90))) == []
    assert "top card by the next deck's" in [each.name for each in between_decks(fair(chance_of(6), 13_521))]
