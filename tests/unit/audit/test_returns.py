"""Verdicts on what bets gave back: by hand, with faults planted, and on correct play."""

import math
from collections import Counter
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest

from audit.returns.rake import record_rake
from audit.returns.sums import Sums, backs_json, level_of, read_backs, summed
from audit.returns.verdicts import AMBER_P, FEW, RED_P, Colour, judge_open, judge_wager
from games.core.mathematics import Play, Wager
from games.engines import current_engine
from games.mathematics import MATHEMATICS
from tests.rounds import record_of
from tests.table_builders import convention

ENGINE = current_engine("russian_poker")
MATHS = MATHEMATICS["russian_poker"]
WAGERS = MATHS.wagers(ENGINE.default_pay_table)
COIN = Wager({Fraction(0): Fraction(1, 2), Fraction(2): Fraction(1, 2)})


def sums_of(*plays: tuple[int, int], level: int = 1) -> Sums:
    sums = Sums()
    for staked, returned in plays:
        sums.add(Play("bonus", level, staked, returned))
    return sums


def counted(backs: Counter[Fraction], stake: int) -> Sums:
    """Bets of one stake, by what each unit of it gave back."""
    plays, staked = backs.total(), Counter({back: count * stake for back, count in backs.items()})
    returned = sum((back * part for back, part in staked.items()), Fraction(0))
    net_squares = sum((count * ((back - 1) * stake) ** 2 for back, count in backs.items()), Fraction(0))
    assert returned.denominator == net_squares.denominator == 1
    return Sums(plays, plays * stake, int(returned), plays * stake**2, int(net_squares), backs, staked)


def drawn(wager: Wager, count: int, random: Random) -> Counter[Fraction]:
    """What bets gave back by chance."""
    backs = sorted(wager.chances)
    return Counter(random.choices(backs, [float(wager.chances[back]) for back in backs], k=count))


def turned(backs: Counter[Fraction], part: float, into: int) -> Counter[Fraction]:
    """A part of all bets that gave back something, or, where they are to, of those that gave back nothing, gave back that."""
    other = Counter(backs)
    for back, count in backs.items():
        if bool(back) is not bool(into):
            other[back] -= round(part * count)
            other[Fraction(into)] += round(part * count)
    return other


def dealt(wager: Wager, count: int, stake: int, random: Random, withheld: float = 0.0) -> Sums:
    """Bets by chance, of which some that should have given back something gave nothing."""
    return counted(turned(drawn(wager, count, random), withheld, 0), stake)


def expected(wager: Wager, plays: int) -> Counter[Fraction]:
    """What bets give back when all comes as often as it should."""
    backs = Counter({back: round(chance * plays) for back, chance in wager.chances.items() if back})
    return Counter({Fraction(0): plays - backs.total(), **backs})


def swapped(backs: Counter[Fraction], count: int, one: int, other: int) -> Counter[Fraction]:
    """So many bets gave back another prize instead of one."""
    assert backs[Fraction(one)] >= count
    return Counter({**backs, Fraction(one): backs[Fraction(one)] - count, Fraction(other): backs[Fraction(other)] + count})


def test_stakes_are_of_levels_of_one_two_and_five() -> None:
    assert [level_of(stake) for stake in (1, 2, 4, 5, 9, 10, 49, 50, 199, 200, 100_000)] == [
        *(1, 2, 2, 5, 5, 10, 20, 50, 100, 200, 100_000)
    ]


def test_a_mixture_of_stakes_by_hand() -> None:
    """Stakes 1, 5 and 100: Σs = 106, Σs² = 10 026."""
    sums = sums_of((1, 2), (5, 0), (100, 200))
    assert (sums.plays, sums.staked_minor, sums.returned_minor, sums.stake_squares) == (3, 106, 202, 10_026)
    assert sums.effective_plays == Fraction(11_236, 10_026)
    assert sums.net_squares == 1 + 25 + 10_000
    assert sums_of((7, 0), (7, 14), (7, 7)).effective_plays == 3


