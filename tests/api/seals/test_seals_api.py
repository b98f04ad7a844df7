"""The seals over HTTP: proofs that anybody can verify by themselves, and who may have which."""

import hashlib
import json
import random
import subprocess
import sys
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection, transaction
from rest_framework.test import APIClient

from audit.history.models import Export
from audit.models import AuditRecord
from audit.seals import export
from audit.seals.checking import SealCheck
from audit.seals.export import export_text
from audit.seals.heads import head_hash, head_text, leaf_digest
from audit.seals.merkle import consistency_is_proven, inclusion_is_proven
from audit.seals.services import SEALING_LOCK, seal_make
from audit.sightings.models import Sighting
from casino.permissions import Role
from casino.users.models import RoleGrant
from games.rounds.models import RoundSeat, RoundStep
from tests import playing
from tests.architecture.source import ROOT
from tests.databases import Server, impatient
from tests.playing import client, open_round, play_out
from tests.table_builders import Game
from tests.user_builders import code_of
from wallets.models import Transfer

BASE = "/api/v1/audit"


@pytest.fixture
def auditor(committed_db: str) -> APIClient:
    return client(playing.user_with(Role.AUDITOR))


@pytest.fixture
def players(auditor: APIClient) -> dict[str, Any]:
    """A player with a settled and an open round, sealed by two seals; and another player."""
    hall = playing.halls()["first"]
    player = playing.player(hall)
    settled = open_round(player, hall).round_id
    play_out(player, settled, random.Random(1))
    assert seal_make() is not None
    standing = open_round(player, hall).round_id
    assert seal_make() is not None
    return {"settled": settled, "open": standing, "player": client(player), "other": client(playing.player(hall))}


def proven(answer: dict[str, Any]) -> bool:
    """Verify an inclusion proof as an outsider would, from the answer alone."""
    head = answer["head"]
    assert head["hash"] == head_hash(head)
    return inclusion_is_proven(
        index=answer["index"],
        size=head["tree_size"],
        leaf=leaf_digest(answer["leaf"]),
        path=[bytes.fromhex(each) for each in answer["path"]],
        root=bytes.fromhex(head["root"]),
    )


def transfers_of(round_id: Any) -> list[Transfer]:
    return list(Transfer.objects.filter(step_id__in=RoundStep.objects.filter(round__commitment_id=round_id).values("pk")))


def moves_their_money(transfer: Transfer) -> bool:
    return "player" in (transfer.debit_account.kind, transfer.credit_account.kind)


def test_every_step_and_transfer_is_proven_in_the_tree_of_every_seal_after_it(
    players: dict[str, Any], auditor: APIClient
) -> None:
    for step in RoundStep.objects.filter(round__commitment_id=players["settled"]):
        for seal in (1, 2):
            answer = auditor.get(f"{BASE}/rounds/{players['settled']}/inclusion", {"seq": step.seq, "seal": seal}).json()
            assert proven(answer)
            assert (answer["head"]["number"], answer["leaf"]["hash"]) == (seal, step.hash)
            assert not proven(answer | {"leaf": answer["leaf"] | {"hash": "0" * 64}}), "control"
    for transfer in transfers_of(players["settled"]):
        answer = auditor.get(f"{BASE}/transfers/{transfer.public_id}/inclusion").json()
        assert proven(answer)
        assert (answer["leaf"]["amount_minor"], answer["leaf"]["public_id"]) == (transfer.amount_minor, str(transfer.public_id))
        assert not proven(answer | {"leaf": answer["leaf"] | {"amount_minor": transfer.amount_minor + 1}}), "control"


def exported(auditor: APIClient) -> list[dict[str, Any]]:
    content = auditor.get(f"{BASE}/seals/export", headers={"Accept": "application/jsonl"}).getvalue()
    return [json.loads(line) for line in content.decode().splitlines()]


def test_how_many_steps_an_open_round_at_a_table_has_is_told_to_nobody(auditor: APIClient) -> None:
    """By no difference between a step that is sealed, one that is not, and one that is not there."""
    table = Game.opened(playing.halls()["first"], 2, game="ukrainian_poker")
    assert seal_make() is not None
    path = f"{BASE}/rounds/{table.row.public_id}/inclusion"
    for query in ({}, {"seq": 1}, {"seq": 99}, {"seal": 1}, {"seal": 99}):
        for reader in (auditor, client(table.players[0])):
            assert code_of(reader.get(path, query), 409) == "round_open"
    assert not Sighting.objects.exists(), "control"


