"""What no program can read, written by whoever owns the tables: it is named, and all else is sealed and checked."""

from collections.abc import Callable
from typing import Any

import pytest
from psycopg.errors import UniqueViolation

from audit.models import AuditFinding
from audit.seals.inspection import seals_check
from audit.seals.models import PassedOver, Seal, SealLeaf
from audit.seals.selectors import seal_lag
from audit.seals.services import seal_make
from audit.seals.tasks import seals_make
from tests.services.seals.conftest import Sealed
from tests.services.seals.test_tampering import INSERT, Tamper, middle
from tests.wallet_builders import account as account_of
from tests.wallet_builders import pay_in, player
from wallets.models import Transfer

TIMES = ["infinity", "20000-01-01", "0044-03-15 BC"]


@pytest.fixture
def write(tamper: Tamper) -> Callable[..., Any]:
    """Change rows with the tables' conditions gone as well."""
    for table in ("wallets_transfer", "rounds_roundstep", "seals_seal"):
        for (name,) in tamper(f"SELECT conname FROM pg_constraint WHERE contype = 'c' AND conrelid = '{table}'::regclass"):
            tamper(f"ALTER TABLE {table} DROP CONSTRAINT {name}")
    tamper("ALTER TABLE wallets_transfer ENABLE TRIGGER USER")

    def change(*statements: str) -> Any:
        """Put the triggers of transfers back at once, as the next ones need them."""
        tamper("ALTER TABLE wallets_transfer DISABLE TRIGGER USER")
        found = tamper(*statements)
        tamper("ALTER TABLE wallets_transfer ENABLE TRIGGER USER")
        return found

    return change


@pytest.mark.parametrize("at", TIMES)
@pytest.mark.parametrize(("kind", "table", "name"), [(1, "rounds_roundstep", "step"), (2, "wallets_transfer", "transfer")])
def test_a_sealed_row_without_a_time_is_named_and_hides_no_other(
    sealed: Sealed, write: Tamper, at: str, kind: int, table: str, name: str
) -> None:
    _, row = middle(kind)
    _, other = middle(2)
    other += kind == 2
    write(f"UPDATE {table} SET at = '{at}' WHERE id = {row}", f"UPDATE wallets_transfer SET code = 'x' WHERE id = {other}")
    expected = {("seal_leaf_matches_its_row", name, str(row)), ("seal_leaf_matches_its_row", "transfer", str(other))}
    assert sealed.both(anchored=True) == expected
    assert {each.key for each in seals_check(is_full=False)} == {str(row), str(other)}


@pytest.mark.parametrize("at", TIMES)
def test_a_row_that_cannot_be_sealed_is_passed_over_named_and_sealed_once_it_is_mended(
    sealed: Sealed, write: Tamper, at: str
) -> None:
    pay_in(account_of(player("carla")), 5)
    wrong, name = Transfer.objects.values_list("pk", "public_id").latest("pk")
    write(f"UPDATE wallets_transfer SET at = '{at}' WHERE id = {wrong}")
    pay_in(account_of(player("dora")), 5)
    assert ("row_can_be_sealed", "transfer", str(wrong)) in sealed.both(anchored=True)
    assert seals_make() == 1
    assert Seal.objects.get(number=4).transfers == 1
    finding = AuditFinding.objects.get(check_name="row_can_be_sealed")
    assert (finding.subject_type, finding.subject_id, finding.severity) == ("wallets.transfer", str(name), "critical")
    assert seal_lag().total_seconds() == 0
    pay_in(account_of(player("emil")), 5)
    assert seals_make() == 1, "the rest is sealed on"
    assert sealed.both(anchored=True) == {("row_can_be_sealed", "transfer", str(wrong))}
    write(f"UPDATE wallets_transfer SET at = clock_timestamp() WHERE id = {wrong}")
    assert seals_make() == 1
    assert SealLeaf.objects.filter(kind=2, row_id=wrong).exists()
    assert sealed.both(anchored=True) == set()
    assert (seals_make(), PassedOver.objects.count()) == (0, 0)


def test_rows_passed_over_do_not_make_a_seal_full(sealed: Sealed, write: Tamper) -> None:
    """Of four rows two are mended, with a seal that holds three: each is sealed once and in order."""
    for name in ("carla", "dora", "emil", "fritz"):
        pay_in(account_of(player(name)), 5)
    rows = list(Transfer.objects.order_by("-pk").values_list("pk", flat=True)[:4])
    write(f"UPDATE wallets_transfer SET at = 'infinity' WHERE id IN ({rows[2]}, {rows[3]})")
    assert seal_make(leaves_max=3) is not None
    write(f"UPDATE wallets_transfer SET at = clock_timestamp() WHERE id IN ({rows[2]}, {rows[3]})")
    for name in ("gerd", "hanna"):
        pay_in(account_of(player(name)), 5)
    assert [seal_make(leaves_max=3) is not None for _ in range(3)] == [True, True, False]
    assert sealed.both(anchored=True) == set()


