"""Golden records: rounds of every version of every game's rules, verified as any round's record is, for ever.

``python -m tests.playthroughs.records`` adds those of versions that have none yet; one that is there is never written again.
"""

from pathlib import Path
from random import Random

from games.engines import ENGINES
from tests.playthroughs import setups_of
from tests.rounds import record_of, text_of

FOLDER = Path(__file__).with_name("records")
PER_VERSION = 2


def file_of(game: str, rules_version: int, number: int) -> Path:
    return FOLDER / f"{game}-{rules_version}-{number}.json"


if __name__ == "__main__":
    for engine in ENGINES:
        for number, setup in enumerate(setups_of(engine.code)[:PER_VERSION], 1):
            if not (file := file_of(engine.code, engine.rules_version, number)).exists():
                file.write_bytes(text_of(record_of(engine, setup, Random(number))))
