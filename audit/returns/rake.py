"""Whether a game among players took exactly its rake, and no money of the house moved. Pure; the engine is not asked."""

from collections import Counter

from games.core.engine import Json, Move
from games.core.mathematics import Play
from games.core.pot import NO_RAKE, Rake
from games.core.record import seat_totals

POT = "pot"
"""The series of games among players."""
WIN = "win"
"""The code of a release of one seat's own win."""


def record_rake(record: Json) -> tuple[Play, str | None]:
    """Return a settled round as one bet, and what is wrong with its rake.

    **Rule** What seats put in is what they get back and the rake. The rake of a shared pot is that of the whole pot; where
    winners have wins of their own it is that of each win (CP-5.2, UP-1.2, RA-1.2). The level is the most that was held of a
    seat: what a game by points stakes is only what was lost, nothing when it is drawn.
    """
    moves = [Move(**move) for step in record["steps"] for move in step["moves"]]
    totals = seat_totals(moves, len(record["head"]["seats"]))
    staked, returned = sum(each.staked_minor for each in totals), sum(each.returned_minor for each in totals)
    play = Play(POT, max(each.held_minor for each in totals), staked, returned)
    taken: Counter[int] = Counter()
    won: Counter[int] = Counter()
    for move in moves:
        if move.kind in ("fund", "collect"):
            return play, f"{move.kind} of {move.amount_minor} by the house"
        if move.kind == "rake":
            taken[move.seat] += move.amount_minor
        elif move.kind == "release" and move.code == WIN:
            won[move.seat] += move.amount_minor
    if staked != returned + sum(taken.values()):
        return play, f"{staked} staked, {returned} returned, {sum(taken.values())} rake"
    return play, _wrong_rake(_rule(record), taken, won, staked)


def _wrong_rake(rule: Rake, taken: Counter[int], won: Counter[int], pot: int) -> str | None:
    if won:
        due = {seat: rule.of(won[seat] + taken[seat]) for seat in won | taken}
        return None if due == {seat: taken[seat] for seat in due} else f"rake of wins {dict(taken)}, due {due}"
    due_of_pot, found = rule.of(pot), sum(taken.values())
    return None if due_of_pot == found else f"rake of a pot of {pot}: {found}, due {due_of_pot}"


def _rule(record: Json) -> Rake:
    rake = record["head"]["setup"].get("rake")
    return Rake(rake["basis_points"], rake["cap_minor"]) if rake else NO_RAKE
