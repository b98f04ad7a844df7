"""UP-1: seats, ante and pot, who deals."""

import pytest

from games.core.errors import InvalidData
from games.core.limits import stake_errors
from games.core.shuffle import ExplicitDecks, Seed
from games.ukrainian_poker.engine.scoring import height, winners
from games.ukrainian_poker.engine.state import scored

from .table import ENGINE, Table, cards

SEED = Seed("00000000-0000-4000-8000-000000000000", bytes(range(32)), ("", "a", ""))


def ended(*totals, **settings):
    """Play the last trick of a game that ends with these totals."""
    seats = len(totals)
    table = Table(seats=seats, **settings)
    hands = ["2c", *["3d"] * (seats - 1)]
    table.at("maximum", hands=hands)
    before = tuple(total - 10 * (seat == 0) for seat, total in enumerate(totals))
    row = scored(1, (0,) * seats, (0,) * seats, (0,) * seats)._replace(totals=before)
    table.state = table.state._replace(scores=(row,) * (19 + seats))
    return table.play(" ".join(hands))


def test_up_1_1_two_to_six_players():
    for seats in range(2, 7):
        assert len(Table(seats=seats).view()["seats"]) == seats
    for seats in (0, 1, 7):
        with pytest.raises(InvalidData) as refused:
            Table(seats=seats)
        assert refused.value.field == "seats"


def test_up_1_1_the_pack_has_54_cards_and_the_joker_is_highest():
    table = Table()
    assert len(set(map(str, ENGINE.cards(table.state)))) == 54
    assert [height(card) for card in cards("2c Td Jh Qs Kc Ad X1 X2")] == [2, 10, 11, 12, 13, 14, 15, 15]


def test_up_1_1_the_highest_total_wins():
    assert winners((-20, -10, -30)) == (1,)
    table = ended(40, 70, 60)
    assert table.event("pot_shared")["winners"] == [1]
    assert table.view()["winners"] == [1]


def test_up_1_2_every_seat_pays_the_same_ante_before_the_game():
    table = Table(seats=4, ante_minor=250)
    assert table.money(0) == [("hold", seat, 250, "ante") for seat in range(4)]
    assert table.event("game_opened", 0) == {"type": "game_opened", "ante_minor": 250, "pot_minor": 1000}
    assert ENGINE.exposure(table.setup).seats_minor == (250,) * 4
    assert ENGINE.exposure(table.setup).house_minor == 0


def test_up_1_2_the_pot_goes_to_the_highest_total():
    table = ended(40, 70, 60, ante_minor=250)
    assert table.money() == [("release", 1, 750, "pot")]
    assert [each.returned_minor - each.staked_minor for each in table.totals] == [-250, 500, -250]


def test_up_1_2_equal_totals_share_and_the_lowest_sharing_seat_gets_what_is_odd():
    table = ended(10, 70, 70, ante_minor=333)
    assert table.money() == [("release", 1, 500, "pot"), ("release", 2, 499, "pot")]
    table = ended(20, 20, 10, 20, 20, ante_minor=11)
    assert table.money() == [("release", seat, amount, "pot") for seat, amount in ((0, 16), (1, 13), (3, 13), (4, 13))]


def test_up_1_2_the_rake_is_taken_before_sharing_rounded_down_and_capped():
    table = ended(10, 70, 70, ante_minor=333, rake={"basis_points": 250, "cap_minor": None})
    assert table.view()["rake_minor"] == 24
    assert table.money() == [("rake", 1, 24, "rake"), ("release", 1, 488, "pot"), ("release", 2, 487, "pot")]
    table = ended(10, 70, 70, ante_minor=333, rake={"basis_points": 250, "cap_minor": 20})
    assert table.money() == [("rake", 1, 20, "rake"), ("release", 1, 490, "pot"), ("release", 2, 489, "pot")]
    shares = ENGINE.result(table.state)
    assert (shares["shares_minor"], shares["rake_minor"], shares["pot_minor"]) == ([0, 490, 489], 20, 999)


def test_up_1_2_the_rake_is_shown_from_the_start_and_none_by_default():
    assert Table(rake={"basis_points": 500}).view()["rake_minor"] == 10
    assert Table().view()["rake_minor"] == 0