def test_a_step_of_an_open_round_against_the_house_is_proven_by_its_hash_alone(
    players: dict[str, Any], auditor: APIClient
) -> None:
    path = f"{BASE}/rounds/{players['open']}/inclusion"
    for reader in (auditor, players["player"]):
        answer = reader.get(path).json()
        assert proven(answer)
        assert answer["leaf"].keys() == {"kind", "id", "round_id", "seq", "hash", "row"}
    assert code_of(players["other"].get(path), 404) == "not_found"


def test_an_export_names_no_open_round_and_tells_its_steps_by_their_hashes_alone(
    players: dict[str, Any], auditor: APIClient
) -> None:
    lines = exported(auditor)
    assert not any(str(players["open"]) in json.dumps(line) for line in lines if line.get("kind") == "step")
    steps = {line["id"]: line for line in lines if line.get("kind") == "step"}
    for step in RoundStep.objects.filter(round__commitment_id=players["open"]):
        assert steps[step.pk]["leaf_hash"] == steps[step.pk]["hash"]
        assert set(steps[step.pk]) == {"type", "index", "kind", "id", "hash", "leaf_hash"}
    of_settled = [line for line in steps.values() if (line.get("leaf") or {}).get("round_id") == str(players["settled"])]
    assert of_settled and all("step" in line for line in of_settled), "control"


def test_a_step_of_an_open_round_that_was_changed_is_found_offline_all_the_same(
    players: dict[str, Any], auditor: APIClient, owner_connection: Any
) -> None:
    step = RoundStep.objects.filter(round__commitment_id=players["open"]).latest("pk")
    owner_connection.execute("ALTER TABLE rounds_roundstep DISABLE TRIGGER USER")
    owner_connection.execute("UPDATE rounds_roundstep SET secret = 'x' WHERE id = %s", [step.pk])
    (found,) = SealCheck().run(exported(auditor))
    assert (found.check, found.key, found.name) == ("seal_leaf_matches_its_row", str(step.pk), "of an open round")


def test_a_proof_is_a_sight_of_ones_own_as_well(auditor: APIClient, players: dict[str, Any]) -> None:
    """An auditor who plays has a part in the round whose steps they look up."""
    seat = RoundSeat.objects.get(round__commitment_id=players["settled"])
    RoleGrant.objects.create(user=seat.user, role=Role.AUDITOR, granted_by=playing.user_with(Role.ADMIN))
    path, seated = f"{BASE}/rounds/{players['settled']}/inclusion", client(seat.user)
    assert seated.get(path).status_code == 200
    transfer = next(filter(moves_their_money, transfers_of(players["settled"])))
    assert seated.get(f"{BASE}/transfers/{transfer.public_id}/inclusion").status_code == 200
    assert set(Sighting.objects.values_list("subject_type", "viewer")) == {
        ("rounds.round", seat.user_id),
        ("wallets.transfer", seat.user_id),
    }


def test_players_have_proofs_of_their_own_closed_rounds(players: dict[str, Any]) -> None:
    player, other = players["player"], players["other"]
    assert proven(player.get(f"{BASE}/rounds/{players['settled']}/inclusion").json())
    assert code_of(other.get(f"{BASE}/rounds/{players['settled']}/inclusion"), 404) == "not_found"
    for transfer in transfers_of(players["settled"]):
        answer = player.get(f"{BASE}/transfers/{transfer.public_id}/inclusion")
        is_own = moves_their_money(transfer)
        assert proven(answer.json()) if is_own else code_of(answer, 404) == "not_found"
        of_another = other.get(f"{BASE}/transfers/{transfer.public_id}/inclusion")
        assert (code_of(of_another, 404), of_another.json()["detail"]) == ("not_found", "There is no such transfer.")
    for transfer in filter(moves_their_money, transfers_of(players["open"])):
        assert proven(player.get(f"{BASE}/transfers/{transfer.public_id}/inclusion").json())


def test_players_have_no_proof_of_a_transfer_at_a_table_while_its_round_goes_on(committed_db: str) -> None:
    table = Game.opened(playing.halls()["first"], 2, game="ukrainian_poker")
    assert seal_make() is not None
    (first, *_) = filter(moves_their_money, transfers_of(table.row.public_id))
    payer = client(first.debit_account.user)
    assert code_of(payer.get(f"{BASE}/transfers/{first.public_id}/inclusion"), 409) == "round_open"


