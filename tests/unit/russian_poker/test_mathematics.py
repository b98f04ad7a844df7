"""The exact figures of the document's pay table, and of others, against numbers worked out in other ways."""

import random
from fractions import Fraction
from math import comb

import pytest

from games.core.mathematics import Wager, decimal_text, root_text
from games.mathematics import MATHEMATICS
from games.russian_poker.engine.scoring import Category
from games.russian_poker.mathematics.figures import by_first
from games.russian_poker.mathematics.frequencies import FREQUENCIES, RULES_VERSION, read_frequencies

from .table import ENGINE, Table

MATHS = MATHEMATICS["russian_poker"]
DEFAULT = ENGINE.default_pay_table
FIGURES = MATHS.figures(DEFAULT)
HANDS, DEALERS = comb(52, 5), comb(47, 5)


def exact(figure):
    return Fraction(figure["exact"])


def doubles(cards):
    return {(each["first"], each["second"]): each["count"] for each in FIGURES["combinations"][cards]["doubles"]}


def test_the_known_figures_of_five_cards():
    five = FIGURES["combinations"]["five_cards"]
    assert five["hands"] == HANDS == 2_598_960
    assert doubles("five_cards") == {
        ("pair", "ace_king"): 84_480,
        ("two_pair", "ace_king"): 3_168,
        ("three_of_a_kind", "ace_king"): 2_112,
        ("four_of_a_kind", "ace_king"): 8,
    }
    assert exact(five["mean_total_multiple"]) == Fraction(468_589, 649_740)
    assert five["mean_total_multiple"]["exact"] == "468589/649740"


def test_the_known_figures_of_bonus_and_of_the_dealers_game():
    assert FIGURES["bonus"]["hit"]["exact"] == "6219/216580"
    assert FIGURES["bonus"]["expectation"]["exact"] == "-19813/649740"
    assert FIGURES["bonus"]["edge"]["exact"] == "19813/649740"
    assert FIGURES["dealer"]["game"]["exact"] == "205/364"


def test_five_cards_by_the_formulas_of_combinatorics():
    counts = by_first(FREQUENCIES.five)
    runs = 10
    assert counts[Category.ROYAL_FLUSH] == 4
    assert counts[Category.STRAIGHT_FLUSH] == 4 * (runs - 1)
    assert counts[Category.FOUR_OF_A_KIND] == 13 * 48
    assert counts[Category.FULL_HOUSE] == 13 * comb(4, 3) * 12 * comb(4, 2)
    assert counts[Category.FLUSH] == 4 * comb(13, 5) - 4 * runs
    assert counts[Category.STRAIGHT] == runs * 4**5 - 4 * runs
    assert counts[Category.THREE_OF_A_KIND] == 13 * comb(4, 3) * comb(12, 2) * 4**2
    assert counts[Category.TWO_PAIR] == comb(13, 2) * comb(4, 2) ** 2 * 44
    assert counts[Category.PAIR] == 13 * comb(4, 2) * comb(12, 3) * 4**3
    assert counts[Category.ACE_KING] == (comb(11, 3) - 1) * (4**5 - 4)  # all but A-K-Q-J-T
    assert sum(counts.values()) == HANDS


def test_six_cards_by_formulas_and_by_hand():
    assert FIGURES["combinations"]["six_cards"]["hands"] == comb(52, 6) == 20_358_520
    counts, seconds = by_first(FREQUENCIES.six), doubles("six_cards")
    assert counts[Category.ROYAL_FLUSH] == 4 * 47
    assert seconds["royal_flush", "straight_flush"] == 4  # A-K-Q-J-T-9 suited
    assert seconds["straight_flush", "straight_flush"] == 4 * 8  # six in a row, not up to the ace
    assert seconds["two_pair", "two_pair"] == comb(13, 3) * 6**3  # three pairs
    assert seconds["full_house", "full_house"] == comb(13, 2) * 4 * 4  # two threes
    assert seconds["four_of_a_kind", "full_house"] == 13 * 12 * 6  # four and a pair
    assert counts[Category.FOUR_OF_A_KIND] == 13 * comb(48, 2)


def test_every_showdown_is_counted():
    assert sum(each.total for each in FREQUENCIES.against_five.values()) == HANDS * DEALERS
    assert sum(each.total for each in FREQUENCIES.against_six.values()) == HANDS * 47 * comb(46, 5)
    assert sum(FREQUENCIES.boxes.values()) == HANDS * DEALERS
    for pair, count in FREQUENCIES.five.items():
        assert FREQUENCIES.against_five[pair].total == count * DEALERS
    for pair, count in FREQUENCIES.six.items():
        met = sum(each.total for (_, six), each in FREQUENCIES.against_six.items() if six == pair)
        assert met == count * 6 * comb(46, 5)


