"""Every way of tampering, with and without the anchor, by both checkers: what is found, by what row, and what is not."""

import json
from collections.abc import Callable
from typing import Any

import pytest
from django.core.management import call_command

from audit.models import AuditFinding
from audit.seals.anchor import anchor_catch_up
from audit.seals.heads import head_hash, head_text
from audit.seals.models import Seal, SealLeaf
from audit.seals.services import head_of, seal_make
from audit.seals.tasks import seals_check_recent
from casino.permissions import Role
from games.rounds.history import HistoryFilter, rounds_fitting
from games.rounds.models import RoundStep
from tests import playing
from tests.services.seals.conftest import Sealed
from tests.wallet_builders import account, hall, move, player
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Transfer

Tamper = Callable[..., list[tuple[Any, ...]]]


def middle(kind: int) -> tuple[int, int]:
    """A leaf of the second seal: its index and its row."""
    first = Seal.objects.get(number=1).tree_size
    return SealLeaf.objects.filter(kind=kind, index__gte=first).order_by("index").values_list("index", "row_id")[0]


@pytest.mark.parametrize("anchored", [True, False])
def test_control_nothing_is_found_where_nobody_tampered(sealed: Sealed, anchored: bool) -> None:
    assert sealed.both(anchored=anchored) == set()
    assert not AuditFinding.objects.exists()


