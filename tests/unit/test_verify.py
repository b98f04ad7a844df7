"""The offline verifier: what is true verifies, and nothing else does."""

import copy
import json
import subprocess
import sys
from datetime import datetime, timedelta
from pathlib import Path
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from games.core.codec import canonical, digest, parse
from games.core.record import head_hash
from games.engines import current_engine
from games.verify import Divergence, main, verify
from tests.playthroughs import setups_of
from tests.rounds import record_of, text_of

ENGINE = current_engine("russian_poker")
SETUPS = setups_of(ENGINE.code)


def made(number, **how):
    return record_of(ENGINE, SETUPS[number % len(SETUPS)], Random(number), **how)


RECORD = made(6)
TEXT = text_of(RECORD)


def rechained(record):
    """Compute every hash of a changed record anew, as a forger would."""
    chain = head_hash(record["head"])
    for step in record["steps"]:
        step["previous_hash"] = chain
        step.pop("hash", None)
        chain = step["hash"] = digest(step)
    record.pop("record_hash", None)
    record["record_hash"] = digest(record)
    return record


def divergence_of(record):
    with pytest.raises(Divergence) as found:
        verify(text_of(record))
    return str(found.value)


def test_a_record_verifies():
    verdict = verify(TEXT)
    assert str(verdict) == (
        f"verified {RECORD['head']['round_id']}: russian_poker, settled, {len(RECORD['steps'])} steps, "
        f"{len(RECORD['transfers'])} transfers"
    )


def test_layout_does_not_matter():
    assert verify(json.dumps(RECORD, indent=2).encode()) == verify(TEXT)
    assert rechained(copy.deepcopy(RECORD)) == RECORD


@pytest.mark.parametrize(("mask", "stride"), [(0x01, 1), (0x20, 5), (0x80, 23)])
def test_no_byte_can_be_changed(mask, stride):
    """Every byte of a short record, one after another: a step, a seed, an amount, anything."""
    text = text_of(min((made(number) for number in range(0, 12, 2)), key=lambda record: len(record["steps"])))
    for place in range(0, len(text), stride):
        changed = bytearray(text)
        changed[place] ^= mask
        with pytest.raises(Divergence):
            verify(bytes(changed))


def test_no_byte_can_be_left_out_or_doubled():
    for place in range(0, len(TEXT), 41):
        for changed in (TEXT[:place] + TEXT[place + 1 :], TEXT[:place] + TEXT[place : place + 1] + TEXT[place:]):
            if changed != TEXT and changed.strip() != TEXT:
                with pytest.raises(Divergence):
                    verify(changed)


def _card(record):
    shown = next(event for event in record["steps"][0]["events"] if event["type"] == "cards_shown")
    shown["cards"][0] = "As" if shown["cards"][0] != "As" else "Ah"


def _amount(record):
    for moves in (record["steps"][0]["moves"], record["transfers"]):
        moves[0]["amount_minor"] += 100


def _staked(record):
    record["result"]["seats"][0]["staked_minor"] -= 1
    record["result"]["seats"][0]["net_minor"] += 1


def _outcome(record):
    record["result"]["outcome"]["boxes"][0]["outcome"] = (
        "won" if record["result"]["outcome"]["boxes"][0]["outcome"] != "won" else "lost"
    )


def _setup(record):
    record["head"]["setup"]["boxes"][0]["ante_minor"] *= 2


def _stake(record):
    record["head"]["setup"]["limits"]["stakes"]["ante"]["min_minor"] = 2 * record["head"]["setup"]["boxes"][0]["ante_minor"]


def _backwards(record):
    record["steps"][1]["at"] = "2025-12-31T23:59:59.000000Z"


def _no_time(record):
    record["steps"][1]["at"] = "2026-13-32T25:61:61.000000Z"


def _late_opening(record):
    for step in record["steps"]:
        step["at"] = "2026-01-02T00:00:00.000000Z"


def _first_turn(record):
    for step in record["steps"]:
        step["turn"] += 7


def _fraction(record):
    record["head"]["rules_version"] = True


def _pay(record):
    record["head"]["setup"]["pay_table"]["bet"]["flush"] += 1