@pytest.mark.parametrize(
    ("hall", "ante_minor", "accepted"),
    [
        ("first", 10, True),
        ("first", 1_000, True),
        ("first", 1_010, False),
        ("first", 15, False),
        ("second", 90, False),
        ("second", 100, True),
        ("second", 10_000, True),
        ("vip", 2_500, True),
        ("vip", 100_000, True),
        ("vip", 101_000, False),
    ],
)
def test_up_1_2_halls_bound_the_ante(hall, ante_minor, accepted):
    limits = ENGINE.default_limits[hall]
    setup = ENGINE.parse_setup({"seats": 2, "ante_minor": ante_minor, "limits": limits})
    assert (stake_errors(ENGINE.stakes(setup), limits) == []) is accepted
    assert ENGINE.stakes(setup)[0].field == "ante_minor"


def test_up_1_2_a_pot_that_could_not_be_counted_is_refused():
    Table(seats=6, ante_minor=2**50 // 6)
    with pytest.raises(InvalidData) as refused:
        Table(seats=6, ante_minor=2**50 // 6 + 1)
    assert refused.value.field == "ante_minor"


def test_up_1_3_shuffle_0_orders_the_seats_and_its_first_one_deals():
    setup = ENGINE.parse_setup({"seats": 3, "ante_minor": 100})
    assert ENGINE.view(ENGINE.start(setup, SEED).state, None)["dealer"] == SEED.shuffled((0, 1, 2), 0)[0]
    decks = ExplicitDecks((("2", "0"), ("Ah", "Kh", "Qh", "5s")))
    view = ENGINE.view(ENGINE.start(setup, decks).state, 0)
    assert (view["dealer"], view["hand"], view["turned"]) == (2, ["Ah"], "5s")


def test_up_1_3_shuffle_r_is_the_pack_of_round_r():
    setup = ENGINE.parse_setup({"seats": 3, "ante_minor": 100})
    pack = cards(" ".join(rank + suit for suit in "cdhs" for rank in "23456789TJQKA") + " X1 X2")
    state = ENGINE.start(setup, SEED).state
    while ENGINE.to_act(state):
        if state.stock and not any(state.taken) and not state.trick.cards:
            order, dealer = SEED.shuffled(pack, state.number), state.dealer
            assert state.hands[(dealer + 1) % 3] == order[0 : 3 * state.round.cards : 3]
        (seat,) = ENGINE.to_act(state)
        state = ENGINE.apply(state, seat, ENGINE.timeout_action(state, seat)).state


def test_up_1_3_the_deal_moves_clockwise_every_round():
    table, dealers = Table(seats=3, first_dealer=1), {}
    while not table.over:
        dealers[table.state.number] = table.state.dealer
        table.time_out()
    assert [dealers[number] for number in range(1, 24)] == [number % 3 for number in range(1, 24)]


def test_up_1_3_a_named_dealer_moves_explicit_decks_but_no_seed():
    table = Table("Ah Kh 5s", "2c 3c 4c 5c 6d", first_dealer=1)
    assert (table.view(0)["hand"], table.view(0)["turned"]) == (["Ah"], "5s")
    table.bid(0, 0).play("Ah Kh")
    assert table.view(1)["hand"] == ["2c", "4c"]
    plain, named = (
        ENGINE.start(ENGINE.parse_setup({"seats": 3, "ante_minor": 1, "first_dealer": first}), SEED).state for first in (None, 2)
    )
    assert named.dealer == 2
    assert [named.hands[(named.dealer + 1 + k) % 3] for k in range(3)] == [
        plain.hands[(plain.dealer + 1 + k) % 3] for k in range(3)
    ]


@pytest.mark.parametrize("dealer", [-1, 2, "0", True])
def test_up_1_3_a_dealer_without_a_seat_is_refused(dealer):
    with pytest.raises(InvalidData) as refused:
        Table(first_dealer=dealer)
    assert refused.value.field == "first_dealer"


def test_up_1_4_the_system_plays_an_absent_seat_to_the_end():
    table = Table(seats=2)
    while not table.over:
        if table.turn == 0:
            table.time_out()
        elif table.state.is_bidding:
            table.bid(table.legal_bids()[-1])
        else:
            table.play(table.legal().replace("!", "").split()[0])
    assert table.over and len(table.view()["scores"]) == 22
