"""Whatever is posted in whatever order, the ledger is what a few lines of arithmetic say it is."""

from collections import Counter
from dataclasses import dataclass, field

import pytest
from django.db import IntegrityError, transaction
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from audit.reconcile import ledger_reconcile
from casino.db import now
from casino.errors import Refused
from tests.wallet_builders import account, balance, escrow, hall, house, player
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import Account, StatementLine

pytestmark = pytest.mark.django_db

PLAYERS, POTS = ("anna", "berta", "carla"), ("pot-1", "pot-2")
WAYS = [
    *[pair for name in PLAYERS for pair in (("cage", name), (name, "cage"))],
    *[pair for name in PLAYERS for pot in POTS for pair in ((name, pot), (pot, name))],
    *[pair for pot in POTS for pair in (("house", pot), (pot, "house"), (pot, "rake"))],
]
moves = st.tuples(st.sampled_from(WAYS), st.integers(1, 200))
posts = st.lists(moves, min_size=1, max_size=6)
closings = st.sampled_from(POTS)
histories = st.lists(st.one_of(posts, posts, posts, closings), max_size=25)


@dataclass
class Books:
    """The model: sums and counts."""

    minor: Counter[str] = field(default_factory=Counter)
    transfers: Counter[str] = field(default_factory=Counter)
    closed: set[str] = field(default_factory=set)

    def after(self, post: list[tuple[tuple[str, str], int]]) -> "Books | None":
        """The books with a post in them, or None where it must be refused."""
        new = Books(self.minor.copy(), self.transfers.copy(), self.closed.copy())
        for (debit, credit), amount_minor in post:
            if (debit in (*PLAYERS, *POTS) and new.minor[debit] < amount_minor) or credit in new.closed:
                return None
            new.minor.update({debit: -amount_minor, credit: amount_minor})
            new.transfers.update([debit, credit])
        return new


def opened_accounts() -> dict[str, Account]:
    room = hall().pk
    return {
        **{name: account(player(name)) for name in PLAYERS},
        **{pot: escrow() for pot in POTS},
        "house": house(),
        "rake": ledger.rake_account(room, "EUR"),
        "cage": ledger.cage_account(room, "EUR"),
    }


@given(history=histories)
@settings(max_examples=40, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_any_history_of_posts(history: list[list[tuple[tuple[str, str], int]] | str]) -> None:
    with transaction.atomic():
        accounts, books = opened_accounts(), Books()
        for event in history:
            if isinstance(event, str):
                _close(accounts[event], event, books)
            else:
                books = _post(accounts, event, books)
        _compare(accounts, books)
        transaction.set_rollback(True)


def _close(pot: Account, name: str, books: Books) -> None:
    """Closing is refused while there is money, and twice."""
    is_allowed = name not in books.closed and books.minor[name] == 0
    try:
        with transaction.atomic():
            ledger.escrow_close(pot.pk, now=now())
    except (IntegrityError, RuntimeError):
        assert not is_allowed
    else:
        assert is_allowed
        books.closed.add(name)


def _post(accounts: dict[str, Account], post: list[tuple[tuple[str, str], int]], books: Books) -> Books:
    expected = books.after(post)
    postings = [Posting(accounts[debit].pk, accounts[credit].pk, minor, "play") for (debit, credit), minor in post]
    try:
        with transaction.atomic():
            ledger.post(postings, step_id=None, now=now())
    except (Refused, RuntimeError, IntegrityError) as refusal:
        assert expected is None, refusal
        return books
    assert expected is not None
    return expected


def _compare(accounts: dict[str, Account], books: Books) -> None:
    for name, row in accounts.items():
        row.refresh_from_db()
        assert balance(row) == books.minor[name], name
        assert row.sequence in (None, books.transfers[name]), name
    for name in PLAYERS:
        running = 0
        for line in StatementLine.objects.filter(account=accounts[name]).order_by("sequence"):
            assert line.balance_before_minor == running
            running = line.balance_after_minor or 0
    assert sum(books.minor.values()) == 0
    assert ledger_reconcile() == []
