"""Scripted rounds: what a script may say, and what comes of it."""

import copy
import json
import re
import subprocess
import sys
from pathlib import Path
from random import Random

import pytest

from games.core.codec import canonical, parse
from games.core.errors import InvalidData
from games.engines import current_engines
from games.sandbox import MAX_ACTIONS, MAX_SCRIPT_BYTES, main, run, script_of
from tests.playthroughs import setups_of
from tests.rounds import action_of, record_of

SCRIPT = {
    "game": "russian_poker",
    "setup": {"boxes": [{"box": 2, "ante_minor": 100}]},
    "decks": [["As", "Ah", "Ad", "7c", "7s", "2c", "3d", "9h", "Jc", "Kd"]],
    "actions": [{"seat": 0, "type": "bet", "box": 2}, {"seat": 0, "type": "open_dealer"}, {"seat": 0, "type": "timeout"}],
}
SEED = "00" * 32
DOCS = Path("docs/sandbox.md").read_text(encoding="utf-8")


def changed(**changes):
    script = {**copy.deepcopy(SCRIPT), **changes}
    return {key: value for key, value in script.items() if value is not None}


def test_every_step_tells_events_moves_views_and_what_is_legal():
    played = run(SCRIPT)
    assert (played["completed"], played["over"], played["escrow_minor"]) == (True, True, 0)
    assert [step["action"]["type"] for step in played["steps"]] == ["open", "bet", "open_dealer", "continue"]
    first = played["steps"][0]
    assert [event["type"] for event in first["events"]] == ["box_dealt", "dealer_dealt", "cards_shown"]
    assert first["moves"][0] == {"kind": "hold", "seat": 0, "amount_minor": 100, "code": "ante"}
    assert [view["viewer"] for view in first["views"]] == [0, None]
    assert first["to_act"][0]["legal_actions"][0] == {
        "type": "exchange",
        "cost_minor": 100,
        "parameters": {
            "box": {"kind": "one_of", "options": [2]},
            "cards": {"kind": "subset_of", "options": ["As", "Ah", "Ad", "7c", "7s"], "min": 1, "max": 5},
        },
        "suggestions": [],
    }
    assert played["steps"][-1]["to_act"] == []
    assert played["result"]["seats"] == [{"seat": 0, "staked_minor": 300, "returned_minor": 400, "net_minor": 100}]


def test_a_script_may_end_before_the_round():
    played = run(changed(actions=[]))
    assert (played["over"], played["result"], played["escrow_minor"]) == (False, None, 300)


def test_an_illegal_action_ends_the_script_or_is_skipped():
    actions = [{"seat": 0, "type": "continue"}, *SCRIPT["actions"]]
    stopped = run(changed(actions=actions))
    assert (stopped["completed"], len(stopped["steps"])) == (False, 2)
    assert stopped["steps"][1] == {
        "seat": 0,
        "action": {"type": "continue"},
        "refused": {"code": "nothing_to_continue", "message": "nothing to continue"},
    }
    skipped = run(changed(actions=[*actions, {"seat": 0, "type": "timeout"}], **{"continue": True}))
    assert (skipped["completed"], skipped["over"]) == (True, True)
    assert skipped["steps"][-1]["refused"]["code"] == "seat_not_to_act"


def test_seeds_deal_as_in_a_round_for_money():
    seeded = changed(
        decks=None, server_seed=SEED, round_id="00000000-0000-4000-8000-000000000001", client_seeds=["x"], actions=[]
    )
    cards = run(seeded)["steps"][0]["views"][0]["view"]["boxes"][0]["cards"]
    assert cards == run(seeded)["steps"][0]["views"][0]["view"]["boxes"][0]["cards"]
    assert cards != run({**seeded, "client_seeds": ["y"]})["steps"][0]["views"][0]["view"]["boxes"][0]["cards"]


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"game": "roulette"}, "game"),
        ({"game": 5}, "game"),
        ({"setup": {"boxes": []}}, "setup.boxes"),
        ({"setup": None}, "setup"),
        ({"decks": None}, "decks"),
        ({"server_seed": SEED}, "decks"),
        ({"decks": None, "server_seed": "0"}, "server_seed"),
        ({"decks": None, "server_seed": SEED.upper().replace("0", "A")}, "server_seed"),
        ({"decks": [["As", "As"]]}, "decks.0.1"),
        ({"decks": [[5]]}, "decks.0.0"),
        ({"decks": ["As"]}, "decks.0"),
        ({"decks": [["2c"] * 121]}, "decks.0"),
        ({"round_id": "1"}, "round_id"),
        ({"client_seeds": ["a", "b"]}, "client_seeds"),
        ({"client_seeds": ["a" * 65]}, "client_seeds.0"),
        ({"continue": 1}, "continue"),
        ({"actions": [{"type": "bet", "box": 2}]}, "actions.0.seat"),
        ({"actions": [{"seat": 1, "type": "bet", "box": 2}]}, "actions.0.seat"),
        ({"actions": [{"seat": 0, "type": "bet", "box": 9}]}, "actions.0.box"),
        ({"actions": [{"seat": 0, "type": "raise"}]}, "actions.0.type"),
        ({"actions": ["bet"]}, "actions.0"),
        ({"actions": [SCRIPT["actions"][0]] * (MAX_ACTIONS + 1)}, "actions"),
        ({"speed": 1}, "speed"),
    ],
)
def test_a_script_that_makes_no_sense_is_refused_with_the_field(changes, field):
    with pytest.raises(InvalidData) as refused:
        run(changed(**changes))
    assert refused.value.field == field


