"""Verdicts on what bets gave back: by hand, with faults planted, and on correct play."""

from collections import Counter
from copy import deepcopy
from decimal import Decimal
from fractions import Fraction
from random import Random

import pytest

from audit.returns.rake import record_rake
from audit.returns.sums import Sums, backs_json, level_of, read_backs, summed
from audit.returns.verdicts import FEW, Colour, judge_open, judge_wager
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


def dealt(wager: Wager, count: int, stake: int, random: Random, paid: Fraction = Fraction(1)) -> Sums:
    """Bets by chance, of which each pays only a part of what it should."""
    sums, backs = Sums(), sorted(wager.chances)
    drawn = Counter(random.choices(backs, [float(wager.chances[back]) for back in backs], k=count))
    for back, times in drawn.items():
        play = Play("bonus", stake, stake, int(back * paid * stake))
        for _ in range(times):
            sums.add(play)
    return sums


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
    plain = (lucky.returned_minor - WAGERS["bonus"].returned * lucky.staked_minor) / 10
    assert plain**2 > Fraction(81, 4) * WAGERS["bonus"].variance * lucky.plays
    assert verdict.colour is Colour.GREEN
    assert verdict.rare is not None
    assert verdict.rare.seen == 33
    assert verdict.rare.expected == 1000 * Fraction(6_219, 216_580) < FEW
    assert judge_wager(sums_of(*[(10, 0)] * 1000), WAGERS["bonus"]).colour is Colour.RED  # not one hit


@pytest.mark.parametrize(("hits", "colour"), [(1, Colour.GREEN), (2, Colour.AMBER), (4, Colour.RED)])
def test_nothing_but_hits_by_hand(hits: int, colour: Colour) -> None:
    """The chance that all of n Bonuses hit is 0.0287ⁿ; on two sides 0.0016 for two of them, 0.0000014 for four."""
    verdict = judge_wager(sums_of(*[(10, 260)] * hits), WAGERS["bonus"])
    assert verdict.z is None
    assert verdict.rare is not None
    assert verdict.rare.probability == pytest.approx(min(1, 2 * float(Fraction(6_219, 216_580)) ** hits))
    assert verdict.colour is colour


def test_two_per_cent_too_little_is_found() -> None:
    """Paid 2 % less than it should, a blind box turns red; paid right it stays green."""
    blind, plays = WAGERS["ante"], 120_000
    assert judge_wager(dealt(blind, plays, 300, Random(1)), blind).colour is Colour.GREEN
    verdict = judge_wager(dealt(blind, plays, 300, Random(1), Fraction(98, 100)), blind)
    assert verdict.colour is Colour.RED
    assert verdict.z is not None
    assert verdict.z < Decimal("-4.5")
    too_much = judge_wager(dealt(blind, plays, 300, Random(1), Fraction(102, 100)), blind)
    assert too_much.colour is Colour.RED


def test_two_per_cent_of_a_bonus_take_more_bets() -> None:
    """A Bonus fluctuates more: what comes out exactly as often as expected, paid 2 % short, is amber after two million."""
    bonus, plays, stake = WAGERS["bonus"], 2_000_000, 100
    sums = Sums(plays, plays * stake, 0, plays * stake**2, 0)
    for back, chance in bonus.chances.items():
        paid = back * Fraction(98, 100)
        count = round(chance * plays)
        sums.backs[paid], sums.staked_by_back[paid] = count, count * stake
    assert judge_wager(sums, bonus).colour is Colour.AMBER
    right = Sums(plays, plays * stake, 0, plays * stake**2, 0)
    for back, chance in bonus.chances.items():
        count = round(chance * plays)
        right.backs[back], right.staked_by_back[back] = count, count * stake
    assert judge_wager(right, bonus).colour is Colour.GREEN


def test_a_fault_at_one_stake_level_is_hidden_in_the_total_and_found_by_the_level() -> None:
    blind, random = WAGERS["ante"], Random(2)
    high, low = dealt(blind, 50_000, 3_000, random), dealt(blind, 20_000, 300, random, Fraction(92, 100))
    assert judge_wager(summed([high, low]), blind).colour is Colour.GREEN
    assert judge_wager(high, blind).colour is Colour.GREEN
    assert judge_wager(low, blind).colour is Colour.RED


def test_correct_play_alarms_no_more_than_designed() -> None:
    """Three years of daily looks at rolling 30 days: never red, and amber (|z| ≥ 3) on few days if any."""
    blind, random = WAGERS["ante"], Random(3)
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
    parts = [dealt(WAGERS["ante"], 50, 300, random) for _ in range(3)]
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
    random, sums = Random(7), {name: Sums() for name in MATHS.series}
    for _ in range(600):
        for play in MATHS.plays(record_of(ENGINE, {"boxes": BOXES}, random)):
            sums[play.series].add(play)
    for name, wager in MATHS.series.items():
        verdict = judge_open(sums[name]) if wager is None else judge_wager(sums[name], WAGERS[wager])
        assert verdict.colour is Colour.GREEN, name


def test_a_round_played_by_another_pay_table_than_is_said_is_found() -> None:
    other = {"bet": dict.fromkeys(ENGINE.default_pay_table["bet"], 2), "bonus": ENGINE.default_pay_table["bonus"]}
    random, sums = Random(8), Sums()
    for _ in range(600):
        for play in MATHS.plays(record_of(ENGINE, {"boxes": BOXES[:3], "pay_table": other}, random)):
            if play.series == "blind_1":
                sums.add(play)
    assert judge_wager(sums, MATHS.wagers(other)["ante"]).colour is Colour.GREEN
    assert judge_wager(sums, WAGERS["ante"]).colour is not Colour.GREEN


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
