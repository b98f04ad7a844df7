"""Why Rapira refuses an action: the codes that an IllegalAction may carry."""

from enum import StrEnum


class Refusal(StrEnum):
    """One reason each, stable for clients; of several that hold, the first one listed here is told."""

    GAME_OVER = "game_over"
    SEAT_NOT_TO_ACT = "seat_not_to_act"
    """The game has no such seat."""
    SEAT_OUT = "seat_out"
    """The seat has no points left (RA-4.1)."""
    HAND_RUNNING = "hand_running"
    """Bonuses are used after the fourth hand (RA-6)."""
    BONUS_PHASE_RUNNING = "bonus_phase_running"
    """Cards are discarded and played in hands (RA-2.1)."""
    HAND_ALREADY_PLAYED = "hand_already_played"
    BONUSES_FINISHED = "bonuses_finished"
    NO_DISCARDS_LEFT = "no_discards_left"
    DECK_EMPTY = "deck_empty"
    """A discard needs a card in the deck (RA-2.3)."""
    NO_CARD_AT_POSITION = "no_card_at_position"
    COLOUR_ALREADY_THERE = "colour_already_there"