def test_z_of_a_fair_coin_by_hand() -> None:
    """100 bets of 10 on a coin, 65 won: 1 300 back of 1 000, σ = 1, so z = 300 / (10·√100) = 3."""
    assert (COIN.returned, COIN.variance) == (1, 1)
    verdict = judge_wager(sums_of(*[(10, 20)] * 65, *[(10, 0)] * 35), COIN)
    assert (verdict.z, verdict.rare, verdict.colour) == (3, None, Colour.AMBER)
    assert judge_wager(sums_of(*[(10, 20)] * 64, *[(10, 0)] * 36), COIN).colour is Colour.GREEN
    assert judge_wager(sums_of(*[(10, 0)] * 65, *[(10, 20)] * 35), COIN).z == -3
    assert judge_wager(sums_of(*[(10, 20)] * 80, *[(10, 0)] * 40), COIN).colour is Colour.AMBER  # z = 400 / √12 000 = 3.65
    assert judge_wager(sums_of(*[(10, 20)] * 85, *[(10, 0)] * 35), COIN).colour is Colour.RED  # z = 500 / √12 000 = 4.56


def test_z_of_mixed_stakes_by_hand() -> None:
    """100 bets of 1 lost and 100 of 9 won: difference 800, SE = √(100 + 8 100) = 90.55."""
    sums = sums_of(*[(1, 0)] * 100, *[(9, 18)] * 100)
    verdict = judge_wager(sums, COIN)
    assert verdict.z is not None
    assert verdict.z.quantize(Decimal("0.0001")) == Decimal("8.8345")
    assert sums.effective_plays == Fraction(1_000**2, 8_200)


def test_prizes_that_hardly_ever_come_are_counted_and_not_measured() -> None:
    """A royal flush in a thousand Bonuses is luck, though it is worth more than 4.5 standard deviations by itself."""
    lucky = sums_of(*[(10, 260)] * 25, *[(10, 410)] * 4, *[(10, 510)] * 2, *[(10, 710)] * 1, (10, 10_010), *[(10, 0)] * 967)
    verdict = judge_wager(lucky, WAGERS["bonus"])
    assert verdict.z is not None
    assert verdict.z > Decimal("4.5")
    assert verdict.common is not None
    assert verdict.common.z is None
    assert verdict.colour is Colour.GREEN
    assert verdict.rare is not None
    assert (verdict.rare.above, verdict.rare.seen, verdict.rare.tests) == (501, 1, 7)
    assert verdict.rare.expected == 1000 * Fraction(4, 2_598_960)
    none = judge_wager(sums_of(*[(10, 0)] * 1000), WAGERS["bonus"])
    assert none.colour is Colour.RED
    assert none.rare is not None
    assert (none.rare.above, none.rare.seen, none.rare.expected) == (0, 0, 1000 * Fraction(6_219, 216_580))
    assert none.rare.expected < FEW


@pytest.mark.parametrize(("hits", "colour"), [(2, Colour.GREEN), (3, Colour.AMBER), (5, Colour.RED)])
def test_nothing_but_hits_by_hand(hits: int, colour: Colour) -> None:
    """The chance that all of n Bonuses hit is 0.0287ⁿ; for two sides and seven prizes 0.012, 0.00033 and 0.00000027."""
    verdict = judge_wager(sums_of(*[(10, 260)] * hits), WAGERS["bonus"])
    assert verdict.common is not None
    assert verdict.common.z is None
    assert verdict.rare is not None
    assert verdict.rare.probability == pytest.approx(2 * 7 * float(Fraction(6_219, 216_580)) ** hits)
    assert verdict.colour is colour


@pytest.mark.parametrize(
    ("plays", "royals", "instead_of", "colour"),
    [
        (1_700, 1, 26, Colour.GREEN),
        (1_700, 2, 26, Colour.AMBER),
        (1_700, 30, 26, Colour.RED),
        (5_000, 6, 51, Colour.RED),
    ],
)
def test_rare_prizes_are_not_one_as_good_as_another(plays: int, royals: int, instead_of: int, colour: Colour) -> None:
    """As many Bonuses hit as should; but some that hit little hit most."""
    right = expected(WAGERS["bonus"], plays)
    assert judge_wager(counted(right, 100), WAGERS["bonus"]).colour is Colour.GREEN
    verdict = judge_wager(counted(swapped(right, royals, instead_of, 1_001), 100), WAGERS["bonus"])
    assert verdict.colour is colour
    assert verdict.rare is not None
    assert (verdict.rare.above, verdict.rare.seen) == (501, royals)
    assert verdict.rare.expected == plays * Fraction(4, 2_598_960)
    if royals <= 2:
        by_hand = 1 - sum((float(verdict.rare.expected) ** k) * math.exp(-verdict.rare.expected) for k in range(royals))
        assert verdict.rare.probability == pytest.approx(2 * verdict.rare.tests * by_hand, rel=1e-3)


