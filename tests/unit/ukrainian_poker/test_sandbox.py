"""The sandbox's page tells the truth about this game, and scripts may name the first dealer."""

import json
import re
from pathlib import Path

from games.core.codec import parse
from games.sandbox import run

SECTION = Path("docs/sandbox.md").read_text(encoding="utf-8").split("## `ukrainian_poker`")[1]
DOCUMENTED, PRINTED = re.findall(r"```json\n(.*?)```", SECTION, re.DOTALL)[:2]


def test_the_documented_example_plays_as_documented():
    steps = run(parse(DOCUMENTED.encode()))["steps"]
    told = [{"action": step["action"], "events": step["events"], "moves": step["moves"]} for step in steps]
    assert told == parse(PRINTED.encode())


def test_every_key_of_the_setup_is_documented():
    for key in run(json.loads(DOCUMENTED))["setup"]:
        assert f"`{key}`" in SECTION


def test_a_named_dealer_needs_no_order_of_seats():
    script = json.loads(DOCUMENTED)
    named = {**script, "setup": {**script["setup"], "first_dealer": 1}, "decks": script["decks"][1:]}
    assert run(named)["steps"] == run(script)["steps"]


def test_an_illegal_action_is_named_and_skipped():
    script = json.loads(DOCUMENTED)
    script["actions"].insert(1, {"seat": 1, "type": "bid", "tricks": 0})
    played = run({**script, "continue": True})
    assert [step["refused"]["code"] for step in played["steps"] if "refused" in step] == ["bid_makes_sum_equal_cards"]
    assert played["completed"] and len(played["steps"]) == 6
