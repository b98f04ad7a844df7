"""A predictor told every public byte before a deal. Each way of guessing is a mistake a service could make with seeds."""

import hashlib
import hmac
import random
from collections import Counter
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from math import comb
from types import MappingProxyType
from uuid import UUID

from games.core.cards import DECK_52, Card
from games.core.shuffle import Seed, commitment
from games.rounds.commitments import SEED_BYTES

FALSE_ALARM = 1e-9
CLIENT_SEED = "a seed"


@dataclass(frozen=True)
class Public:
    """What anybody can know before a deal: the commitment, when it was made, and the seeds and first cards of rounds before."""

    round_id: UUID
    seed_hash: str
    made_at_us: int
    seeds: Sequence[bytes]
    first_cards: Sequence[Card]


def first_card(server_seed: bytes, round_id: UUID) -> Card:
    return Seed(str(round_id), server_seed, (CLIENT_SEED,)).shuffled(DECK_52, 0)[0]


def twister(value: int) -> bytes:
    return random.Random(value).randbytes(SEED_BYTES)


def sha256(*parts: bytes) -> bytes:
    return hashlib.sha256(b"".join(parts)).digest()


def successor(seed: bytes) -> bytes:
    return ((int.from_bytes(seed, "big") + 1) % 2**256).to_bytes(SEED_BYTES, "big")


SEEDS: Mapping[str, Callable[[Public], bytes]] = MappingProxyType(
    {
        "the published hash": lambda public: bytes.fromhex(public.seed_hash),
        "a hash of the published hash": lambda public: sha256(bytes.fromhex(public.seed_hash)),
        "the round id": lambda public: public.round_id.bytes * 2,
        "a hash of the round id": lambda public: sha256(public.round_id.bytes),
        "a hash of the round id's text": lambda public: sha256(str(public.round_id).encode()),
        "a generator seeded by the round id": lambda public: twister(public.round_id.int),
        "a generator seeded by the second": lambda public: twister(public.made_at_us // 1_000_000),
        "a generator seeded by the millisecond": lambda public: twister(public.made_at_us // 1_000),
        "a generator seeded by the microsecond": lambda public: twister(public.made_at_us),
        "a hash of the microsecond": lambda public: sha256(str(public.made_at_us).encode()),
        "a generator seeded by the number of the round": lambda public: twister(len(public.seeds)),
        "the seed before": lambda public: public.seeds[-1],
        "a hash of the seed before": lambda public: sha256(public.seeds[-1]),
        "the one after the seed before": lambda public: successor(public.seeds[-1]),
        "the seed before keyed with the round id": lambda public: hmac.digest(public.seeds[-1], public.round_id.bytes, "sha256"),
    }
)
"""Seeds that follow from what is public; each is a way to guess, and a mistake to make."""


@lru_cache(maxsize=1)
def short_seeds() -> Mapping[str, bytes]:
    """Every seed of 16 bits, by its published hash."""
    seeds = (number.to_bytes(SEED_BYTES, "big") for number in range(2**16))
    return {commitment(seed): seed for seed in seeds}


def guessed_by_trying(public: Public) -> Card | None:
    """Try every short seed against the published hash."""
    seed = short_seeds().get(public.seed_hash)
    return first_card(seed, public.round_id) if seed else None


def guessed_by_frequency(public: Public) -> Card:
    """Take the card that came first most often."""
    return Counter(public.first_cards).most_common(1)[0][0]


def guessed_by_habit(public: Public) -> Card:
    """Take the card that most often followed the last one."""
    followed = Counter(b for a, b in zip(public.first_cards, public.first_cards[1:], strict=False) if a is public.first_cards[-1])
    return followed.most_common(1)[0][0] if followed else public.first_cards[-1]


GUESSES: Mapping[str, Callable[[Public], Card | None]] = MappingProxyType(
    {
        **{name: lambda public, seed=seed: first_card(seed(public), public.round_id) for name, seed in SEEDS.items()},
        "a short seed, by trying": guessed_by_trying,
        "the most frequent card": guessed_by_frequency,
        "what followed last time": guessed_by_habit,
    }
)


def hits_allowed(rounds: int) -> int:
    """The most hits by chance, except with a probability of FALSE_ALARM for all guesses together: an exact binomial bound."""
    tail, hits = 0.0, rounds
    while tail <= FALSE_ALARM / len(GUESSES):
        tail += comb(rounds, hits) * 51 ** (rounds - hits) / 52**rounds
        hits -= 1
    return hits + 1


def hits(rounds: Iterable[tuple[Public, Card]]) -> Counter[str]:
    """Let every guess be made before each deal, and count those that were right."""
    right: Counter[str] = Counter()
    for public, dealt in rounds:
        right.update(name for name, guess in GUESSES.items() if guess(public) is dealt)
    return right
