"""The worked cases of tests/vectors/russian_poker.json, each played out; amounts there are decimal text."""

import json
from decimal import Decimal
from pathlib import Path

import pytest

from games.core.errors import IllegalAction, InvalidData
from games.core.limits import stake_errors
from games.russian_poker.engine.scoring import evaluate
from games.russian_poker.engine.setup import parse_pay_table

from .table import ENGINE, Table, cards, limits

VECTORS = json.loads(Path("tests/vectors/russian_poker.json").read_text(encoding="utf-8"))["vectors"]
PAYS = parse_pay_table(ENGINE.default_pay_table)
NAMES = {"AK": "ace_king", "trips": "three_of_a_kind", "quads": "four_of_a_kind", "royal": "royal_flush"}


def of(kind):
    found = [vector for vector in VECTORS if vector["kind"] == kind]
    return pytest.mark.parametrize(
        ("given", "expected"), [(v["input"], v["expected"]) for v in found], ids=[v["id"] for v in found]
    )


def minor(text):
    return int(Decimal(text) * 100)


def test_every_kind_of_vector_is_played():
    kinds = {"combinations", "compare", "dealer_has_game", "bonus", "settlement", "insurance_limits", "hall_limits", "actions"}
    assert {vector["kind"] for vector in VECTORS} == kinds | {"dealer_exchange"}
    assert len(VECTORS) == 67


@of("combinations")
def test_combinations(given, expected):
    hand = evaluate(cards(" ".join(given["cards"])))
    assert hand.first.category.code == NAMES.get(expected["first"], expected["first"])
    assert (hand.second and hand.second.category.code) == NAMES.get(expected["second"], expected["second"])
    assert hand.multiple(PAYS.bet) == expected["total_multiple"]


@of("compare")
def test_compare(given, expected):
    player, dealer = given["player"], " ".join(given["dealer"])
    table = Table(" ".join(player[:5]), dealer, *player[5:])
    if len(player) == 6:
        table.play("sixth_card")
    table.play("bet")
    if not table.over:
        table.play("open_dealer")
    assert table.box()["outcome"] == {"win": "won", "lose": "lost", "tie": "tied"}[expected["result"]]


@of("dealer_has_game")
def test_dealer_has_game(given, expected):
    table = Table("2d 2c 9d 7c 3s", " ".join(given["dealer"])).play("bet")
    assert table.event("dealer_opened")["has_game"] is expected["game"]


@of("bonus")
def test_bonus(given, expected):
    stake = minor(given["bonus"])
    table = Table(" ".join(given["cards"]), boxes=({"box": 1, "ante_minor": 100, "bonus_minor": stake},))
    won = table.event("bonus_won")
    assert won["multiple"] == expected["odds_to_1"]
    assert won["returned_minor"] - stake == minor(expected["profit"])
    assert won["returned_minor"] == minor(expected["credited_if_stake_returned"])


HANDS = {
    0: "3s 3h 3d 9c Js",
    1: "As Kh 9d 7c 2s",
    3: "3s 3h 3d 9c Js",
    4: "4s 5h 6d 7c 8s",
    5: "Jh 9h 8h 5h 2h",
    100: "As Ks Qs Js Ts",
}
DEALERS = {
    (1, "win"): "Ad Kc 8h 7d 3s",
    (3, "lose"): "4s 4h 4d 9d Jh",
    (3, "nogame"): "4d 5h 6c 8s Kd",
    (4, "win"): "2d 2h 9s Jd Kc",
    (4, "nogame"): "2d 5c 9h Jd Kc",
    (5, "lose"): "4s 4h 4d 9d 9c",
    (5, "nogame"): "Kc Qs Ts 6s 3s",
    (100, "nogame"): "2d 5c 9h Jd Kc",
}
DRAWN = {(3, "lose"): "7c", (5, "lose"): "As", (100, "nogame"): "Th"}
SIXTH = "Qh"


def settled(given):
    """Play the case with cards that make it come true."""
    stakes = {"box": 1, "ante_minor": minor(given["ante"]), "bonus_minor": minor(given.get("bonus", "0"))}
    multiple = given["mult"]
    drawn = [SIXTH] if given.get("fee") else [DRAWN[multiple, given["after"]]] if given.get("buy") else []
    table = Table(HANDS[multiple], DEALERS.get((multiple, given["res"]), ""), *drawn, boxes=(stakes,))
    if given.get("fee"):
        table.play("sixth_card")
    if given["res"] is None:
        return table.play("fold")
    assert table.box()["multiple"] == multiple
    table.play("bet")
    if "ins" in given:
        table.act("insure", box=1, amount_minor=minor(given["ins"]))
    if table.view["phase"] == "insuring":
        table.play("open_dealer")
    if given.get("buy"):
        table.play("buy_game")
    return table if table.over else table.play("continue")


