"""Cards as values."""

import copy
import dataclasses
import pickle

import pytest

from games.core.cards import DECK_52, DECK_54, JOKERS, card, packed, read_cards, texts, unpacked
from games.core.errors import InvalidData


def test_the_unshuffled_deck_runs_by_suit_from_two_to_ace_then_the_jokers():
    assert texts(DECK_54)[:13] == ["2c", "3c", "4c", "5c", "6c", "7c", "8c", "9c", "Tc", "Jc", "Qc", "Kc", "Ac"]
    assert [each.text for each in DECK_52[13::13]] == ["2d", "2h", "2s"]
    assert texts(JOKERS) == ["X1", "X2"]
    assert [each.index for each in DECK_54] == list(range(54))


def test_a_card_exists_once():
    ace = card("As")
    assert copy.deepcopy(ace) is ace and pickle.loads(pickle.dumps(ace)) is ace
    assert (ace.rank, ace.suit, str(ace)) == (14, 3, "As")


def test_a_card_cannot_be_changed():
    with pytest.raises(dataclasses.FrozenInstanceError):
        card("As").rank = 2


def test_packed_cards_come_back():
    assert unpacked(packed(DECK_54)) == DECK_54
    assert unpacked("") == ()


@pytest.mark.parametrize(
    ("value", "field"),
    [("As", "cards"), (["As", "1s"], "cards.1"), (["AS"], "cards.0"), ([5], "cards.0"), (["As", "As"], "cards")],
)
def test_reading_names_what_is_not_a_card(value, field):
    with pytest.raises(InvalidData) as refused:
        read_cards(value, "cards")
    assert refused.value.field == field