def test_too_few_of_the_higher_prizes_are_found() -> None:
    """Of 15,000 Bonuses 22 should hit a full house: never one, and flushes instead, is as many hits, and not lucky ones."""
    bonus = WAGERS["bonus"]
    right = expected(bonus, 15_000)
    assert judge_wager(counted(right, 100), bonus).colour is Colour.GREEN
    verdict = judge_wager(counted(swapped(right, right[Fraction(71)], 71, 51), 100), bonus)
    assert verdict.colour is Colour.RED
    assert verdict.rare is not None
    assert (verdict.rare.above, verdict.rare.seen) == (51, 4)


def test_a_return_that_cannot_be_is_red_and_named() -> None:
    """Straights of a Bonus pay 40:1; a few of them, paid tenfold, would be no more luck than a royal flush is."""
    bonus = WAGERS["bonus"]
    right = expected(bonus, 5_000)
    verdict = judge_wager(counted(swapped(right, right[Fraction(41)], 41, 401), 100), bonus)
    assert (verdict.colour, verdict.impossible) == (Colour.RED, {Fraction(401): 20})
    once = judge_wager(counted(swapped(right, 1, 0, 1), 100), bonus)
    assert (once.colour, once.impossible) == (Colour.RED, {Fraction(1): 1})
    assert judge_wager(counted(right, 100), bonus).impossible == {}


def alarms(series: int, random: Random) -> tuple[int, Counter[Colour]]:
    """The colours of fair series of all sizes: those with no, some and nothing but rare prizes."""
    sizes = {"blind": (30, 300, 2_000, 8_000), "bonus": (30, 300, 1_700, 8_000)}
    colours = Counter(
        judge_wager(counted(drawn(WAGERS[kind], plays, random), 300), WAGERS[kind]).colour
        for kind, counts in sizes.items()
        for plays in counts
        for _ in range(series)
    )
    return colours.total(), colours


def _no_more_than(count: int, of: int, chance: float) -> bool:
    """Say whether a count is no sign (1 in 1,000) of a greater chance."""
    below = math.fsum(math.comb(of, k) * chance**k * (1 - chance) ** (of - k) for k in range(count))
    return 1 - below > 0.001


def test_fair_series_alarm_no_more_often_than_they_may() -> None:
    """Each of the two tests, of what is common and of what is rare, may be amber with the chance of |z| ≥ 3."""
    series, colours = alarms(60, Random(10))
    assert series == 480
    assert _no_more_than(colours[Colour.AMBER], series, 2 * AMBER_P)
    assert colours[Colour.RED] == 0
    assert not _no_more_than(12, series, 2 * AMBER_P)


@pytest.mark.slow
def test_thousands_of_fair_series_alarm_no_more_often_than_they_may() -> None:
    series, colours = alarms(1_500, Random(11))
    assert _no_more_than(colours[Colour.AMBER] + colours[Colour.RED], series, 2 * AMBER_P)
    assert _no_more_than(colours[Colour.RED], series, 2 * RED_P)


def test_two_per_cent_too_little_is_found() -> None:
    """Where a fiftieth of what should pay pays nothing a blind box turns red; played right it stays green."""
    blind, right = WAGERS["blind"], drawn(WAGERS["blind"], 120_000, Random(1))
    assert judge_wager(counted(right, 300), blind).colour is Colour.GREEN
    verdict = judge_wager(counted(turned(right, 0.02, 0), 300), blind)
    assert (verdict.colour, verdict.impossible) == (Colour.RED, {})
    assert verdict.z is not None
    assert verdict.z < Decimal("-4.5")
    too_much = judge_wager(counted(turned(right, 0.05, 1), 300), blind)
    assert (too_much.colour, too_much.impossible) == (Colour.RED, {})