def test_what_has_no_seal_has_no_proof(players: dict[str, Any], auditor: APIClient) -> None:
    path = f"{BASE}/rounds/{players['settled']}/inclusion"
    late = transfers_of(players["open"])[0]
    assert code_of(auditor.get(f"{BASE}/transfers/{late.public_id}/inclusion", {"seal": 1}), 409) == "not_sealed"
    for missing, query, told in (
        (path, {"seal": 9}, "There is no seal 9."),
        (path, {"seq": 9}, "The round has no step 9."),
        (f"{BASE}/rounds/{uuid4()}/inclusion", {}, "There is no such round."),
        (f"{BASE}/transfers/{uuid4()}/inclusion", {}, "There is no such transfer."),
    ):
        answer = auditor.get(missing, query)
        assert (code_of(answer, 404), answer.json()["detail"]) == ("not_found", told)
    for wrong in ("-1", "1.0", "x", "٣", str(2**40)):
        assert code_of(auditor.get(path, {"seq": wrong}), 400) == "invalid_input"


def test_a_later_tree_begins_with_every_earlier_one(players: dict[str, Any], auditor: APIClient) -> None:
    heads = auditor.get(f"{BASE}/seals").json()["results"]
    assert [head["number"] for head in heads] == [2, 1]
    assert auditor.get(f"{BASE}/seals", {"number": 1}).json()["results"] == heads[1:]
    for query, numbers in (({}, (1, 2)), ({"first": 2}, (2, 2)), ({"second": 1}, (1, 1))):
        answer = auditor.get(f"{BASE}/seals/consistency", query).json()
        first, second = answer["first"], answer["second"]
        assert (first["number"], second["number"]) == numbers
        proof = {"first": first["tree_size"], "second": second["tree_size"], "path": [bytes.fromhex(x) for x in answer["path"]]}
        roots = {"first_root": bytes.fromhex(first["root"]), "second_root": bytes.fromhex(second["root"])}
        assert consistency_is_proven(**proof, **roots)
        assert not consistency_is_proven(**proof, **roots | {"second_root": bytes(32)}), "control"
    reversed_ = auditor.get(f"{BASE}/seals/consistency", {"first": 2, "second": 1})
    assert (code_of(reversed_, 400), reversed_.json()["details"]) == ("invalid_input", {"field": "first"})
    for query in ({"second": 3}, {"first": 3}):
        answer = auditor.get(f"{BASE}/seals/consistency", query)
        assert (code_of(answer, 404), answer.json()["detail"]) == ("not_found", "There is no seal 3.")


def test_the_export_is_what_the_offline_checker_reads(players: dict[str, Any], auditor: APIClient, tmp_path: Path) -> None:
    answer = auditor.get(f"{BASE}/seals/export")
    assert answer.headers["Content-Type"] == "application/jsonl"
    (tmp_path / "export").write_bytes(answer.getvalue())
    done = subprocess.run(
        [sys.executable, "-S", "-m", "audit.check_seals", tmp_path / "export"], cwd=ROOT, capture_output=True, text=True
    )
    assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "verified"), done.stdout
    for seen in ("2 seals", "rows not sealed yet; what is not sealed yet is weaker", "without an anchor file"):
        assert seen in done.stdout


def test_a_saved_proof_is_what_the_offline_checker_reads(players: dict[str, Any], auditor: APIClient, tmp_path: Path) -> None:
    heads = auditor.get(f"{BASE}/seals").json()["results"][::-1]
    (tmp_path / "anchor").write_text("".join(f"{head_text(head)}\n" for head in heads))
    proofs = {
        "step": auditor.get(f"{BASE}/rounds/{players['settled']}/inclusion", {"seal": 1}),
        "transfer": auditor.get(f"{BASE}/transfers/{transfers_of(players['settled'])[0].public_id}/inclusion"),
        "consistency": auditor.get(f"{BASE}/seals/consistency"),
    }
    for name, answer in proofs.items():
        (tmp_path / name).write_bytes(answer.content)
        for anchored, told in (((), "without an anchor file"), (("--anchor", tmp_path / "anchor"), "2 anchored heads")):
            done = check_proof(tmp_path / name, *anchored)
            assert (done.returncode, done.stdout.splitlines()[-1]) == (0, "verified"), done.stdout
            assert told in done.stdout
        head = answer.json().get("head") or answer.json()["second"]
        (tmp_path / name).write_bytes(answer.content.replace(head["root"].encode(), b"0" * 64))
        forged = check_proof(tmp_path / name)
        assert (forged.returncode, forged.stdout.splitlines()[-1].split(":")[0]) == (1, "deviations")


