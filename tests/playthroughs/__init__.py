"""Golden rounds: each file is a sandbox script and what came of it when somebody last read it through.

``python -m tests.playthroughs`` plays the scripts again and writes what comes of them now; read the difference before keeping it.
"""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

FOLDER = Path(__file__).parent
PLAYTHROUGHS: Mapping[str, Mapping[str, Any]] = {
    path.stem: json.loads(path.read_text(encoding="utf-8")) for path in sorted(FOLDER.glob("*.json"))
}


def setups_of(game: str) -> list[Mapping[str, Any]]:
    """Return the setups of a game's golden rounds: what the conformance suite plays."""
    return [each["script"]["setup"] for each in PLAYTHROUGHS.values() if each["script"]["game"] == game]
