"""How much of everything a run does."""

from dataclasses import dataclass


@dataclass(frozen=True)
class Scale:
    """The default takes some four minutes on two cores; ``TINY`` shows in seconds that everything runs, and says nothing."""

    repeats: int = 3
    seconds: int = 2
    clients: int = 16
    players: int = 1_000
    rounds_per_client: int = 60
    actions: int = 400
    records: int = 600
    hands: int = 20_000
    transfers_few: int = 10_000
    transfers_many: int = 1_000_000
    tables: int = 125
    crowd_seconds: int = 30
    night_rounds: int = 100_000
    night_transfers: int = 1_000_000


TINY = Scale(
    repeats=1,
    seconds=1,
    clients=2,
    players=40,
    rounds_per_client=4,
    actions=6,
    records=10,
    hands=100,
    transfers_few=100,
    transfers_many=1_000,
    tables=3,
    crowd_seconds=4,
    night_rounds=20,
    night_transfers=400,
)
