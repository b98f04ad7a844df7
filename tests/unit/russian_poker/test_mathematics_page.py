"""The page about the house mathematics: every number of its tables is the figure, rounded."""

import re
from collections.abc import Iterable
from fractions import Fraction

import pytest

from games.core.mathematics import root
from games.russian_poker.engine.scoring import Category
from tests.architecture.source import ROOT

from .test_mathematics import FIGURES, exact, five_card_value, sixth_card_value

PAGE = (ROOT / "docs" / "house-mathematics.md").read_text()
NUMBER = re.compile(r"−?\d+(?:\.\d+)?(?: %)?")
STRATEGIES = {name: each for name, each in FIGURES["strategies"].items() if "expectation" in each}


def rows(head: str) -> dict[str, list[str]]:
    """The rows of the one table that begins with this head, by their first cell."""
    (table,) = re.findall(rf"^{re.escape(head)}.*\n\|[-|]+\n((?:\|.*\n)+)", PAGE, re.MULTILINE)
    cells = [[cell.strip() for cell in line.strip("|").split("|")] for line in table.splitlines()]
    return {first.strip("`"): rest for first, *rest in cells}


def deviation(figure) -> Fraction:
    return Fraction(root(exact(figure["variance"])))


def assert_shown(text: str, values: Iterable[Fraction]) -> None:
    """Each number of the text is its value, rounded to as many digits as it has; a whole number is exact."""
    numbers, values = NUMBER.findall(text), list(values)
    assert len(numbers) == len(values), text
    for number, value in zip(numbers, values, strict=True):
        bare = number.replace("−", "-").removesuffix(" %")
        scale = 100 if number.endswith("%") else 1
        _, point, digits = bare.partition(".")
        assert Fraction(bare) == (round(scale * value, len(digits)) if point else scale * value), (text, float(value))


BONUS, DEALER, BLIND = FIGURES["bonus"], FIGURES["dealer"], FIGURES["blind_box"]
FIRST = {
    "Bonus: hit": (BONUS["hit"], [exact(BONUS["hit"])]),
    "Bonus: expectation per unit": (BONUS["expectation"], [exact(BONUS["expectation"]), deviation(BONUS["deviation"])]),
    "dealer has a game": (DEALER["game"], [exact(DEALER["game"])]),
    "dealer without a game has one after the replacement": (
        DEALER["game_after_replacement"],
        [exact(DEALER["game_after_replacement"])],
    ),
    "mean total multiple of five cards": (
        FIGURES["combinations"]["five_cards"]["mean_total_multiple"],
        [exact(FIGURES["combinations"]["five_cards"]["mean_total_multiple"])],
    ),
    "blind box: expectation in Antes": (
        BLIND["expectation"],
        [exact(BLIND["expectation"]), deviation(BLIND["deviation"]), exact(BLIND["edge"])],
    ),
}


def test_the_first_table():
    table = rows("| | exact | |")
    assert table.keys() == FIRST.keys()
    for name, (figure, values) in FIRST.items():
        fraction, text = table[name]
        assert fraction.replace("−", "-") == figure["exact"]
        assert_shown(text, values)


def test_the_table_of_strategies():
    table = rows("| strategy |")
    assert table.keys() == STRATEGIES.keys()
    for name, each in STRATEGIES.items():
        values = [exact(each["expectation"]), deviation(each["deviation"]), exact(each["staked"]), exact(each["return"])]
        assert_shown(" ".join(table[name]), values)


def test_the_table_of_combinations():
    table = rows("| box holds |")
    assert list(table) == [category.code for category in Category]
    insurance, purchase = FIGURES["insurance"], FIGURES["purchase"]
    for code, cells in table.items():
        insured = [exact(insurance[cards][code]["expectation"]) for cards in insurance if code in insurance[cards]]
        bought = [exact(purchase[code][name]) for name in ("won", "lost", "gain")]
        assert_shown(" ".join(cells), insured + bought)


def test_the_table_of_edges():
    table = rows("| kind |")
    assert table.keys() == FIGURES["edges"].keys()
    for kind, cells in table.items():
        assert_shown(cells[-1], [exact(FIGURES["edges"][kind])])


def test_what_the_text_says_of_figures():
    (buys,) = re.findall(r"a straight flush is worth (.*\n.*?)\. Left out", PAGE)
    flushes = (Category.STRAIGHT_FLUSH, Category.ROYAL_FLUSH)
    assert_shown(buys, [value for each in flushes for value in (five_card_value(each)[1], sixth_card_value(each))])
    (together,) = re.findall(r"\(covariance (.*?)\)", PAGE)
    variance = exact(BONUS["deviation"]["variance"])
    assert_shown(together, [exact(BONUS["covariance_of_two_boxes"]), Fraction(round(variance))])


@pytest.mark.parametrize("number", ["−0.0925", "−0.0927", "0.0926", "0", "−9.25 %", "– –"])
def test_a_number_that_is_cut_off_or_another_is_found(number):
    figure = Fraction(-92_561, 1_000_000)
    for rounded in ("−0.0926", "−0.09", "−9.26 %"):
        assert_shown(rounded, [figure])
    with pytest.raises(AssertionError):
        assert_shown(number, [figure])
