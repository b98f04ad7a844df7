"""The decks of closed rounds, dealt again from their revealed seeds and held against what their records say was dealt."""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np

from audit.fairness.decks import Orders
from audit.fairness.rederive import Dealt, Rederived
from games.core.codec import canonical, parse
from games.core.engine import Json, Step
from games.core.errors import IllegalAction, InvalidData
from games.core.record import VOID
from games.core.shuffle import commitment
from games.engines import engine_for


@dataclass(frozen=True, slots=True)
class RoundDecks:
    """What a record's round dealt from: every shuffle it used, in order, and where its cards are others than recorded."""

    round_id: str
    game: str
    decks: tuple[Dealt, ...]
    divergence: str | None


def round_decks(record: Json) -> RoundDecks:
    """Deal a round again by the second shuffle, and play its recorded actions.

    **Rule** Every event that the rules then write, each card in it, must be the recorded one.
    """
    head = record["head"]
    seed_bytes = bytes.fromhex(record["server_seed"])
    shuffles = Rederived(head["round_id"], seed_bytes, tuple([seat["client_seed"] for seat in head["seats"]]))
    engine = engine_for(head["game"], head["rules_version"])
    divergence = None if commitment(seed_bytes) == head["seed_hash"] else "the seed is not the committed one"
    try:
        for recorded, step in zip(record["steps"], _played(engine, record, shuffles), strict=False):
            if canonical([engine.dump_event(event) for event in step.events]) != canonical(recorded["events"]):
                divergence = divergence or f"step {recorded['seq']}: the cards or what came of them are not those of the seeds"
    except (IllegalAction, InvalidData) as error:
        divergence = divergence or f"the seeds give cards that the recorded actions do not fit: {error}"
    decks = tuple([shuffles.dealt[number] for number in sorted(shuffles.dealt)])
    return RoundDecks(head["round_id"], head["game"], decks, divergence)


def _played(engine: Any, record: Json, shuffles: Rederived) -> Iterator[Step[Any]]:
    """Yield the steps of a round as the rules make them of its actions, up to its end or its void."""
    step = engine.start(engine.parse_setup(record["head"]["setup"]), shuffles)
    yield step
    for recorded in record["steps"][1:]:
        if recorded["action"]["type"] == VOID:
            return
        seat, state = recorded["seat"], step.state
        timed_out = recorded["origin"] == "timeout"
        action = engine.timeout_action(state, seat) if timed_out else engine.parse_action(recorded["action"])
        step = engine.apply(state, seat, action)
        yield step


@dataclass(frozen=True, slots=True)
class DealtDecks:
    """The decks of many rounds: by game and number of items in the order they were dealt, and the rounds that diverge."""

    rounds: int
    orders: Mapping[tuple[str, int], Orders]
    divergences: Mapping[str, str]


def dealt_decks(documents: Iterable[tuple[str, str]]) -> DealtDecks:
    """Deal many rounds again, from their ids and the texts of their records.

    **Rule** A round that diverges is named, and its decks count all the same. Whatever a forged record makes of the rules is a
    divergence of that round and not the end of the run.
    """
    rows: dict[tuple[str, int], list[bytes]] = {}
    divergences, rounds = {}, 0
    for round_id, document in documents:
        rounds += 1
        try:
            found = round_decks(parse(document.encode()))
        except Exception as error:
            divergences[round_id] = f"the record cannot be dealt again: {type(error).__name__} {error}"
            continue
        for deck in found.decks:
            rows.setdefault((found.game, len(deck.order)), []).append(bytes(deck.order))
        if found.round_id != round_id:
            divergences[round_id] = f"the record is that of round {found.round_id}"
        elif found.divergence is not None:
            divergences[round_id] = found.divergence
    orders = {
        (game, items): np.frombuffer(b"".join(decks), dtype=np.uint8).reshape(-1, items) for (game, items), decks in rows.items()
    }
    return DealtDecks(rounds, dict(sorted(orders.items())), divergences)