@pytest.mark.parametrize("at", ["infinity", "-infinity"])
@pytest.mark.parametrize("number", [2, 3])
def test_a_seal_without_a_time_is_named_and_sealing_goes_on(sealed: Sealed, write: Tamper, at: str, number: int) -> None:
    write(f"UPDATE seals_seal SET at = '{at}' WHERE number = {number}")
    assert ("seal_hash_is_that_of_its_head", "seal", str(number)) in sealed.both(anchored=True)
    assert "seal_hash_is_that_of_its_head" in {each.check for each in seals_check(is_full=False)}
    pay_in(account_of(player("carla")), 5)
    assert seals_make() == 1


DOCUMENTS = [
    '{"steps":[1,2,3]}',
    '{"steps":5}',
    '{"steps":{"0":1}}',
    '{"steps":[{"seq":NaN,"hash":null}]}',
    '{"steps":[{"seq":"\\ud800"}]}',
    '{"steps":[' + '{"a":' * 3000 + "1" + "}" * 3000 + "]}",
    "[" * 100_000,
    "7",
    "",
]


@pytest.mark.parametrize("document", DOCUMENTS, ids=lambda text: text[:30])
def test_a_record_of_any_shape_is_found_step_by_step(sealed: Sealed, write: Tamper, owner_connection: Any, document: str) -> None:
    owner_connection.execute("ALTER TABLE rounds_roundrecord DISABLE TRIGGER USER")
    ((round_id, count),) = write(
        "SELECT round_id, count(*) FROM rounds_roundstep JOIN rounds_roundrecord USING (round_id) GROUP BY round_id LIMIT 1"
    )
    owner_connection.execute("UPDATE rounds_roundrecord SET document = %s WHERE round_id = %s", [document, round_id])
    found = sealed.both(anchored=True)
    assert {check for check, _, _ in found} == {"record_tells_the_sealed_step"}
    assert len(found) == count


def test_the_lag_and_the_anchor_are_seen_to_though_sealing_fails(sealed: Sealed, write: Tamper, settings: Any) -> None:
    """The next leaf's place is taken: no seal can be made."""
    settings.SEAL_ANCHOR_FILE = str(sealed.anchor)
    pay_in(account_of(player("carla")), 5)
    sealed.anchor.write_text("".join(sealed.anchor.read_text().splitlines(keepends=True)[:2]))
    write(
        f"UPDATE wallets_transfer SET at = at - interval '5 min' WHERE id = {Transfer.objects.latest('pk').pk}",
        "INSERT INTO seals_sealleaf (index, kind, row_id, hash) SELECT max(tree_size), 2, -1, sha256('x') FROM seals_seal",
    )
    with pytest.raises(UniqueViolation):
        seals_make()
    assert "seal_lag" in AuditFinding.objects.values_list("check_name", flat=True)
    assert len(sealed.anchor.read_text().splitlines()) == 3


@pytest.mark.parametrize("anchored", [True, False])
def test_a_row_of_a_transaction_that_has_not_begun_is_named(sealed: Sealed, tamper: Tamper, anchored: bool) -> None:
    """No seal ever reaches it."""
    ((row,),) = tamper(INSERT.format(row=middle(2)[1], written=f"'{2**60}'").replace("SELECT at", "SELECT clock_timestamp()"))
    assert seal_make() is None
    assert sealed.both(anchored=anchored) == {("row_is_of_a_transaction", "transfer", str(row))}
    assert [(each.check, each.key) for each in seals_check(is_full=False)] == [("row_is_of_a_transaction", str(row))]
    finding = AuditFinding.objects.get()
    assert (finding.severity, finding.evidence["key"]) == ("critical", str(row))


def test_a_leaf_that_was_deleted_is_named_by_the_recent_check_with_its_row(sealed: Sealed, tamper: Tamper) -> None:
    index, row = middle(2)
    tamper(f"DELETE FROM seals_sealleaf WHERE index = {index}")
    assert ("row_is_sealed", str(row)) in {(each.check, each.key) for each in seals_check(is_full=False)}
