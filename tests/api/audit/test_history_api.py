"""Looking into rounds over HTTP: the list with its figures, steps as every seat saw them, what if, exports."""

import csv
import io
import json
import random
from typing import Any
from uuid import uuid4

import pytest
from rest_framework.test import APIClient

from audit.findings import Severity, finding_raise
from audit.history.models import Export
from audit.models import AuditRecord
from audit.sightings.models import Sighting
from casino.permissions import Role
from casino.users.models import User
from games.halls.models import Hall
from games.rounds.models import Round, RoundStep
from tests import playing
from tests.playing import Books, client, open_round, play_out
from tests.table_builders import Game, convention

PATH = "/api/v1/audit/rounds"


@pytest.fixture
def auditor(hall: Hall) -> APIClient:
    return client(playing.user_with(Role.AUDITOR))


@pytest.fixture
def settled(player: User, hall: Hall) -> Round:
    round_id = open_round(player, hall, playing.FOUR_BOXES).round_id
    play_out(player, round_id, random.Random(3))
    return Round.objects.get(commitment_id=round_id)


def all_steps(auditor: APIClient, row: Round, page_size: int = 20) -> list[dict[str, Any]]:
    steps, url = [], f"{PATH}/{row.public_id}/steps?page_size={page_size}"
    while url:
        page = auditor.get(url).json()
        steps += page["results"]
        url = page["next"]
    return steps


def test_overseers_see_figures_beside_each_round_and_players_do_not(auditor: APIClient, settled: Round, player: User) -> None:
    finding_raise(check="a_check", severity=Severity.NOTICE, subject=settled, evidence={"found": 1})
    (seat,) = settled.seats.all()
    (listed,) = auditor.get("/api/v1/rounds", {"finding": "unresolved"}).json()["results"]
    assert listed["figures"] == {
        "staked_minor": seat.staked_minor,
        "returned_minor": seat.returned_minor,
        "net_minor": seat.returned_minor - seat.staked_minor,
        "rake_minor": 0,
        "automatic_moves": 0,
        "findings": 1,
        "findings_unresolved": 1,
    }
    shown = auditor.get(f"{PATH}/{settled.public_id}").json()
    assert shown["round"] == listed
    assert [(each["check_name"], each["evidence"]) for each in shown["findings"]] == [("a_check", {"found": 1})]
    (own,) = client(player).get("/api/v1/rounds").json()["results"]
    assert own["figures"] is None
    assert client(player).get("/api/v1/rounds", {"finding": "any"}).status_code == 403
    assert auditor.get(f"{PATH}/{uuid4()}").status_code == 404


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("result", "drawn"),
        ("net_from_minor", "1.5"),
        ("net_from_minor", "+5"),
        ("net_from_minor", "-0"),
        ("staked_to_minor", "99999999999999999"),
        ("opened_from", "yesterday"),
        ("automatic_moves", "yes"),
        ("finding", "resolved"),
        ("net", "5"),
        ("game", "whist"),
    ],
)
def test_a_mistaken_filter_is_refused_by_name(auditor: APIClient, name: str, value: str) -> None:
    refused = auditor.get("/api/v1/rounds", {name: value})
    assert (refused.status_code, refused.json()["details"]["field"]) == (400, name)


def test_of_an_open_round_the_steps_tell_what_anybody_may_see(auditor: APIClient, player: User, hall: Hall) -> None:
    opened = open_round(player, hall, playing.FOUR_BOXES)
    (step,) = all_steps(auditor, opened.row)
    public = auditor.get(f"/api/v1/rounds/{opened.round_id}").json()
    assert [(each["viewer"], each["before"], each["after"]) for each in step["views"]] == [(None, None, public["view"])]
    assert (step["action"], step["escrow"], step["transfers"]) == (None, None, None)
    assert step["seats"][0]["after"]["held_minor"] == public["seats"][0]["held_minor"]
    assert step["seats"][0]["after"]["available_minor"] is None
    assert auditor.post(f"{PATH}/{opened.round_id}/what-if", {"from_seq": 1, "actions": []}).status_code == 409


def test_of_an_open_round_nothing_hidden_is_in_steps_or_cursors(auditor: APIClient, hall: Hall) -> None:
    """A declared secret is a step that others are not shown and that does not count; nor does a page's link count it."""
    game = Game.opened(hall, 2, game="rapira", convention=convention("rapira", max_cycles=1))
    chance = random.Random(5)
    hidden = 0
    while hidden == 0 and game.to_act():
        game.act_by_chance(chance.choice(game.to_act()), chance)
        hidden = sum(seat.hidden_steps for seat in game.position.seats)
    assert hidden, "a step that one seat alone sees"
    steps = all_steps(auditor, game.row, page_size=1)
    assert len(steps) <= RoundStep.objects.filter(round=game.row).count() - hidden
    assert [step["seq"] for step in steps] == list(range(len(steps)))
    assert {view["viewer"] for step in steps for view in step["views"]} == {None}


