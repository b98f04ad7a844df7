"""The fifteen tests of SP 800-22 against the publication's own examples, and the judgement on many sequences.

Its examples are short sequences with their p-values, and the first million bits of e.
"""

from math import prod

import numpy as np
import pytest

from audit.fairness.bits import excursions, patterns, structure, suite, sums
from tests.unit.fairness.faulty import chance_of

HUNDRED = "1100100100001111110110101010001000100001011010001100001000110100110001001100011001100010100010111000"
"""The first hundred bits of pi."""


def bits(text):
    return np.array([int(sign) for sign in text], dtype=np.uint8)


@pytest.fixture(scope="module")
def of_e():
    """The binary digits of e, from the two before the point on: the sum of 1/k! as a fraction, split in halves."""

    def split(first, last):
        if last - first == 1:
            return 1, last
        middle = (first + last) // 2
        (p, q), (r, s) = split(first, middle), split(middle, last)
        return p * s + r, q * s

    above, below = split(0, 70_000)
    return bits(f"{(1 << 1_000_008) + (above << 1_000_008) // below:b}"[:1_000_000])


@pytest.fixture(scope="module")
def p_values_of_e(of_e):
    return dict(suite.p_values(of_e))


EXAMPLES = [
    ("frequency", lambda: sums.frequency(bits("1011010101")), 0.527089),
    ("frequency of pi", lambda: sums.frequency(bits(HUNDRED)), 0.109599),
    ("block frequency", lambda: sums.block_frequency(bits("0110011010"), 3), 0.801252),
    ("block frequency of pi", lambda: sums.block_frequency(bits(HUNDRED), 10), 0.706438),
    ("runs", lambda: sums.runs(bits("1001101011")), 0.147232),
    ("runs of pi", lambda: sums.runs(bits(HUNDRED)), 0.500798),
    ("spectral", lambda: structure.spectral(bits("1001010011")), 0.468160),
    ("non-overlapping", lambda: dict(patterns.non_overlapping(bits("10100100101110010110"), 3, 2))["001"], 0.344154),
    ("serial", lambda: patterns.serial(bits("0011011101"), 3)[0], 0.808792),
    ("serial, second", lambda: patterns.serial(bits("0011011101"), 3)[1], 0.670320),
    ("approximate entropy", lambda: patterns.approximate_entropy(bits("0100110101"), 3), 0.261961),
    ("approximate entropy of pi", lambda: patterns.approximate_entropy(bits(HUNDRED), 2), 0.235301),
    ("cumulative sums", lambda: sums.cumulative_sums(bits("1011010111"))[0], 0.411659),
    ("cumulative sums of pi", lambda: sums.cumulative_sums(bits(HUNDRED))[0], 0.219194),
    ("cumulative sums of pi, backward", lambda: sums.cumulative_sums(bits(HUNDRED))[1], 0.114866),
    ("excursions", lambda: dict(excursions.excursions(bits("0110110101"), 1))[1], 0.502529),
    ("excursions variant", lambda: dict(excursions.variants(bits("0110110101"), 1))[1], 0.683091),
]


@pytest.mark.parametrize(("test", "p"), [example[1:] for example in EXAMPLES], ids=[example[0] for example in EXAMPLES])
def test_short_sequences_have_their_published_p_values(test, p):
    assert test() == pytest.approx(p, abs=5e-5)


def test_the_longest_run_of_128_bits():
    text = (
        "1100110000010101011011000100110011100000000000100100110101010001"
        "0001001111010110100000001101011111001100111001101101100010110010"
    )
    assert sums.longest_run(bits(text)) == pytest.approx(0.180609, abs=2e-5)


def test_the_register_of_thirteen_bits():
    assert list(structure.complexities(bits("1101011110001")[None])) == [4]


PUBLISHED_FOR_E = {
    "frequency": 0.953749,
    "block frequency": 0.211072,
    "cumulative sums forward": 0.669887,
    "cumulative sums backward": 0.724266,
    "runs": 0.561917,
    "longest run": 0.718945,
    "matrix rank": 0.306156,
    "spectral": 0.847187,
    "template 000000001": 0.078790,
    "universal": 0.282568,
    "approximate entropy": 0.700073,
    "excursions to 1": 0.786868,
    "excursions variant -1": 0.826009,
    "serial": 0.766182,
}


@pytest.mark.parametrize("name", PUBLISHED_FOR_E)
def test_a_million_bits_of_e_have_their_published_p_values(p_values_of_e, name):
    assert len(p_values_of_e) == 188
    assert p_values_of_e[name] == pytest.approx(PUBLISHED_FOR_E[name], abs=2e-6)


def test_the_linear_complexity_of_e_differs_from_the_published_by_a_misprinted_chance(p_values_of_e):
    """The publication's figure, 0.826335, came of the chance 0.01047 where 1/96 = 0.010417 is right."""
    assert p_values_of_e["linear complexity"] == pytest.approx(0.826335, abs=2e-4)


