"""What if: the round's own cards and shuffles, other actions, and nothing kept."""

import json
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command

from audit.history.what_if import round_what_if
from casino.errors import Conflict, InvalidInput
from games.halls.models import Hall
from games.rounds.models import Round, RoundRecord, RoundStep
from games.sandbox import main, run, script_of
from tests import playing
from tests.playing import Books
from tests.services.audit.history.worlds import rows

MOST_BYTES = 64 * 1024 * 1024


def what_if(row: Round, from_seq: int, actions: list[dict[str, Any]], **flags: bool) -> dict[str, Any]:
    asked = {"goes_on": False, "finishes": False, **flags}
    return round_what_if(round_id=row.public_id, from_seq=from_seq, actions=actions, most_bytes=MOST_BYTES, **asked)


def record_of(row: Round) -> dict[str, Any]:
    return json.loads(RoundRecord.objects.get(round=row).document)  # type: ignore[no-any-return]


def test_the_recorded_actions_make_the_recorded_steps_again_with_every_shuffle(halls: dict[str, Hall]) -> None:
    for row in rows(halls["first"]):
        record, books, steps = record_of(row), Books.read(), RoundStep.objects.count()
        recorded = [step for step in record["steps"] if step["action"]["type"] not in ("open", "void")]
        middle = 1 + len(recorded) // 2
        actions = [
            {"seat": step["seat"], **({"type": "timeout"} if step["origin"] == "timeout" else step["action"])}
            for step in recorded[middle - 1 :]
        ]
        played = what_if(row, middle, actions)
        assert [step["events"] for step in played["steps"]] == [step["events"] for step in recorded[middle - 1 :]]
        assert [step["moves"] for step in played["steps"]] == [step["moves"] for step in recorded[middle - 1 :]]
        assert played["first_divergence"] is None
        assert (played["actual"], played["rules_version"]) == (record["result"], row.rules_version)
        if row.status == "settled":
            assert played["result"] == record["result"]
            assert all(each["net_difference_minor"] == 0 for each in played["compared"])
        else:
            assert played["result"] is None
            assert played["compared"][0]["what_if"] is None
        assert (Books.read(), RoundStep.objects.count()) == (books, steps)


def test_other_actions_are_told_apart_and_later_shuffles_stay_the_rounds_own(halls: dict[str, Hall]) -> None:
    """Whoever plays how: each deal of a game with several has the deck that the seeds gave it."""
    (row,) = (each for each in rows(halls["first"]) if each.game == "ukrainian_poker")
    record = record_of(row)
    whole = run({**script_of(record, 1), "finish": True})
    otherwise = what_if(row, 2, [], finishes=True)
    assert otherwise["over"] and whole["over"]
    deals = [
        [(event["seat"], event["cards"]) for step in steps for event in step["events"] if event["type"] == "hand_dealt"]
        for steps in (record["steps"], whole["steps"], [record["steps"][0], record["steps"][1], *otherwise["steps"]])
    ]
    assert len(deals[0]) > 2 * 2, "cards are shuffled again for every deal"
    assert deals[0] == deals[1] == deals[2]


def test_a_refused_action_is_noted_and_ends_it_or_is_skipped(halls: dict[str, Hall]) -> None:
    row = next(iter(rows(halls["first"])))
    illegal = {"seat": 0, "type": "continue"}
    ended = what_if(row, 1, [illegal, {"seat": 0, "type": "timeout"}])
    assert (ended["completed"], len(ended["steps"])) == (False, 1)
    assert ended["steps"][0]["refused"]["code"] in playing.ENGINE.error_codes
    assert (ended["steps"][0]["seq"], ended["steps"][0]["diverges"]) == (None, True)
    assert ended["first_divergence"] == 1
    skipped = what_if(row, 1, [illegal], goes_on=True, finishes=True)
    assert skipped["over"]
    assert skipped["steps"][1]["seq"] == 1


def test_an_open_round_is_not_played_otherwise_and_a_step_that_is_none_is_named(halls: dict[str, Hall]) -> None:
    row = next(iter(rows(halls["first"])))
    standing = playing.open_round(playing.player(halls["first"]), halls["first"]).row
    with pytest.raises(Conflict):
        what_if(standing, 1, [])
    with pytest.raises(InvalidInput) as refused:
        what_if(row, 99, [])
    assert refused.value.details["field"] == "from_seq"


def test_from_the_command_line_a_record_becomes_a_script_that_plays_the_same(
    halls: dict[str, Hall], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    row = next(iter(rows(halls["first"])))
    record, script = tmp_path / "record.json", tmp_path / "script.json"
    call_command("round_export", str(row.public_id), output=record)
    assert main(["--of-record", str(record)]) == 0
    script.write_text(capsys.readouterr().out)
    assert main([str(script)]) == 0
    assert json.loads(capsys.readouterr().out)["result"] == record_of(row)["result"]
    assert main(["--of-record", str(record), "1"]) == 0
    assert json.loads(capsys.readouterr().out)["actions"] == []
    assert main(["--of-record", str(record), "99"]) == 1
    assert "from_seq" in capsys.readouterr().err
    assert main(["--of-record", str(script)]) == 1
    assert "no record" in capsys.readouterr().err
    assert main(["--of-record"]) == main([]) == 1