def test_a_saved_error_is_told_to_be_one(players: dict[str, Any], auditor: APIClient, tmp_path: Path) -> None:
    late = transfers_of(players["open"])[0]
    for answer, code in (
        (auditor.get(f"{BASE}/transfers/{late.public_id}/inclusion", {"seal": 1}), "not_sealed"),
        (auditor.get(f"{BASE}/seals/consistency", {"second": 3}), "not_found"),
    ):
        (tmp_path / "proof").write_bytes(answer.content)
        done = check_proof(tmp_path / "proof")
        assert done.returncode == 1
        assert f"expected an inclusion or consistency proof, found the body of an error: '{code}'\n" in done.stdout


def check_proof(path: Path, *arguments: Any) -> "subprocess.CompletedProcess[str]":
    command = [sys.executable, "-S", "-m", "audit.check_seals", "--proof", path, *arguments]
    return subprocess.run(command, cwd=ROOT, capture_output=True, text=True)


def test_the_offline_checker_is_given_an_export_or_a_proof(tmp_path: Path) -> None:
    for arguments in ((), (tmp_path / "export", "--proof", tmp_path / "proof"), ("--proof", tmp_path / "nowhere")):
        command = [sys.executable, "-S", "-m", "audit.check_seals", *arguments]
        assert subprocess.run(command, cwd=ROOT, capture_output=True).returncode == 2


def test_an_export_is_one_of_the_few_that_may_run_and_in_the_trail(players: dict[str, Any], auditor: APIClient) -> None:
    taken = auditor.get(f"{BASE}/seals/export")
    content = taken.getvalue()
    shown = auditor.get(f"{BASE}/exports/{taken.headers['Export-Id']}").json()
    assert (shown["format"], shown["status"], shown["rounds_total"], shown["rounds_written"]) == ("seals", "done", None, None)
    assert (shown["bytes_written"], shown["sha256"]) == (len(content), hashlib.sha256(content).hexdigest())
    record = AuditRecord.objects.get(action="seals_exported")
    assert (record.subject_id, record.after) == (shown["id"], {"format": "seals", "filters": {}})
    assert auditor.head(f"{BASE}/seals/export").status_code == 200
    assert Export.objects.count() == 1
    for _ in range(4):
        Export.objects.create(
            author=Export.objects.get(status="done").author, format="seals", filters={}, snapshot="", rounds_total=0
        )
    assert code_of(auditor.get(f"{BASE}/seals/export"), 429) == "too_many_exports"
    assert code_of(auditor.get(f"{BASE}/rounds/export", {"format": "csv"}), 429) == "too_many_exports"
    Export.objects.filter(pk=Export.objects.latest("pk").pk).update(status="stopped")
    assert auditor.get(f"{BASE}/seals/export").status_code == 200
    assert code_of(auditor.get(f"{BASE}/rounds/export", {"format": "seals"}), 400) == "invalid_input"


def test_an_export_that_cannot_begin_takes_no_place_of_those_that_may_run(
    players: dict[str, Any], auditor: APIClient, owner_connection: Any
) -> None:
    with owner_connection.transaction():
        owner_connection.execute("SELECT pg_advisory_xact_lock(%s)", [SEALING_LOCK])
        impatient()
        assert code_of(auditor.get(f"{BASE}/seals/export"), 503) == "busy"
    assert not Export.objects.exists()
    assert not AuditRecord.objects.filter(action="seals_exported").exists()


def test_no_transaction_is_open_while_the_reader_reads(
    players: dict[str, Any], database_server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(export, "CHUNK_BYTES", 1)
    monkeypatch.setattr(export, "LEAVES_AT_ONCE", 3)
    for _ in export_text():
        assert database_server.transactions_open(connection.settings_dict["NAME"]) == 0
    with transaction.atomic(), connection.cursor() as cursor:
        cursor.execute("SELECT 1")
        assert database_server.transactions_open(connection.settings_dict["NAME"]) == 1, "control"


@pytest.mark.parametrize("path", ["seals", "seals/consistency", "seals/export"])
def test_heads_and_the_export_are_for_auditors(players: dict[str, Any], path: str) -> None:
    assert players["player"].get(f"{BASE}/{path}").status_code == 403