def test_the_command_prints_the_round_or_names_the_field(tmp_path, capsys):
    file = tmp_path / "script.json"
    file.write_text(json.dumps(SCRIPT), encoding="utf-8")
    assert main([str(file)]) == 0
    assert json.loads(capsys.readouterr().out) == run(SCRIPT)
    file.write_text(json.dumps(changed(actions=[{"seat": 0, "type": "continue"}])), encoding="utf-8")
    assert main([str(file)]) == 1
    assert "nothing_to_continue" in capsys.readouterr().out
    for text, words in (
        (b"{", "is not JSON"),
        (b"[]", "must be an object"),
        (b'{"game": "x"}', "game: must be one of"),
        (b" " * (MAX_SCRIPT_BYTES + 1), "is longer than"),
    ):
        file.write_bytes(text)
        assert main([str(file)]) == 1
        assert words in capsys.readouterr().err
    assert main([str(tmp_path / "none")]) == 1
    assert main([]) == 1


def documented():
    """The examples of the page: a script, the command, and what it prints of it."""
    return re.findall(r"```json\n(.*?)```", DOCS, re.DOTALL)


def test_the_documented_example_plays_as_documented(tmp_path):
    script, printed = documented()[:2]
    (tmp_path / "script.json").write_text(script, encoding="utf-8")
    command = [sys.executable, "-S", "-m", "games.sandbox", str(tmp_path / "script.json")]
    done = subprocess.run(command, capture_output=True, text=True, check=False, cwd=Path.cwd(), encoding="utf-8")
    assert (done.returncode, done.stderr) == (0, "")
    steps = json.loads(done.stdout)["steps"]
    told = [{"action": step["action"], "events": step["events"], "moves": step["moves"]} for step in steps]
    assert told == parse(printed.encode())


@pytest.mark.parametrize("engine", current_engines(), ids=lambda engine: engine.code)
def test_every_game_is_documented(engine):
    assert f"`{engine.code}`" in DOCS
    for kind in engine.stake_kinds:
        assert f"{kind}_minor" in DOCS


def test_a_script_may_be_held_to_an_answer_of_some_length():
    whole = len(canonical(run(SCRIPT)["steps"]))
    assert run(SCRIPT, most_bytes=whole) == run(SCRIPT)
    with pytest.raises(InvalidData, match="shorten the script") as refused:
        run(SCRIPT, most_bytes=whole // 2)
    assert refused.value.field == "actions"


def test_the_system_plays_on_to_the_end_when_asked():
    begun = changed(actions=SCRIPT["actions"][:1])
    assert not run(begun)["over"]
    finished = run({**begun, "finish": True})
    assert (finished["over"], finished["escrow_minor"]) == (True, 0)
    assert [step["action"]["type"] for step in finished["steps"]][:2] == ["open", "bet"]
    illegal = changed(actions=[{"seat": 0, "type": "continue"}], finish=True)
    assert not run(illegal)["over"], "an illegal action ends the script"
    assert run({**illegal, "continue": True})["over"]


def test_a_version_of_the_rules_may_be_named():
    assert run(changed(rules_version=1))["rules_version"] == 1
    for version in (0, 2, "1"):
        with pytest.raises(InvalidData) as refused:
            run(changed(rules_version=version))
        assert refused.value.field == "rules_version"


def test_steps_before_one_are_played_and_not_told():
    whole, part = run(SCRIPT), run(SCRIPT, told_from=2)
    assert part == {**whole, "steps": whole["steps"][2:]}
    assert run(SCRIPT, told_from=2, most_bytes=len(canonical(whole["steps"][2])) + len(canonical(whole["steps"][3])))["over"]


@pytest.mark.parametrize("engine", current_engines(), ids=lambda engine: engine.code)
def test_the_script_of_a_record_plays_the_record(engine):
    for seed in range(3):
        chance = Random(seed)

        def choose(state, seat, chance=chance):
            return action_of(chance.choice(engine.legal_actions(state, seat)), chance) if chance.random() < 0.7 else None

        record = record_of(engine, setups_of(engine.code)[0], chance, choose=choose, void_after=seed or None)
        script = script_of(record)
        played = run(script)
        recorded = [step for step in record["steps"] if step["action"]["type"] != "void"]
        assert [step["events"] for step in played["steps"]] == [step["events"] for step in recorded]
        assert script_of(record, 1)["actions"] == []
        assert script_of(record, len(recorded)) == script
        for until in (0, len(recorded) + 1):
            with pytest.raises(InvalidData, match="from_seq"):
                script_of(record, until)
    for wrong in ({}, [], {"head": {}, "steps": []}):
        with pytest.raises(InvalidData, match="no record"):
            script_of(wrong)
