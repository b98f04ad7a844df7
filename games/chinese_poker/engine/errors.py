"""Why thirteen-card poker refuses an action: the codes that an IllegalAction may carry."""

from enum import StrEnum


class Refusal(StrEnum):
    """One reason each, stable for clients.

    They are looked for in this order: whether there is such a seat in a game that goes on, whether the action belongs to the
    moment and the seat, what it names.
    """

    ROUND_OVER = "round_over"
    SEAT_NOT_TO_ACT = "seat_not_to_act"
    NOT_ARRANGING = "not_arranging"
    ALREADY_ARRANGED = "already_arranged"
    CARD_NAMED_TWICE = "card_named_twice"
    CARD_NOT_HELD = "card_not_held"
    FIRST_BELOW_SECOND = "first_below_second"
    SECOND_BELOW_THIRD = "second_below_third"
    WINDOW_NOT_OPEN = "window_not_open"
    TARGET_NOT_REACHED = "target_not_reached"
    ALREADY_CONTINUED = "already_continued"