def test_two_per_cent_of_a_bonus_take_more_bets() -> None:
    """A Bonus fluctuates more: what comes out exactly as often as expected, but for a fiftieth, is amber after two million."""
    right = expected(WAGERS["bonus"], 2_000_000)
    assert judge_wager(counted(right, 100), WAGERS["bonus"]).colour is Colour.GREEN
    assert judge_wager(counted(turned(right, 0.02, 0), 100), WAGERS["bonus"]).colour is Colour.AMBER


def test_a_fault_at_one_stake_level_is_hidden_in_the_total_and_found_by_the_level() -> None:
    blind, random = WAGERS["blind"], Random(2)
    high, low = dealt(blind, 50_000, 3_000, random), dealt(blind, 20_000, 300, random, withheld=0.08)
    assert judge_wager(summed([high, low]), blind).colour is Colour.GREEN
    assert judge_wager(high, blind).colour is Colour.GREEN
    assert judge_wager(low, blind).colour is Colour.RED


def test_correct_play_alarms_no_more_than_designed() -> None:
    """Three years of daily looks at rolling 30 days: never red, and amber (|z| ≥ 3) on few days if any."""
    blind, random = WAGERS["blind"], Random(3)
    days = [dealt(blind, 100, random.choice((300, 3_000, 30_000)), random) for _ in range(3 * 365)]
    colours = Counter(judge_wager(summed(days[end - 30 : end]), blind).colour for end in range(30, len(days) + 1))
    assert colours[Colour.RED] == 0
    assert colours[Colour.AMBER] < 0.02 * len(days)


def test_counting_bets_instead_of_effective_ones_would_alarm() -> None:
    """A few large stakes among many small ones: that all large ones won is no sign of anything."""
    sums = sums_of(*[(1, 2), (1, 0)] * 5_000, *[(1_000, 2_000)] * 4)
    naive = Fraction(sums.returned_minor - sums.staked_minor, sums.staked_minor) ** 2 * sums.plays
    assert naive > Fraction(81, 4)
    assert judge_wager(sums, COIN).colour is Colour.GREEN


def test_where_decisions_count_only_gains_on_the_house_alarm() -> None:
    lost = judge_open(sums_of(*[(30, 0)] * 100))
    assert (lost.colour, lost.z, lost.theoretical) == (Colour.GREEN, -10, None)
    won = judge_open(sums_of(*[(30, 60)] * 100))
    assert (won.colour, won.z) == (Colour.RED, 10)
    assert judge_open(sums_of(*[(30, 60)] * 9)).colour is Colour.AMBER
    assert judge_open(Sums()).z is None


def test_sums_of_sums_are_sums_and_are_kept_as_json() -> None:
    random = Random(4)
    parts = [dealt(WAGERS["blind"], 50, 300, random) for _ in range(3)]
    whole = summed(parts)
    assert whole.plays == 150
    assert (whole.backs, whole.staked_by_back) == read_backs(backs_json(whole))
    assert sum(whole.staked_by_back.values()) == whole.staked_minor


BOXES = [{"box": box, "ante_minor": 100 * box, "bonus_minor": 10 * box} for box in (1, 2, 4, 5)]


def test_the_plays_of_a_round_are_all_that_it_staked_and_returned() -> None:
    random = Random(6)
    for _ in range(60):
        record = record_of(ENGINE, {"boxes": BOXES}, random)
        plays = MATHS.plays(record)
        (total,) = record["result"]["seats"]
        assert sum(play.staked_minor for play in plays) == total["staked_minor"]
        assert sum(play.returned_minor for play in plays) == total["returned_minor"]
        names = [(play.series, play.level_minor) for play in plays]
        assert names == [
            ("bonus", 10),
            ("bonus", 20),
            ("bonus", 40),
            ("bonus", 50),
            ("blind_1", 400),
            ("blind_2", 500),
            ("open", 500),
        ]
        assert {play.series for play in plays} == MATHS.series.keys()