def test_overlapping_templates_of_e_are_counted_as_published(of_e):
    """The published counts; the published p-value goes by an approximation that the publication has since replaced."""
    seen = patterns.overlapping_counts(of_e)
    assert list(seen) == [329, 164, 150, 111, 78, 136]
    replaced = np.array([0.367879, 0.183940, 0.137955, 0.099634, 0.069935, 0.140657]) * 968
    assert sums.chi_square_tail(float(((seen - replaced) ** 2 / replaced).sum()), 5) == pytest.approx(0.110434, abs=5e-6)


def test_the_law_of_overlapping_templates_is_exact():
    """Blocks of 1,032 bits walked through bit by bit: how long the run of ones is, and how many times nine were seen."""
    chances = {(0, 0): 1.0}
    for _ in range(patterns.OVERLAPPING_BLOCK):
        after = {}
        for (run, seen), chance in chances.items():
            grown = min(run + 1, 9)
            for state in ((0, seen), (grown, min(seen + (grown == 9), 5))):
                after[state] = after.get(state, 0) + chance / 2
        chances = after
    law = [sum(chance for (_, seen), chance in chances.items() if seen == times) for times in range(6)]
    assert list(patterns.OVERLAPPING) == pytest.approx(law, abs=1e-6)


def test_the_law_of_ranks_is_exact():
    def of(less):
        product = prod((1 - 2.0 ** (i - 32)) ** 2 / (1 - 2.0 ** (i - 32 + less)) for i in range(32 - less))
        return 2.0 ** (-(less**2)) * product

    assert structure.RANKS[:2] == pytest.approx((of(0), of(1)), abs=1e-9)
    assert sum(structure.RANKS) == pytest.approx(1)


def test_ranks_are_those_of_elimination_by_hand():
    matrices = np.zeros((4, 3, 3), dtype=np.uint8)
    matrices[1] = [[0, 1, 0], [1, 1, 0], [0, 1, 0]]  # the publication's: rank 2
    matrices[2] = np.eye(3)
    matrices[3] = 1
    assert list(structure.binary_ranks(matrices)) == [0, 2, 3, 1]


@pytest.mark.parametrize(
    ("state", "law"),
    [(1, (0.5, 0.25, 0.125, 0.0625, 0.03125, 0.03125)), (4, (0.875, 0.015625, 0.01367, 0.01196, 0.010468, 0.073279))],
)
def test_the_law_of_visits_is_the_published(state, law):
    assert excursions.visits_law(state) == pytest.approx(law, abs=1e-5)
    assert excursions.visits_law(-state) == pytest.approx(law, abs=1e-5)


def test_there_are_148_templates_of_nine_bits():
    assert len(patterns.templates(9)) == 148
    assert [f"{value:02b}" for value in patterns.templates(2)] == ["01", "10"]


def test_a_walk_with_few_zeros_tells_nothing():
    assert list(excursions.excursions(bits("0110110101"))) == []
    assert list(excursions.variants(bits("0110110101"))) == []


def test_the_share_that_must_pass_is_the_published():
    assert (suite.least_share(100), suite.least_share(1000)) == (pytest.approx(0.9602, abs=5e-5), pytest.approx(0.9806, abs=5e-5))


def test_a_share_and_its_p_value_by_hand():
    ninety_six = suite.proportion("x", [0.5] * 97 + [0.001] * 3)
    assert (ninety_six.statistic, ninety_six.keeps_rule) == (0.97, True)
    assert ninety_six.p == pytest.approx(1 - 0.99**100 - 100 * 0.01 * 0.99**99 - 4950 * 0.0001 * 0.99**98)
    assert not suite.proportion("x", [0.5] * 95 + [0.001] * 5).keeps_rule


def test_uniformity_of_p_values_by_hand():
    level = suite.uniformity("x", [(tenth + 0.5) / 10 for tenth in range(10)] * 10)
    assert (level.statistic, level.p, level.keeps_rule) == (0, 1, True)
    heap = suite.uniformity("x", [0.05] * 100)
    assert (heap.statistic, heap.keeps_rule) == (pytest.approx(900), False)


FAULTY_BITS = {
    "more ones": (lambda chance, n: (chance.random(n) < 0.503).astype(np.uint8), "frequency"),
    "a bit like the one before": (lambda chance, n: _sticky(chance, n), "runs"),
    "a period": (lambda chance, n: np.where(np.arange(n) % 50 == 0, 1, chance.integers(0, 2, n)).astype(np.uint8), "spectral"),
    "a short register": (lambda chance, n: np.resize(chance.integers(0, 2, 499), n).astype(np.uint8), "linear complexity"),
}


def _sticky(chance, n):
    return (np.cumsum(chance.random(n) < 0.495) % 2).astype(np.uint8)


@pytest.mark.parametrize(("make", "name"), FAULTY_BITS.values(), ids=FAULTY_BITS)
def test_bits_with_a_fault_fail_their_test(make, name):
    found = dict(suite.p_values(make(chance_of(9), suite.BITS)))
    assert found[name] < 1e-6


def test_a_few_fair_sequences_pass_together():
    outcomes = list(suite.raw_bits(chance_of(9).integers(0, 2, (3, suite.BITS)).astype(np.uint8)))
    assert len(outcomes) >= 2 * 162
    assert min(each.p for each in outcomes) > 1e-6
