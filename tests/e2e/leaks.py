"""Search whatever a service gives away for what it must not: the order of cards not yet dealt, and seeds, in any spelling."""

import base64
import binascii
import re
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

from games.core.cards import DECK_52, Card
from games.core.engine import Engine, Json
from games.core.shuffle import Seed, Shuffles
from games.engines import engine_for
from games.russian_poker.engine.state import State

RUN_OF_CARDS = 7
"""So many cards in their hidden order are no accident: 52 · 51 · … · 46 is 7 · 10^11."""
SLICE_BYTES = 8
FOLDS_MAX = 3
_BASE64 = re.compile(rb"[A-Za-z0-9+/_-]{24,}")
_HEX = re.compile(rb"(?:[0-9A-Fa-f]{2}){12,}")
_NO_DIGITS = re.compile(rb"[^0-9]+")
_NOT_ALPHANUMERIC = bytes(code for code in range(256) if not chr(code).isalnum() or code > 127)
_ESCAPES = {b"\\u2663": b"c", b"\\u2666": b"d", b"\\u2665": b"h", b"\\u2660": b"s"}
_SIGNS = {sign.encode(): letter.encode() for sign, letter in zip("♣♦♥♠", "cdhs", strict=True)}


@dataclass(frozen=True)
class Secret:
    """What a round hides at a moment: its seed, and the hidden cards in their order."""

    name: str
    seed: bytes
    runs: tuple[tuple[Card, ...], ...] = ()

    def needles(self) -> Iterator[tuple[str, bytes]]:
        """Spell the secret for each way of reading a text."""
        yield from _spelt_seed(self.seed)
        for run in self.runs:
            yield from _spelt_cards(run)
            yield from _spelt_cards(run[::-1])


def secret_of(record: Json, seq: int) -> Secret:
    """Say what the round of a record hid right after a step."""
    state, seed = state_after(record, seq)
    deck = [state.deck[at : at + RUN_OF_CARDS] for at in range(0, len(state.deck) - RUN_OF_CARDS + 1, 3)]
    dealer = [] if state.dealer_opened else [(*state.dealer, *state.deck)[:RUN_OF_CARDS], (*state.dealer[:4], *state.deck[:3])]
    return Secret(record["head"]["round_id"], seed.server_seed, (*deck, *dealer))


def hidden_cards(record: Json, seq: int) -> set[str]:
    """Say which cards nobody may have seen right after a step."""
    state, _ = state_after(record, seq)
    return {card.text for card in (*state.deck, *(() if state.dealer_opened else state.dealer[:-1]))}


@dataclass
class Overheard:
    """The shuffles of a round, and every deck that they laid."""

    seed: Seed
    decks: list[tuple[Card, ...]] = field(default_factory=list)

    def shuffled(self, items: Sequence[Any], number: int) -> tuple[Any, ...]:
        laid = self.seed.shuffled(items, number)
        if len(laid) >= len(DECK_52):  # the seats may be shuffled as well, to find who deals
            self.decks.append(tuple(DECK_52[item] if isinstance(item, int) else item for item in laid))
        return laid

    def dump(self) -> Mapping[str, Any]:
        return self.seed.dump()


def secrets_at_table(record: Json, seq: int) -> dict[int | None, Secret]:
    """Say what a round among players hid right after a step from each seat, and, under None, from everybody else.

    Of a deck's order everybody may know what they see of it, such as a hand as it was dealt.
    """
    seed = _seed_of(record)
    overheard = Overheard(seed)
    state, engine = _played(record, seq, overheard)
    runs = [deck[at : at + RUN_OF_CARDS] for deck in overheard.decks for at in range(len(deck) - RUN_OF_CARDS + 1)]
    secrets = {}
    for viewer in (None, *range(len(record["head"]["seats"]))):
        shown = shown_cards(engine.view(state, viewer))
        hidden = tuple(run for run in runs if not {card.text for card in run} <= shown)
        secrets[viewer] = Secret(record["head"]["round_id"], seed.server_seed, hidden)
    return secrets


def state_after(record: Json, seq: int) -> tuple[State, Seed]:
    """Play the round of a record of Russian poker up to a step."""
    seed = _seed_of(record)
    return _played(record, seq, seed)[0], seed


def _seed_of(record: Json) -> Seed:
    head = record["head"]
    return Seed(head["round_id"], bytes.fromhex(record["server_seed"]), tuple(seat["client_seed"] for seat in head["seats"]))