def test_showdowns_are_as_fair_as_their_symmetry_asks():
    """Box and dealer draw from the same pack, so either has a game as often, and each box is as good as another."""
    game = 1 - exact(FIGURES["blind_box"]["outcomes"]["no_game"])
    assert game == exact(FIGURES["dealer"]["game"])
    assert all(FREQUENCIES.boxes[other, one] == count for (one, other), count in FREQUENCIES.boxes.items())
    both = sum(
        sum(each[1:]) for (first, _), each in FREQUENCIES.against_five.items() if first >= Category.ACE_KING
    )  # of two hands with a game one beats the other as often as the other way round
    won = sum(each.won for each in FREQUENCIES.against_five.values())
    tied = sum(each.tied for each in FREQUENCIES.against_five.values())
    assert 2 * won + tied == both


def test_a_blind_box_with_figures_done_by_hand():
    """Where the Bet pays nothing a box wins an Ante without a dealer's game and loses three when beaten."""
    nothing = {"bet": dict.fromkeys(DEFAULT["bet"], 0), "bonus": dict.fromkeys(DEFAULT["bonus"], 0)}
    figures = MATHS.figures(nothing)
    outcomes = {name: exact(chance) for name, chance in figures["blind_box"]["outcomes"].items()}
    assert sum(outcomes.values()) == 1
    expectation = outcomes["no_game"] - 3 * outcomes["lost"]
    assert exact(figures["blind_box"]["expectation"]) == expectation
    assert exact(figures["blind_box"]["deviation"]["variance"]) == outcomes["no_game"] + 9 * outcomes["lost"] - expectation**2
    assert exact(figures["bonus"]["return"]) == exact(FIGURES["bonus"]["hit"])


def test_every_figure_follows_the_pay_table():
    twice = {"bet": {code: 2 * pay for code, pay in DEFAULT["bet"].items()}, "bonus": DEFAULT["bonus"]}
    mean = [exact(MATHS.figures(table)["combinations"]["five_cards"]["mean_total_multiple"]) for table in (DEFAULT, twice)]
    assert mean[1] == 2 * mean[0]
    wagers, figures = MATHS.wagers(twice), MATHS.figures(twice)
    assert wagers["blind"].edge == -exact(figures["blind_box"]["expectation"]) / 3
    assert wagers["bonus"].edge == exact(FIGURES["bonus"]["edge"])


def test_chances_of_a_wager_sum_to_one():
    for wager in MATHS.wagers(DEFAULT).values():
        assert sum(wager.chances.values()) == 1
        assert min(wager.chances) == 0


def test_strategies_hang_together():
    found = {name: each for name, each in FIGURES["strategies"].items() if isinstance(each, dict) and "expectation" in each}
    assert exact(found["always_bet"]["expectation"]) == exact(FIGURES["blind_box"]["expectation"])
    best = exact(found["best_by_combination_with_purchase"]["expectation"])
    assert max(exact(each["expectation"]) for each in found.values()) == best > exact(found["best_by_combination"]["expectation"])
    assert exact(found["bet_from_ace_king"]["staked"]) == 1 + 2 * exact(FIGURES["dealer"]["game"])
    lost = sum(each.total for (first, _), each in FREQUENCIES.against_five.items() if first == Category.NOTHING)
    bets = sum(
        (each.no_game + 2 * (DEFAULT["bet"][f.code] + (DEFAULT["bet"][s.code] if s else 0)) * each.won - 3 * each.lost)
        for (f, s), each in FREQUENCIES.against_five.items()
        if f > Category.NOTHING
    )
    assert exact(found["bet_from_ace_king"]["expectation"]) == Fraction(bets - lost, HANDS * DEALERS)


def five_card_value(category: Category) -> tuple[Fraction, Fraction]:
    """What a box of the category wins on average by betting on five cards: without and with a purchase where there is no game."""
    met = {pair: each for pair, each in FREQUENCIES.against_five.items() if pair[0] == category}
    total = sum(each.total for each in met.values())
    pays = {pair: sum(DEFAULT["bet"][each.code] for each in pair if each) for pair in met}
    won = sum(2 * pays[pair] * each.won - 3 * each.lost + each.no_game for pair, each in met.items())
    without = sum(each.no_game for each in met.values())
    bet = Fraction(won, total)
    return bet, bet + Fraction(without, total) * exact(FIGURES["purchase"][category.code]["gain"])


def sixth_card_value(category: Category) -> Fraction:
    """What a box of the category wins on average with a sixth card, when it bets whatever that is."""
    met = {pair: each for (before, pair), each in FREQUENCIES.against_six.items() if before == category}
    pays = {pair: sum(DEFAULT["bet"][each.code] for each in pair if each) for pair in met}
    won = sum(2 * pays[pair] * each.won - 3 * each.lost + each.no_game for pair, each in met.items())
    return Fraction(won, sum(each.total for each in met.values())) - 1