def test_pages_of_steps_lead_forwards_and_back(auditor: APIClient, settled: Round) -> None:
    whole = all_steps(auditor, settled)
    assert [step["seq"] for step in whole] == list(range(settled.seq + 1))
    first = auditor.get(f"{PATH}/{settled.public_id}/steps?page_size=2").json()
    second = auditor.get(first["next"]).json()
    assert first["results"] + second["results"] == whole[:4]
    assert first["previous"] is None
    assert auditor.get(second["previous"]).json()["results"] == first["results"]
    assert auditor.get(f"{PATH}/{settled.public_id}/steps?page_size=51").status_code == 400


def test_the_same_actions_come_to_the_same_and_others_are_told_apart(auditor: APIClient, settled: Round) -> None:
    books, steps = Books.read(), RoundStep.objects.count()
    record = auditor.get(f"/api/v1/rounds/{settled.public_id}/record").json()
    same = [{"seat": step["seat"], **step["action"]} for step in record["steps"][1:]]
    path = f"{PATH}/{settled.public_id}/what-if"
    played = auditor.post(path, {"from_seq": 1, "actions": same}).json()
    assert (played["over"], played["first_divergence"], played["result"]) == (True, None, record["result"])
    assert [each["net_difference_minor"] for each in played["compared"]] == [0]
    assert played["compared"][0]["actual"] == played["compared"][0]["what_if"]
    other = auditor.post(path, {"from_seq": 1, "actions": [], "finish": True}).json()
    assert other["over"]
    assert other["first_divergence"] is not None
    (compared,) = other["compared"]
    assert compared["net_difference_minor"] == compared["what_if"]["net_minor"] - compared["actual"]["net_minor"]
    assert (Books.read(), RoundStep.objects.count()) == (books, steps)
    seen = Sighting.objects.get(path=path)
    assert (seen.subject_id, seen.players) == (str(settled.public_id), [record["head"]["seats"][0]["player"]])
    for body, field in (
        ({"from_seq": 0, "actions": []}, "from_seq"),
        ({"from_seq": len(record["steps"]) + 1, "actions": []}, "from_seq"),
        ({"from_seq": 2, "actions": [same[0], {"seat": 0, "type": "cheat"}]}, "actions.1.type"),
        ({"from_seq": 2, "actions": [{"seat": 9, "type": "timeout"}]}, "actions.0.seat"),
    ):
        refused = auditor.post(path, body)
        assert (refused.status_code, refused.json()["details"]["field"]) == (400, field)


def test_an_export_is_noted_and_tells_how_it_ended(auditor: APIClient, settled: Round) -> None:
    """What is not committed yet, as all here, may or may not be in a snapshot; so this asks for a game that nobody has played."""
    taken = auditor.get(f"{PATH}/export", {"format": "csv", "game": "rapira"})
    assert taken.streaming
    assert taken.headers["Export-Rounds"] == "0"
    assert taken.headers["Content-Type"] == "text/csv; charset=utf-8; header=present"
    (header,) = csv.reader(io.StringIO(taken.getvalue().decode()))
    assert header[:2] == ["round_id", "game"]
    shown = auditor.get(f"/api/v1/audit/exports/{taken.headers['Export-Id']}").json()
    assert (shown["status"], shown["rounds_written"], shown["rounds_total"]) == ("done", 0, 0)
    assert auditor.get("/api/v1/audit/exports").json()["results"] == [shown]
    noted = AuditRecord.objects.get(action="rounds_exported")
    assert noted.subject_id == shown["id"]
    assert noted.after == {"format": "csv", "filters": {"game": "rapira"}, "rounds": 0}
    assert auditor.get(f"/api/v1/audit/exports/{uuid4()}").status_code == 404
    assert auditor.get(f"{PATH}/export").status_code == 400
    assert auditor.get(f"{PATH}/export", {"format": "xls"}).status_code == 400
    head = auditor.head(f"{PATH}/export", {"format": "jsonl"})
    assert (head.status_code, head.headers["Content-Type"]) == (200, "application/x-ndjson")
    assert Export.objects.count() == 1


def test_too_many_exports_at_once_are_refused(auditor: APIClient) -> None:
    author = playing.user_with(Role.AUDITOR)
    for _ in range(4):
        Export.objects.create(author=author, format="csv", filters={}, snapshot="", rounds_total=1)
    refused = auditor.get(f"{PATH}/export", {"format": "csv"})
    assert (refused.status_code, refused.json()["code"]) == (429, "too_many_exports")
    assert refused.headers["Retry-After"] == "30"
    first = Export.objects.order_by("pk")[:1]
    Export.objects.filter(pk__in=first.values("pk")).update(status="stopped")
    assert auditor.get(f"{PATH}/export", {"format": "csv"}).status_code == 200


def test_a_client_may_ask_for_the_media_type_that_it_gets(auditor: APIClient) -> None:
    taken = auditor.get(f"{PATH}/export", {"format": "jsonl"}, headers={"Accept": "application/x-ndjson"})
    assert taken.status_code == 200
    assert [json.loads(line) for line in taken.getvalue().splitlines()] == []