def _played(record: Json, seq: int, shuffles: Shuffles) -> tuple[Any, Engine[Any, Any, Any]]:
    head = record["head"]
    engine = engine_for(head["game"], head["rules_version"])
    state = engine.start(engine.parse_setup(head["setup"]), shuffles).state
    for step in record["steps"][1 : seq + 1]:
        state = engine.apply(state, step["seat"], engine.parse_action(step["action"])).state
    return state, engine


def leaks(given_away: Mapping[str, Iterable[bytes]], secrets: Sequence[Secret]) -> list[str]:
    """Name every place that tells a secret."""
    needles = [(secret.name, form, needle) for secret in secrets for form, needle in set(secret.needles())]
    found = set()
    for place, texts in given_away.items():
        forms = _forms(b"\n~\n".join(piece for text in set(texts) for piece in unfolded(text)))
        found |= {f"{place}: {name} as {form} {needle!r}" for name, form, needle in needles if needle in forms[form]}
    return sorted(found)


def unfolded(text: bytes, folds: int = FOLDS_MAX) -> Iterator[bytes]:
    """Return a text and what it wraps: hexadecimal, base64 and compressed parts, again and again."""
    yield text
    if folds == 0:
        return
    for run in _BASE64.findall(text):
        standard = run.replace(b"-", b"+").replace(b"_", b"/")
        for start in range(4):
            part = standard[start : start + (len(run) - start) // 4 * 4]
            yield from unfolded(base64.b64decode(part), folds - 1)
    for run in _HEX.findall(text):
        yield from unfolded(binascii.unhexlify(run), folds - 1)
    for start in (at.start() for at in re.finditer(rb"\x78[\x01\x5e\x9c\xda]", text)):
        try:
            yield from unfolded(zlib.decompress(text[start:]), folds - 1)
        except zlib.error:
            continue


def shown_cards(document: Any) -> set[str]:
    """Collect every card that a document names, in whatever string, alone or packed."""
    if isinstance(document, dict):
        return set().union(*map(shown_cards, document.values()))
    if isinstance(document, list):
        return set().union(*map(shown_cards, document))
    if isinstance(document, str) and re.fullmatch(r"([2-9TJQKA][cdhs][^0-9A-Za-z]*)+", document):
        return set(re.findall(r"[2-9TJQKA][cdhs]", document))
    return set()


def _forms(text: bytes) -> dict[str, bytes]:
    """Read a text in three ways: as it is, by its letters and digits alone, by its numbers alone."""
    lettered = text
    for sign, letter in (_SIGNS | _ESCAPES).items():
        lettered = lettered.replace(sign, letter)
    return {
        "bytes": text,
        "letters": lettered.translate(None, _NOT_ALPHANUMERIC).lower(),
        "numbers": _NO_DIGITS.sub(b",", b"," + text + b","),
    }


def _spelt_seed(seed: bytes) -> Iterator[tuple[str, bytes]]:
    for whole in (seed, seed[::-1]):
        for at in range(0, len(whole), SLICE_BYTES):
            part = whole[at : at + SLICE_BYTES]
            yield "bytes", part
            yield "bytes", repr(part)[2:-1].encode()
            yield "letters", part.hex().encode()
            yield "letters", "".join(f"x{byte:02x}" for byte in part).encode()
            yield "numbers", _numbers(part)
        yield "numbers", _numbers([int.from_bytes(whole, "big")])


def _spelt_cards(run: Sequence[Card]) -> Iterator[tuple[str, bytes]]:
    texts = [card.text.lower() for card in run]
    yield "letters", "".join(texts).encode()
    yield "letters", "".join(text[::-1] for text in texts).encode()
    yield "letters", "".join(text.replace("t", "10") for text in texts).encode()
    for indexes in ([card.index for card in run], [card.index + 1 for card in run]):
        yield "bytes", bytes(indexes)
        yield "bytes", b"".join(index.to_bytes(2, "big") for index in indexes)
        yield "bytes", b"".join(index.to_bytes(2, "little") for index in indexes)
        yield "letters", bytes(indexes).hex().encode()
        yield "numbers", _numbers(indexes)
    yield "numbers", _numbers([number for card in run for number in (card.rank, card.suit)])
    yield "numbers", _numbers([number for card in run for number in (card.suit, card.rank)])


def _numbers(values: Iterable[int]) -> bytes:
    return b"," + b",".join(b"%d" % value for value in values) + b","
