"""The example of docs/sandbox.md plays as it is printed there."""

import json
import re
from pathlib import Path

from games.rapira.engine.errors import Refusal
from games.sandbox import run

SECTION = Path("docs/sandbox.md").read_text(encoding="utf-8").partition("## `rapira`")[2]


def test_the_documented_example_plays_as_documented():
    script, printed = map(json.loads, re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)[:2])
    played = run(script)
    assert played["completed"] and not played["over"] and played["escrow_minor"] == 200
    told = [{"action": step["action"], "events": step["events"], "moves": step["moves"]} for step in played["steps"]]
    assert told == printed


def test_every_setting_action_and_refusal_is_documented():
    named = {*run_keys(), "discard", "play_hand", "bonus_suit", "bonus_pipette", "bonus_colour", "bonus_skip"}
    assert [name for name in (*named, *(code.value for code in Refusal)) if f"`{name}`" not in SECTION] == []


def run_keys():
    """The keys of a complete setup."""
    return run({"game": "rapira", "setup": {"seats": 2, "entry_minor": 1}, "server_seed": "0" * 64, "actions": []})["setup"]
