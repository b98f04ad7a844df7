"""Why Russian poker refuses an action: the codes that an IllegalAction may carry."""

from enum import StrEnum


class Refusal(StrEnum):
    """One reason each, stable for clients."""

    SEAT_NOT_TO_ACT = "seat_not_to_act"
    ROUND_OVER = "round_over"
    BOX_NOT_PLAYED = "box_not_played"
    BOX_BLIND = "box_blind"
    BOX_FOLDED = "box_folded"
    BOX_DECIDED = "box_decided"
    BOX_NOT_ITS_TURN = "box_not_its_turn"
    ALREADY_DREW = "already_drew"
    CARD_NOT_IN_BOX = "card_not_in_box"
    INSURANCE_NOT_OPEN = "insurance_not_open"
    INSURANCE_NOT_OFFERED = "insurance_not_offered"
    INSURANCE_OUT_OF_BOUNDS = "insurance_out_of_bounds"
    INSURANCE_NOT_IN_STEPS = "insurance_not_in_steps"
    ALREADY_INSURED = "already_insured"
    DEALER_NOT_READY = "dealer_not_ready"
    GAME_NOT_FOR_SALE = "game_not_for_sale"
    ALREADY_BOUGHT = "already_bought"
    NOTHING_TO_CONTINUE = "nothing_to_continue"
