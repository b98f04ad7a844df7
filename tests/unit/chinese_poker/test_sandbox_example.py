"""The example of docs/sandbox.md plays as it is written there."""

import json
import re
from pathlib import Path

from games.core.codec import parse
from games.sandbox import run

SECTION = Path("docs/sandbox.md").read_text(encoding="utf-8").split("\n## `chinese_poker`\n")[1].split("\n## ")[0]


def test_the_documented_example_plays_as_documented():
    script, printed = re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)
    played = run(parse(script.encode()))
    told = [
        {"action": {"type": step["action"]["type"]}, "events": step["events"], "moves": step["moves"]} for step in played["steps"]
    ]
    assert told == parse(printed.encode())
    assert json.loads(script)["actions"][-1] == {"seat": 0, "type": "doezd"}
    assert [seat["net_minor"] for seat in played["result"]["seats"]] == [488, -500]