def test_purchases_are_part_of_the_best_choice():
    """A straight flush and a royal flush are worth more on five cards with the option to buy than with a sixth card."""
    strategies = FIGURES["strategies"]
    bought = (Category.FULL_HOUSE, Category.FOUR_OF_A_KIND, Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
    assert strategies["best_by_combination_with_purchase_choices"] == {
        **strategies["best_by_combination_choices"],
        **{category.code: "bet_and_buy" for category in bought},
    }
    counts, gain = by_first(FREQUENCIES.five), Fraction(0)
    for category in bought:
        bet, buy = five_card_value(category)
        gain += counts[category] * (buy - max(bet, sixth_card_value(category)))
    difference = exact(strategies["best_by_combination_with_purchase"]["expectation"]) - exact(
        strategies["best_by_combination"]["expectation"]
    )
    assert difference == gain / HANDS > 0


def test_where_a_bet_pays_nothing_there_is_nothing_to_buy():
    nothing = MATHS.figures({"bet": dict.fromkeys(DEFAULT["bet"], 0), "bonus": DEFAULT["bonus"]})["strategies"]
    assert "bet_and_buy" not in nothing["best_by_combination_with_purchase_choices"].values()
    assert nothing["best_by_combination_with_purchase"] == nothing["best_by_combination"]


def test_insurance_and_purchase_are_chances():
    for each in (*FIGURES["insurance"]["five_cards"].values(), *FIGURES["insurance"]["six_cards"].values()):
        chances = [exact(each[f"dealer_{name}"]) for name in ("no_game", "lower", "higher", "equal")]
        assert sum(chances) == 1
        assert exact(each["expectation"]) == chances[0] - chances[1] - chances[3]
    for code, each in FIGURES["purchase"].items():
        chances = [exact(each[name]) for name in ("won", "lost", "tied", "still_no_game")]
        assert sum(chances) == 1, code
    # Beside a box the dealer is on average as likely to get a game as alone: a box's cards say nothing of the next one.
    without = {pair: each.no_game for pair, each in FREQUENCIES.against_five.items()}
    still = sum(exact(FIGURES["purchase"][first.code]["still_no_game"]) * count for (first, _), count in without.items()) / sum(
        without.values()
    )
    assert still == 1 - exact(FIGURES["dealer"]["game_after_replacement"])


def test_the_engine_deals_as_the_figures_say():
    """Many deals by the engine itself, always bet and every game bought, lie within chance of the exact figures."""
    dice, played = random.Random(5), 3000
    profit = games = bought = came = 0
    pack = [card.text for card in ENGINE.cards(Table().state)]
    for _ in range(played):
        dice.shuffle(pack)
        table = Table(" ".join(pack), boxes=({"box": 1, "ante_minor": 1},)).play("bet")
        if not table.over and table.state.phase == "insuring":
            table.play("open_dealer")
        if table.over:
            games += 1
            profit += table.totals.returned_minor - table.totals.staked_minor
        else:
            profit += 1
            bought += 1
            table.play("buy_game", "continue")
            came += table.state.boxes[0].outcome != "still_no_game"
    _close(games, played, exact(FIGURES["dealer"]["game"]))
    _close(came, bought, exact(FIGURES["dealer"]["game_after_replacement"]))
    blind = FIGURES["blind_box"]
    error = abs(profit - played * float(exact(blind["expectation"])))
    assert error < 4 * float(blind["deviation"]["decimal"]) * played**0.5


def _close(count, of, chance):
    assert abs(count - of * float(chance)) < 4 * (of * float(chance * (1 - chance))) ** 0.5


def test_kept_frequencies_are_of_the_rules_that_are_played():
    assert ENGINE.rules_version == RULES_VERSION == MATHS.rules_version == MATHS.frequencies["rules_version"]
    assert read_frequencies(MATHS.frequencies) == FREQUENCIES


def test_decimals_are_for_display():
    assert decimal_text(Fraction(-1, 3)) == "-0.333333333333"
    assert (decimal_text(Fraction(3)), decimal_text(Fraction(0)), root_text(Fraction(4))) == ("3", "0", "2")
    coin = Wager({Fraction(0): Fraction(1, 2), Fraction(2): Fraction(1, 2)})
    assert (coin.returned, coin.edge, coin.variance) == (1, 0, 1)


@pytest.mark.parametrize("game", ["chinese_poker", "ukrainian_poker", "rapira"])
def test_games_among_players_have_no_house_mathematics(game):
    assert game not in MATHEMATICS