@of("settlement")
def test_settlement(given, expected):
    table = settled(given)
    totals = table.totals
    assert totals.staked_minor == table.box()["staked_minor"] == minor(expected["staked"])
    assert totals.returned_minor == table.box()["returned_minor"] == minor(expected["credited"])
    assert totals.returned_minor - totals.staked_minor == minor(expected["net"])
    released = dict.fromkeys(expected["returned"], 0)
    for move in table.moves:
        if move.kind == "release" and move.code != "unplaced":
            released[move.code] = released.get(move.code, 0) + move.amount_minor
    assert released == {code: minor(amount) for code, amount in expected["returned"].items()}
    first = {"win": "won", "lose": "lost", "nogame": "no_game", None: "folded"}[given["res"]]
    last = {"lose": "lost", "nogame": "still_no_game"}[given["after"]] if given.get("buy") else first
    assert table.box()["outcome"] == last


INSURED = {"two_pair": "9s 9h 4d 4c 2s", "royal+straight_flush": "As Ks Qs Js Ts", "royal": "As Ks Qs Js Ts"}


@of("insurance_limits")
def test_insurance_limits(given, expected):
    cap = given["table_max_payout"] and minor(given["table_max_payout"])
    stakes = {"box": 1, "ante_minor": minor(given["ante"])}
    rules = limits(max_payout_minor=cap)
    table = Table(
        INSURED[given["combination"]],
        "2d 5c 8d Jd Kc",
        "9s" if "+" in given["combination"] else "",
        boxes=(stakes,),
        limits=rules,
    )
    if "+" in given["combination"]:
        table.play("sixth_card")
    assert table.box()["multiple"] == given["total_multiple"]
    bounds = table.play("bet").box()["insurance_bounds"]
    assert (bounds is not None) is expected["allowed"]
    if bounds:
        assert (bounds["min_minor"], bounds["max_minor"]) == (minor(expected["min"]), minor(expected["max"]))


@of("hall_limits")
def test_hall_limits(given, expected):
    rules = ENGINE.default_limits[{1: "first", 2: "second", "VIP": "vip"}[given["hall"]]]
    box = {"box": 1} | {f"{kind}_minor": minor(given[kind]) for kind in ("ante", "bonus") if given[kind] is not None}
    try:
        accepted = not stake_errors(ENGINE.stakes(ENGINE.parse_setup({"boxes": [box], "limits": rules})), rules)
    except InvalidData as refused:
        assert refused.field == "boxes.0.ante_minor"
        accepted = False
    assert accepted is expected["accepted"]


HELD = {None: "7s 8h Td Qc 4s", "two_pair": "7s 7h 8d 8c 4s", "trips": "7s 7h 7d 8c 4s"}


@of("actions")
def test_actions(given, expected):
    """The box in question is the first of one, or the blind third of three whose first could be insured."""
    own, blind = HELD[given.get("combination")], given["box"] == "blind"
    boxes = [{"box": number, "ante_minor": 100} for number in ((1, 2, 3) if blind else (3,))]
    table = Table(*(["Ks Kh Kd 9c 2s", "As Ah 6d 5c 3s"] if blind else []), own, "2d 5h 9s Jd Qd", boxes=boxes)
    names = {"sixth": "sixth_card", "insurance": "insure"}
    if blind and given["action"] == "insurance":
        table.play("bet", box=1).play("bet", box=2)
    for type in given.get("history", []):
        table.play(names.get(type, type), box=3)
    more = {"amount_minor": 100} if given["action"] == "insurance" else {}
    type = names.get(given["action"], given["action"])
    try:
        table.act(type, box=3, **more)
        accepted = True
    except IllegalAction as refused:
        assert refused.code in ("box_blind", "insurance_not_offered")
        accepted = False
    assert accepted is expected["accepted"]


@of("dealer_exchange")
def test_dealer_exchange(given, expected):
    table = Table("8h 8d 3d 4c Jc", " ".join(given["dealer"]), *given["next_cards"])
    table.play("bet", "buy_game", "continue")
    replaced = [event for event in table.events() if event["type"] == "dealer_card_replaced"]
    assert sorted(table.view["dealer"]["cards"]) == sorted(expected["final_dealer"])
    assert len(replaced) == expected["cards_drawn"]
    assert len(replaced) - 1 == expected["free_repeats"]
    assert table.event("dealer_shown_again")["has_game"] is expected["game"]