@pytest.mark.parametrize("anchored", [True, False])
def test_an_amount_that_was_changed(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    _, row = middle(2)
    tamper(f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {row}")
    assert sealed.both(anchored=anchored) == {("seal_leaf_matches_its_row", "transfer", str(row))}
    finding = AuditFinding.objects.get()
    assert (finding.check_name, finding.severity) == ("seal_leaf_matches_its_row", "critical")
    transfer = Transfer.objects.get(pk=row)
    assert (finding.subject_type, finding.subject_id) == ("wallets.transfer", str(transfer.public_id))
    assert (finding.evidence["row"], finding.evidence["key"]) == (str(transfer.public_id), str(row))


@pytest.mark.parametrize("anchored", [True, False])
def test_a_step_that_was_changed(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    _, row = middle(1)
    tamper(f"UPDATE rounds_roundstep SET secret = 'x' WHERE id = {row}")
    assert sealed.both(anchored=anchored) == {("seal_leaf_matches_its_row", "step", str(row))}
    finding = AuditFinding.objects.get()
    assert (finding.subject_type, finding.subject_id) == ("rounds.roundstep", str(row))


@pytest.mark.parametrize(("table", "kind"), [("rounds_roundstep", 1), ("wallets_transfer", 2)])
def test_a_row_that_was_changed_is_found_about_its_round(sealed: Sealed, tamper: Tamper, table: str, kind: int) -> None:
    _, row = middle(kind)
    tamper(f"UPDATE {table} SET at = at + interval '1 second' WHERE id = {row}")
    sealed.service(anchored=False)
    (of_round,) = rounds_fitting(HistoryFilter(finding="any"), user=playing.user_with(Role.AUDITOR))
    assert AuditFinding.objects.get().hall_id == of_round.hall_id
    assert of_round.pk == RoundStep.objects.get(pk=row if kind == 1 else Transfer.objects.get(pk=row).step_id).round_id


@pytest.mark.parametrize(("model", "kind"), [(RoundStep, 1), (Transfer, 2)])
def test_no_column_can_be_changed_unnoticed(sealed: Sealed, tamper: Tamper, model: Any, kind: int) -> None:
    _, row = middle(kind)
    table, changed = model._meta.db_table, {}
    types = f"SELECT attname, atttypid::regtype::text FROM pg_attribute WHERE attrelid = '{table}'::regclass AND attnum > 0"
    columns = dict(tamper(types))
    constraints = "SELECT conname FROM pg_constraint WHERE contype IN ('c', 'f') AND conrelid = '{}'::regclass"
    for (name,) in tamper(constraints.format(table)):
        tamper(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    others = {"uuid": "gen_random_uuid()", "timestamp with time zone": "now()", "bytea": "'x'", "character varying": "'x'"}
    for column in columns.keys() - {"id", "written_xid"}:
        tamper(
            f"CREATE TABLE before AS SELECT * FROM {table} WHERE id = {row}",
            f'UPDATE {table} SET "{column}" = {others.get(columns[column], 32767)} WHERE id = {row}',
        )
        changed[column] = sealed.service(anchored=False)
        tamper(f'UPDATE {table} SET "{column}" = before."{column}" FROM before WHERE {table}.id = {row}', "DROP TABLE before")
    assert sealed.service(anchored=False) == set()
    name = "step" if kind == 1 else "transfer"
    found = ("seal_leaf_matches_its_row", name, str(row))
    assert {column for column, each in changed.items() if found not in each} == set()
    assert len(changed) > 8


@pytest.mark.parametrize("anchored", [True, False])
@pytest.mark.parametrize(("kind", "table", "name"), [(1, "rounds_roundstep", "step"), (2, "wallets_transfer", "transfer")])
def test_a_row_that_was_deleted(sealed: Sealed, tamper: Tamper, anchored: bool, kind: int, table: str, name: str) -> None:
    _, row = middle(kind)
    tamper(f"DELETE FROM {table} WHERE id = {row}")
    assert sealed.both(anchored=anchored) >= {("sealed_row_is_there", name, str(row))}


INSERT = """
    INSERT INTO wallets_transfer
        (at, step_id, index, debit_account_id, credit_account_id, amount_minor, currency, code, reference, written_xid)
    SELECT at, step_id, index + 50, debit_account_id, credit_account_id, amount_minor, currency, code, reference, {written}
    FROM wallets_transfer WHERE id = {row} RETURNING id
"""


@pytest.mark.parametrize("anchored", [True, False])
def test_a_row_slipped_in_among_sealed_ones(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    ((row,),) = tamper(INSERT.format(row=middle(2)[1], written="written_xid"))
    assert sealed.both(anchored=anchored) == {("row_is_sealed", "transfer", str(row))}


def test_a_row_that_pretends_to_be_old(sealed: Sealed, tamper: Tamper) -> None:
    ((row,),) = tamper(
        INSERT.format(row=middle(2)[1], written="pg_current_xact_id()").replace("SELECT at", "SELECT at - interval '1 day'")
    )
    assert sealed.service(anchored=True) == set(), "what is not sealed yet is weaker"
    assert sealed.offline(anchored=True) == {("row_is_sealed_soon", "transfer", str(row))}
    assert seal_make() is not None
    assert sealed.both(anchored=True) == {("row_is_sealed_in_its_time", "transfer", str(row))}
    assert AuditFinding.objects.get().severity == "warning"


@pytest.mark.parametrize("anchored", [True, False])
def test_leaves_that_changed_places(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    index, _ = middle(2)
    tamper("ALTER TABLE seals_sealleaf DROP CONSTRAINT seals_leaf_kind")
    for before, after in ((index, -1), (index + 1, index), (-1, index + 1)):
        tamper(f"UPDATE seals_sealleaf SET index = {after} WHERE index = {before}")
    assert sealed.both(anchored=anchored) == {("seal_root_is_that_of_its_leaves", "seal", "2")}


@pytest.mark.parametrize("anchored", [True, False])
def test_rows_that_changed_places(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    _, row = middle(2)
    tamper(
        f"UPDATE wallets_transfer SET id = -1 WHERE id = {row}",
        f"UPDATE wallets_transfer SET id = {row} WHERE id = {row + 1}",
        f"UPDATE wallets_transfer SET id = {row + 1} WHERE id = -1",
    )
    found = {("seal_leaf_matches_its_row", "transfer", str(each)) for each in (row, row + 1)}
    assert sealed.both(anchored=anchored) == found


@pytest.mark.parametrize("anchored", [True, False])
@pytest.mark.parametrize(
    ("change", "check", "of_anchor"),
    [
        ("root = repeat('0', 64)", "seal_hash_is_that_of_its_head", set()),
        ("at = at - interval '1 hour'", "seal_hash_is_that_of_its_head", set()),
        ("previous_hash = repeat('1', 64)", "seal_follows_the_one_before", set()),
        ("edge = decode(repeat('00', octet_length(edge)), 'hex')", "seal_edge_is_that_of_its_leaves", set()),
        ("hash = repeat('0', 64)", "seal_hash_is_that_of_its_head", {("seal_is_the_anchored_one", "seal", "2")}),
    ],
)
def test_a_seal_that_was_changed(sealed: Sealed, tamper: Tamper, anchored: bool, change: str, check: str, of_anchor: Any) -> None:
    tamper(f"UPDATE seals_seal SET {change} WHERE number = 2")
    found = sealed.both(anchored=anchored)
    assert (check, "seal", "2") in found
    assert of_anchor <= found or not anchored
    assert AuditFinding.objects.filter(subject_type="seals.seal", subject_id="2").exists()


def test_a_seal_that_was_deleted_among_others(sealed: Sealed, tamper: Tamper) -> None:
    tamper("DELETE FROM seals_seal WHERE number = 2")
    assert ("seal_follows_the_one_before", "seal", "3") in sealed.both(anchored=False)


NEWEST_HOUR = (
    "DELETE FROM wallets_transfer WHERE id IN (SELECT row_id FROM seals_sealleaf WHERE kind = 2 AND index >= {size})",
    "DELETE FROM rounds_roundstep WHERE id IN (SELECT row_id FROM seals_sealleaf WHERE kind = 1 AND index >= {size})",
    "DELETE FROM seals_sealleaf WHERE index >= {size}",
    "DELETE FROM seals_seal WHERE tree_size > {size}",
)


def cut_off(tamper: Tamper) -> None:
    """Delete all that was written since the first seal, the seals with it: the newest hour."""
    size = Seal.objects.get(number=1).tree_size
    tamper(*(statement.format(size=size) for statement in NEWEST_HOUR))


def test_the_newest_hour_cut_off_is_found_against_the_anchor(sealed: Sealed, tamper: Tamper) -> None:
    cut_off(tamper)
    assert sealed.both(anchored=True) == {("anchored_seal_is_there", "seal", "2")}
    finding = AuditFinding.objects.get()
    assert (finding.severity, finding.subject_type, finding.subject_id) == ("critical", "seals.seal", "2")
    assert "all up to seal 3" in finding.evidence["expected"]


def test_control_without_the_anchor_it_is_not_found(sealed: Sealed, tamper: Tamper) -> None:
    cut_off(tamper)
    assert sealed.both(anchored=False) == set()
    assert "without an anchor file" in sealed.run_offline(sealed.export()).stdout


def test_a_database_cut_back_does_not_go_on_in_the_anchor_file(sealed: Sealed, tamper: Tamper, settings: Any) -> None:
    before = sealed.anchor.read_bytes()
    cut_off(tamper)
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    assert anchor_catch_up() == 0
    assert sealed.anchor.read_bytes() == before
    assert AuditFinding.objects.get().check_name == "seal_is_the_anchored_one"


def written_anew(tamper: Tamper) -> None:
    """Change an amount, throw all seals away and make new ones that fit."""
    tamper(
        f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {middle(2)[1]}",
        "DELETE FROM seals_sealleaf",
        "DELETE FROM seals_seal",
    )
    assert seal_make() is not None


def test_all_written_anew_is_found_against_the_anchor(sealed: Sealed, tamper: Tamper) -> None:
    written_anew(tamper)
    assert ("seal_is_the_anchored_one", "seal", "1") in sealed.both(anchored=True)


def test_control_without_the_anchor_that_is_not_found_either(sealed: Sealed, tamper: Tamper) -> None:
    written_anew(tamper)
    assert sealed.both(anchored=False) == set()


def append(sealed: Sealed, *heads: dict[str, Any]) -> None:
    """All that somebody can do who may only add to the anchor file: lines that are heads by their own hash."""
    with sealed.anchor.open("a") as file:
        for head in heads:
            file.write(head_text(head | {"hash": head_hash(head)}) + "\n")


def anchor_of(sealed: Sealed) -> list[dict[str, Any]]:
    return [json.loads(line) for line in sealed.anchor.read_text().splitlines()]


def test_heads_appended_for_a_history_written_anew_do_not_replace_the_first_ones(
    sealed: Sealed, tamper: Tamper, settings: Any
) -> None:
    """From the second seal on all is written anew, and the new heads are added to the file."""
    size = Seal.objects.get(number=1).tree_size
    tamper(
        f"UPDATE wallets_transfer SET amount_minor = amount_minor + 1 WHERE id = {middle(2)[1]}",
        f"DELETE FROM seals_sealleaf WHERE index >= {size}",
        "DELETE FROM seals_seal WHERE number > 1",
    )
    tamper("ALTER TABLE wallets_transfer ENABLE TRIGGER USER", "ALTER TABLE seals_seal ENABLE TRIGGER USER")
    for _ in range(3):
        assert seal_make(leaves_max=5) is not None
    while seal_make() is not None:
        pass
    append(sealed, *(head_of(seal) for seal in Seal.objects.filter(number__gt=1).order_by("number")))
    found = sealed.both(anchored=True)
    for number in ("2", "3"):
        assert {("anchor_has_one_head_per_seal", "seal", number), ("seal_is_the_anchored_one", "seal", number)} <= found
    assert ("anchored_head_follows_the_one_before", "seal", "4") in found
    assert set(AuditFinding.objects.filter(subject_type="seals.seal").values_list("severity", flat=True)) == {"critical"}
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    assert seals_check_recent() > 0


def test_an_older_history_in_the_database_does_not_go_on_after_its_appended_head(
    sealed: Sealed, tamper: Tamper, settings: Any
) -> None:
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    seal = Seal.objects.get(number=3)
    seal.at = seal.at.replace(microsecond=0)
    tamper(f"UPDATE seals_seal SET at = date_trunc('second', at), hash = '{head_hash(head_of(seal))}' WHERE number = 3")
    append(sealed, head_of(seal))
    assert anchor_catch_up() == 0
    assert AuditFinding.objects.get().check_name == "seal_is_the_anchored_one"
    assert ("anchor_has_one_head_per_seal", "seal", "3") in sealed.both(anchored=True)


def test_a_head_out_of_order_is_found(sealed: Sealed) -> None:
    first, second, third = sealed.anchor.read_text().splitlines(keepends=True)
    sealed.anchor.write_text(first + third + second)
    assert sealed.both(anchored=True) == {("anchored_heads_ascend", "seal", "2")}
    assert AuditFinding.objects.get().severity == "critical"


def test_a_head_that_is_not_chained_to_the_one_before_is_found(sealed: Sealed) -> None:
    third = anchor_of(sealed)[2]
    append(sealed, third | {"number": 4, "previous_hash": "1" * 64})
    expected = {("anchored_head_follows_the_one_before", "seal", "4"), ("anchored_seal_is_there", "seal", "4")}
    assert sealed.both(anchored=True) == expected


def test_the_same_head_once_more_is_nothing(sealed: Sealed, settings: Any) -> None:
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    append(sealed, *anchor_of(sealed)[:2])
    assert sealed.both(anchored=True) == set()
    assert anchor_catch_up() == 0


def test_the_last_seal_forged_with_its_hash_is_found_against_the_anchor(sealed: Sealed, tamper: Tamper) -> None:
    seal = Seal.objects.get(number=3)
    seal.at = seal.at.replace(microsecond=0)
    tamper(f"UPDATE seals_seal SET at = date_trunc('second', at), hash = '{head_hash(head_of(seal))}' WHERE number = 3")
    assert sealed.both(anchored=False) == set(), "control"
    assert sealed.both(anchored=True) == {("seal_is_the_anchored_one", "seal", "3")}


def test_a_record_that_tells_other_steps_is_found_offline(sealed: Sealed, owner_connection: Any) -> None:
    owner_connection.execute("ALTER TABLE rounds_roundrecord DISABLE TRIGGER USER")
    owner_connection.execute(
        "UPDATE rounds_roundrecord SET document = replace(document, '\"amount_minor\":100', '\"amount_minor\":101')"
    )
    found = sealed.offline(anchored=True)
    assert {check for check, _, _ in found} == {"record_tells_the_sealed_step"}
    owner_connection.execute("UPDATE rounds_roundrecord SET document = left(document, 50)")
    assert len(sealed.offline(anchored=True)) == RoundStep.objects.filter(round__status="settled").count()


def test_the_command_names_what_it_finds_and_fails(sealed: Sealed, tamper: Tamper, capsys: pytest.CaptureFixture[str]) -> None:
    call_command("seals_check")
    assert capsys.readouterr().out == "3 seals: verified\n"
    tamper(f"UPDATE wallets_transfer SET code = 'x' WHERE id = {middle(2)[1]}")
    with pytest.raises(SystemExit):
        call_command("seals_check")
    assert f"seal_leaf_matches_its_row: transfer {middle(2)[1]}" in capsys.readouterr().out


@pytest.mark.parametrize("case", ["amount", "step", "seal", "newest hour"])
def test_the_run_of_every_five_minutes_finds_each_in_what_is_new(
    sealed: Sealed, tamper: Tamper, settings: Any, case: str
) -> None:
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    _, transfer = middle(2)
    _, step = middle(1)
    name = str(Transfer.objects.get(pk=transfer).public_id)
    faults = {
        "amount": (f"UPDATE wallets_transfer SET amount_minor = 1 WHERE id = {transfer}", ("wallets.transfer", name)),
        "step": (f"UPDATE rounds_roundstep SET at = at + interval '1 s' WHERE id = {step}", ("rounds.roundstep", str(step))),
        "seal": ("UPDATE seals_seal SET root = repeat('0', 64) WHERE number = 2", ("seals.seal", "2")),
    }
    assert seals_check_recent() == 0
    if case in faults:
        tamper(faults[case][0])
    else:
        cut_off(tamper)
    assert seals_check_recent() > 0
    named = set(AuditFinding.objects.values_list("subject_type", "subject_id"))
    assert faults.get(case, ("", ("seals.seal", "2")))[1] in named


def test_a_node_that_was_changed_and_many_rows_at_once(sealed: Sealed, tamper: Tamper) -> None:
    """Of the rows a hundred are findings by themselves, the rest is counted."""
    tamper("ALTER TABLE wallets_transfer ENABLE TRIGGER USER")
    cage, purse = ledger.cage_account(hall().pk, "EUR"), account(player())
    posted = move(*[Posting(cage.pk, purse.pk, 1, "deposit")] * 300)
    assert seal_make() is not None
    assert sealed.service(anchored=False) == set()
    tamper("UPDATE seals_sealnode SET hash = sha256('x')")
    assert sealed.service(anchored=False) == {("node_is_that_of_its_leaves", "node", "8/0")}
    tamper("ALTER TABLE wallets_transfer DISABLE TRIGGER USER", f"DELETE FROM wallets_transfer WHERE id >= {posted[0].id}")
    assert len(sealed.service(anchored=False)) == 301
    findings = AuditFinding.objects.filter(check_name="sealed_row_is_there")
    assert findings.count() == 101
    assert findings.get(evidence__has_key="rows").evidence == {"rows": 200}
