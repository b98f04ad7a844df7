"""Golden rounds: each file is a sandbox script and what came of it when somebody last read it through.

``python -m tests.playthroughs`` plays the scripts again and writes what comes of them now; read the difference before keeping it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from games.core.codec import digest

FOLDER = Path(__file__).parent
PLAYTHROUGHS: Mapping[str, Mapping[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))
}


def setups_of(game: str) -> list[Mapping[str, Any]]:
    """Return the setups of a game's golden rounds: what the conformance suite plays."""
    return [each["script"]["setup"] for each in PLAYTHROUGHS.values() if each["script"]["game"] == game]


LONG = 100
"""From so many steps on a round is a game of hundreds, whose views would fill megabytes."""
WHOLE_EVERY = 150


def kept(played: Mapping[str, Any]) -> dict[str, Any]:
    """Return what a file keeps of a round: of a long one whole steps here and there, elsewhere the hash of views and choices."""
    steps = played["steps"]
    if len(steps) < LONG:
        return dict(played)
    shown = [step if place % WHOLE_EVERY == 0 or place == len(steps) - 1 else _hashed(step) for place, step in enumerate(steps)]
    return {**played, "steps": shown}


def _hashed(step: Mapping[str, Any]) -> dict[str, Any]:
    rest = {key: step[key] for key in ("views", "to_act") if key in step}
    return {**{key: value for key, value in step.items() if key not in rest}, "rest_hash": digest(rest)}