def _seed(record):
    record["server_seed"] = record["server_seed"][:-1] + ("0" if record["server_seed"][-1] != "0" else "1")


def _client_seed(record):
    record["head"]["seats"][0]["client_seed"] += "x"


def _last_step(record):
    record["steps"].pop()


def _first_step(record):
    record["steps"].pop(0)


def _twice(record):
    record["steps"].append(copy.deepcopy(record["steps"][-1]))
    record["steps"][-1]["seq"] += 1
    record["steps"][-1]["turn"] += 1


def _transfer(record):
    record["transfers"].pop()


def _transfer_order(record):
    record["transfers"][0], record["transfers"][1] = record["transfers"][1], record["transfers"][0]


def _transfer_id(record):
    record["transfers"][0]["id"] = record["transfers"][1]["id"]


def _currency(record):
    record["transfers"][0]["currency"] = "USD"


def _turn(record):
    record["steps"][-1]["turn"] += 1


def _truth(record):
    record["steps"][1]["seq"] = True


def _origin(record):
    record["steps"][1]["origin"] = "system"


def _clock(record):
    record["steps"][1]["at"] = "2026-01-01T00:00:00Z"


def _state(record):
    record["steps"][1]["state_hash"] = "0" * 64


def _unknown(record):
    record["steps"][1]["note"] = ""


def _rules(record):
    record["head"]["rules_version"] = 999


def _event(record):
    record["steps"][1]["events"].pop()


@pytest.mark.parametrize(
    ("forge", "where"),
    [
        (_card, "step 0: events"),
        (_amount, "step 0: moves"),
        (_staked, "result"),
        (_outcome, "result"),
        (_setup, "step 0"),
        (_stake, "head.setup.boxes.0.ante_minor: stake_below_minimum"),
        (_backwards, "step 1: at"),
        (_no_time, "step 1: at"),
        (_late_opening, "step 0: at"),
        (_first_turn, "step 0: turn"),
        (_fraction, "head.rules_version"),
        (_pay, "step 0: "),
        (_seed, "server_seed"),
        (_client_seed, "step "),
        (_last_step, "not over"),
        (_first_step, "step 0: "),
        (_twice, "step "),
        (_transfer, "transfers"),
        (_transfer_order, "transfers"),
        (_transfer_id, "transfers"),
        (_currency, "transfers"),
        (_turn, "turn"),
        (_truth, "step 1: seq"),
        (_origin, "step 1: seat"),
        (_clock, "step 1: at"),
        (_state, "step 1: state_hash"),
        (_unknown, "step 1: the step: note"),
        (_rules, "head"),
        (_event, "step 1: events"),
    ],
)
def test_a_forger_who_computes_every_hash_anew_is_caught_by_the_replay(forge, where):
    forged = copy.deepcopy(RECORD)
    forge(forged)
    assert where in divergence_of(rechained(forged))


def test_another_action_does_not_fit_what_followed():
    record = made(6)
    step = record["steps"][1]
    step["action"] = {"type": "fold", "box": record["head"]["setup"]["boxes"][0]["box"]}
    assert divergence_of(rechained(record)).startswith("step 1")


def test_a_time_out_is_only_what_the_system_plays():
    record = made(3, choose=lambda state, seat: None)
    assert {step["origin"] for step in record["steps"][1:]} == {"timeout"}
    assert verify(text_of(record)).status == "settled"
    players = made(6)
    players["steps"][1]["origin"] = "timeout"
    assert "step 1" in divergence_of(rechained(players))


def test_a_time_out_does_not_come_before_its_time():
    record = made(3, choose=lambda state, seat: None)
    waited = record["head"]["setup"]["limits"]["abandon_after_seconds"]
    due = datetime.fromisoformat(record["head"]["opened_at"]) + timedelta(seconds=waited)
    for step in record["steps"][1:]:
        step["at"] = due.strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert verify(text_of(rechained(record))).status == "settled"
    record["steps"][1]["at"] = (due - timedelta(microseconds=1)).strftime("%Y-%m-%dT%H:%M:%S.%fZ")
    assert divergence_of(rechained(record)).startswith("step 1: at: the time-out comes before abandon_after_seconds")


