"""What bets gave back, over HTTP."""

from datetime import timedelta
from random import Random
from uuid import UUID

import pytest

from audit.returns.checking import returns_check
from casino.db import now
from casino.permissions import Role
from tests import playing, report_builders
from tests.playing import client, open_round, play_out, user_with
from tests.report_builders import fold, hall_of, player_with

pytestmark = pytest.mark.django_db

PATH = "/api/v1/audit/returns"
NO_PRIZE = UUID(int=12)
"""A deal that no prize of the Bonus comes of; a straight flush in the only round would be an alarm."""


def test_an_auditor_sees_every_series_with_its_theory() -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    play_out(player, open_round(player, hall, playing.FOUR_BOXES).round_id, Random(1))
    auditor = client(user_with(Role.AUDITOR))
    assert auditor.get(PATH).json() == {"through": None, "results": []}
    today = auditor.get(f"{PATH}?with_today=true&window=whole").json()
    assert today["through"] is None
    rows = {(row["series"], row["level_minor"]): row for row in today["results"]}
    assert rows.keys() == {
        (series, level)
        for series, level in (("bonus", 10), ("blind_1", 100), ("blind_2", 100), ("open", 100))
        for level in (level, None)
    }
    bonus = rows["bonus", 10]
    assert (bonus["plays"], bonus["staked_minor"], bonus["effective_plays"]) == (4, 40, "4")
    assert (bonus["theoretical"], bonus["deviation"]) == ("0.969506264044", "6.85807861303")
    assert (bonus["hall_id"], bonus["game"], bonus["pay_table_version"]) == (str(hall.public_id), playing.GAME, 1)
    assert (rows["blind_1", 100]["theoretical"], rows["blind_1", 100]["staked_minor"]) == ("0.899930730674", 300)
    assert (rows["open", 100]["theoretical"], rows["open", 100]["rare"]) == (None, None)
    assert rows["open", 100]["common"] is None
    # Where all open boxes gave back what was staked there is no z, and no bounds.
    assert {alarm["min"] for alarm in (rows["open", 100]["bounds"] or {}).values()} <= {None}
    z = (float(bonus["actual"]) - float(bonus["theoretical"])) * 4**0.5 / float(bonus["deviation"])
    assert float(bonus["z"]) == pytest.approx(z, abs=1e-4)
    reach = 3 * float(bonus["deviation"]) / 4**0.5
    assert float(bonus["bounds"]["amber"]["max"]) == pytest.approx(float(bonus["theoretical"]) + reach)
    assert (bonus["common"]["up_to"], bonus["common"]["z"], bonus["rare"]["tests"]) == ("0", None, 7)
    assert bonus["impossible"] is None


def test_series_are_chosen_by_hall_game_window_and_verdict() -> None:
    hall = playing.halls()["first"]
    player = playing.player(hall)
    moment = now()
    round_id = report_builders.open_round(player, hall, moment, opening=playing.ONE_BOX, deal=NO_PRIZE)
    play_out(player, round_id, Random(1))
    returns_check(now=moment + timedelta(days=365))
    auditor = client(user_with(Role.AUDITOR))
    assert auditor.get(PATH).json()["through"] == moment.date().isoformat()
    assert (
        len(auditor.get(f"{PATH}?hall_id={hall.public_id}&game=russian_poker&verdict=green&window=whole").json()["results"]) == 4
    )
    for other in ("hall_id=00000000-0000-4000-8000-000000000000", "game=rapira", "verdict=red"):
        assert auditor.get(f"{PATH}?{other}").json()["results"] == []
    for wrong in ("window=year", "game=whist"):
        assert auditor.get(f"{PATH}?{wrong}").status_code == 400


def test_only_auditors_and_admins_see_returns() -> None:
    assert client(user_with(Role.ADMIN)).get(PATH).status_code == 200
    for role in (Role.PLAYER, Role.SUPERVISOR):
        assert client(user_with(role)).get(PATH).status_code == 403


def test_today_is_refused_while_more_than_two_days_are_not_summed() -> None:
    hall, moment = hall_of("first"), now() - timedelta(days=2)
    player = player_with(hall, 1_000, moment)
    fold(player, report_builders.open_round(player, hall, moment), moment)
    auditor = client(user_with(Role.AUDITOR))
    refused = auditor.get(f"{PATH}?with_today=true")
    assert (refused.status_code, refused.json()["code"]) == (409, "returns_not_summed")
    assert auditor.get(PATH).status_code == 200
