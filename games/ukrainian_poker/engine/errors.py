"""Why Ukrainian poker refuses an action: the codes that an IllegalAction may carry."""

from enum import StrEnum


class Refusal(StrEnum):
    """One reason each, stable for clients; of several that apply the first one listed is given.

    Each depends only on what the asking seat may see, so a refusal tells nothing that is hidden from it (UP-3.2).
    """

    GAME_OVER = "game_over"
    SEAT_NOT_TO_ACT = "seat_not_to_act"
    BIDS_NOT_OPEN = "bids_not_open"
    BIDS_NOT_COMPLETE = "bids_not_complete"
    BID_OUT_OF_RANGE = "bid_out_of_range"
    BID_MAKES_SUM_EQUAL_CARDS = "bid_makes_sum_equal_cards"
    CARD_NOT_IN_HAND = "card_not_in_hand"
    CLAIM_NOT_POSSIBLE = "claim_not_possible"
    MUST_PLAY_HIGHEST = "must_play_highest"
    MUST_FOLLOW_SUIT = "must_follow_suit"
    MUST_PLAY_TRUMP = "must_play_trump"
