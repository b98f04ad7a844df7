"""The bets of a settled round, from its record: which of them have an exact expectation, and what the rest came to."""

from collections.abc import Iterable, Iterator
from typing import Any

from games.core.engine import Json
from games.core.mathematics import Play
from games.russian_poker.mathematics.dealing import AT_STAKE, NO_GAME_PROFIT

BONUS, OPEN = "bonus", "open"
BLIND = ("blind_1", "blind_2")
SERIES = {BONUS: "bonus", **dict.fromkeys(BLIND, "blind"), OPEN: None}
"""The first and the second blind box are watched apart: both meet the same dealer, so together they would count too much."""


def record_plays(record: Json) -> tuple[Play, ...]:
    """Return every Bonus, every blind box as its player could not change it, and all the rest of the round as one bet.

    **Rule** A blind box for which a game was bought counts as if it had not been: its Ante won, its Bet returned. What the
    purchase came to, insurance and the open boxes are the rest, so all together are what the player staked and got back.
    """
    boxes = {box["box"]: box for box in record["head"]["setup"]["boxes"]}
    events = [event for step in record["steps"] for event in step["events"]]
    forced = [*_bonuses(boxes, events), *_blind_boxes(boxes, events)]
    (total,) = record["result"]["seats"]
    staked = total["staked_minor"] - sum(play.staked_minor for play in forced)
    returned = total["returned_minor"] - sum(play.returned_minor for play in forced)
    return *forced, Play(OPEN, max(box["ante_minor"] for box in boxes.values()), staked, returned)


def _bonuses(boxes: dict[int, Any], events: Iterable[Json]) -> Iterator[Play]:
    for event in events:
        if event["type"] in ("bonus_won", "bonus_lost"):
            stake = boxes[event["box"]]["bonus_minor"]
            yield Play(BONUS, stake, stake, event.get("returned_minor", 0))


def _blind_boxes(boxes: dict[int, Any], events: list[Json]) -> Iterator[Play]:
    blind = [event["box"] for event in events if event["type"] == "bet_placed" and event["blind"]]
    bought = {event["box"] for event in events if event["type"] == "game_bought"}
    back = {event["box"]: event["returned_minor"] for event in events if event["type"] == "box_settled"}
    for series, box in zip(BLIND, sorted(blind), strict=False):
        ante = boxes[box]["ante_minor"]
        returned = (AT_STAKE + NO_GAME_PROFIT) * ante if box in bought else back[box]
        yield Play(series, ante, AT_STAKE * ante, returned)
