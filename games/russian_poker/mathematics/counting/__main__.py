"""``python -m games.russian_poker.mathematics.counting``: count again and print what ``frequencies.json`` is to hold."""

import json
import sys

from games.russian_poker.mathematics.counting.recount import recounted
from games.russian_poker.mathematics.frequencies import frequencies_json


def _say(what: str) -> None:
    sys.stderr.write(f"{what}\n")


sys.stdout.write(json.dumps(frequencies_json(recounted(_say)), indent=1) + "\n")