def test_a_records_own_words_cannot_pass_for_the_verifiers(tmp_path, capsys):
    told = f"x\u001b[2K\rverified 0: y\n{verify(TEXT)}"
    file = tmp_path / "record.json"
    file.write_text(json.dumps({**RECORD, told: 1, "я🂡": 1}), encoding="utf-8")
    assert main([str(file)]) == 1
    (line,) = capsys.readouterr().out.splitlines()
    assert line.startswith("not verified: ")
    assert line.isascii() and line.isprintable()


def test_a_void_is_verified_too():
    record = made(5, void_after=1)
    assert verify(text_of(record)).status == "voided"
    assert record["result"]["seats"][0]["net_minor"] >= 0
    record["steps"][-1]["moves"][0]["amount_minor"] += 1
    record["transfers"][-len(record["steps"][-1]["moves"])]["amount_minor"] += 1
    assert divergence_of(rechained(record)).startswith("step 1: moves")


def test_nothing_follows_a_void():
    record = made(5, void_after=1)
    record["steps"].append({**record["steps"][-1], "seq": 2})
    assert divergence_of(rechained(record)) == "step 2: follows the end of the round"


def test_other_engine_files_are_told_and_do_not_matter():
    record = made(6)
    record["head"]["engine_digest"] = "0" * 64
    verdict = verify(text_of(rechained(record)))
    assert not verdict.same_files
    assert "other engine files" in str(verdict)


@given(st.binary(max_size=200))
def test_any_bytes_get_a_verdict(text):
    with pytest.raises(Divergence):
        verify(text)


@pytest.mark.parametrize("key", ["result", "head", "steps", "transfers"])
@pytest.mark.parametrize("depth", [100, *range(940, 1010, 5), 100_000])
def test_nesting_of_any_depth_gets_a_verdict(key, depth):
    deep = b"[" * depth + b"]" * depth
    text = TEXT.replace(canonical({key: RECORD[key]})[1:-1], b'"%b":%b' % (key.encode(), deep), 1)
    assert deep in text
    with pytest.raises(Divergence):
        verify(text)


def _paths(value, path=()):
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, each in items:
        yield from _paths(each, (*path, key))


PATHS = [path for path in _paths(RECORD) if path]
JSON = st.recursive(
    st.none()
    | st.booleans()
    | st.integers(-(2**53) + 1, 2**53 - 1)
    | st.text(max_size=5)
    | st.sampled_from(["player", "As", "open"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.sampled_from(["type", "box", "seat", "a"]), inner, max_size=3),
    max_leaves=4,
)


@settings(max_examples=150, deadline=None)
@given(path=st.sampled_from(PATHS), value=JSON, chained=st.booleans())
def test_any_value_anywhere_gets_a_verdict(path, value, chained):
    record = copy.deepcopy(RECORD)
    inner = record
    for key in path[:-1]:
        inner = inner[key]
    inner[path[-1]] = value
    if chained and isinstance(record["steps"], list) and all(isinstance(step, dict) for step in record["steps"]):
        rechained(record)
    try:
        verify(canonical(record))
    except Divergence:
        return
    assert record == RECORD or path[0] == "head" or path[-1] in ("at", "id")


def test_the_command_prints_and_exits(tmp_path, capsys):
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_bytes(TEXT)
    bad.write_bytes(TEXT.replace(b'"amount_minor":1', b'"amount_minor":2', 1))
    assert main([str(good)]) == 0
    assert capsys.readouterr().out.startswith("verified ")
    assert main([str(bad)]) == 1
    assert capsys.readouterr().out.startswith("not verified: step ")
    assert main([str(tmp_path / "none.json")]) == 1
    assert main([str(tmp_path)]) == 1
    assert main([]) == 1


def test_the_command_needs_the_standard_library_only(tmp_path):
    file = tmp_path / "record.json"
    file.write_bytes(TEXT)
    done = subprocess.run(
        [sys.executable, "-S", "-m", "games.verify", str(file)], capture_output=True, text=True, cwd=Path.cwd(), check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.startswith("verified ")


def test_records_survive_strict_reading():
    assert parse(TEXT) == RECORD