def test_blind_boxes_come_out_as_their_mathematics_says_whatever_is_bought_and_insured() -> None:
    """Whatever stakes there are no return is met that the mathematics does not know: nothing is rounded."""
    random, sums, bought = Random(7), {name: Sums() for name in MATHS.series}, 0
    for _ in range(600):
        unit = random.choice((1, 3, 7, 100))
        boxes = [{**box, "ante_minor": unit * box["ante_minor"], "bonus_minor": unit * box["bonus_minor"]} for box in BOXES]
        record = record_of(ENGINE, {"boxes": boxes}, random)
        bought += any(event["type"] == "game_bought" for step in record["steps"] for event in step["events"])
        for play in MATHS.plays(record):
            sums[play.series].add(play)
    assert bought > 100
    for name, wager in MATHS.series.items():
        verdict = judge_open(sums[name]) if wager is None else judge_wager(sums[name], WAGERS[wager])
        assert (verdict.colour, verdict.impossible) == (Colour.GREEN, {}), name
        assert wager is None or len(sums[name].backs) >= 5, name


def test_a_round_played_by_another_pay_table_than_is_said_is_found() -> None:
    other = {"bet": dict.fromkeys(ENGINE.default_pay_table["bet"], 2), "bonus": ENGINE.default_pay_table["bonus"]}
    random, sums = Random(8), Sums()
    for _ in range(600):
        for play in MATHS.plays(record_of(ENGINE, {"boxes": BOXES[:3], "pay_table": other}, random)):
            if play.series == "blind_1":
                sums.add(play)
    assert judge_wager(sums, MATHS.wagers(other)["blind"]).colour is Colour.GREEN
    assert judge_wager(sums, WAGERS["blind"]).colour is Colour.RED


@pytest.mark.parametrize("rake", [{"basis_points": 0, "cap_minor": None}, {"basis_points": 1_000, "cap_minor": 70}])
@pytest.mark.parametrize(
    ("game", "short"),
    [("chinese_poker", {"target": 5, "point_price_minor": 100}), ("ukrainian_poker", {}), ("rapira", {"max_cycles": 1})],
)
def test_rake_of_games_among_players(game: str, short: dict[str, int], rake: dict[str, int | None]) -> None:
    engine = current_engine(game)
    random = Random(9)
    setup = {**convention(game, **short), "seats": 2, "rake": rake}
    setup = dict(engine.dump_setup(engine.parse_setup(setup)))
    record = record_of(engine, setup, random)
    play, wrong = record_rake(record)
    assert wrong is None
    taken = sum(move["amount_minor"] for step in record["steps"] for move in step["moves"] if move["kind"] == "rake")
    assert play.staked_minor == play.returned_minor + taken
    if rake["basis_points"]:
        assert taken > 0
        for change in (1, -1):
            assert record_rake(_with_rake(record, change))[1] is not None


def _with_rake(record: dict[str, object], change: int) -> dict[str, object]:
    """The record with another rake, which the same seat bears."""
    other = deepcopy(record)
    moves = [move for step in other["steps"] for move in step["moves"]]  # type: ignore[attr-defined]
    rake = next(move for move in moves if move["kind"] == "rake")
    rake["amount_minor"] += change
    next(m for m in moves if m["kind"] == "release" and m["seat"] == rake["seat"] and m["code"] != "unplaced")[
        "amount_minor"
    ] -= change
    return other


def test_a_drawn_game_by_points_has_the_level_of_what_was_held() -> None:
    """Nobody lost anything: what was held went back and nothing counts as staked."""
    held = [{"kind": "hold", "seat": seat, "amount_minor": 2_500, "code": "stake"} for seat in (0, 1)]
    back = [{**move, "kind": "release", "code": "unplaced"} for move in held]
    record = {"head": {"seats": [{}, {}], "setup": {}}, "steps": [{"moves": held}, {"moves": back}]}
    assert record_rake(record) == (Play("pot", 2_500, 0, 0), None)


def test_the_least_level_is_one() -> None:
    assert [level_of(stake) for stake in (0, 1)] == [1, 1]
