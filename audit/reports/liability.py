"""Operator liability: what the operator owed its players at an instant, in their accounts and in the escrow of open rounds."""

from audit.reports.frame import Check, Column, Content, Definition, Row, Scope, amount

COLUMNS = (
    Column("currency", "Currency"),
    amount("accounts", "Player accounts with money", is_summed=False),
    amount("available_minor", "In player accounts"),
    amount("held_minor", "Held in open rounds"),
    amount("liability_minor", "Liability"),
    amount("house_minor", "House accounts"),
    amount("rake_minor", "Rake accounts"),
    amount("cage_minor", "Cages"),
)
FIGURES = ("available_minor", "held_minor", "house_minor", "rake_minor", "cage_minor")
KINDS = {"available_minor": "player", "held_minor": "escrow", "house_minor": "house", "rake_minor": "rake", "cage_minor": "cage"}


def _balance(kind: str) -> str:
    """State the sum of what came to accounts of a kind and, below zero, what left them."""
    came, left = (f"sum(amount_minor) FILTER (WHERE {side}_kind = '{kind}')" for side in ("credit", "debit"))
    return f"(coalesce({came}, 0) - coalesce({left}, 0))::bigint"


_BALANCES = ", ".join(f"{_balance(kind)} AS {name}" for name, kind in KINDS.items())
_SQL = f"""
WITH moved AS (
    SELECT transfer.currency, debit.kind AS debit_kind, credit.kind AS credit_kind, sum(transfer.amount_minor) AS amount_minor
    FROM wallets_transfer transfer
    JOIN wallets_account debit ON debit.id = transfer.debit_account_id
    JOIN wallets_account credit ON credit.id = transfer.credit_account_id
    WHERE transfer.at < %(ends_at)s
    GROUP BY 1, 2, 3
)
SELECT currency, {_BALANCES} FROM moved GROUP BY 1 ORDER BY 1
"""  # noqa: S608 parts of our own
_STORED_SQL = """
WITH later AS (
    SELECT account_id, sum(amount_minor) AS amount_minor FROM (
        SELECT credit_account_id AS account_id, amount_minor FROM wallets_transfer WHERE at >= %(ends_at)s AND credit_sequence > 0
        UNION ALL
        SELECT debit_account_id, -amount_minor FROM wallets_transfer WHERE at >= %(ends_at)s AND debit_sequence > 0
    ) line GROUP BY 1
),
stood AS (
    SELECT account.kind, account.currency, account.balance_minor - coalesce(later.amount_minor, 0) AS balance_minor
    FROM wallets_account account LEFT JOIN later ON later.account_id = account.id
    WHERE account.balance_minor IS NOT NULL
)
SELECT currency, coalesce(sum(balance_minor), 0)::bigint AS liability_minor,
    count(*) FILTER (WHERE kind = 'player' AND balance_minor <> 0) AS accounts
FROM stood GROUP BY 1 ORDER BY 1
"""


def liability_by_transfers(scope: Scope) -> list[Row]:
    """Return, for each currency, what every kind of account held at the end of the scope, by all transfers before it."""
    return [row | {"liability_minor": row["available_minor"] + row["held_minor"]} for row in scope.read(_SQL)]


def _build(scope: Scope) -> Content:
    """Count forwards, by all transfers before the instant; check by counting backwards, from the balances that are stored now."""
    rows = liability_by_transfers(scope)
    stored = {row["currency"]: row for row in scope.read(_STORED_SQL)}
    owed = {row["currency"]: row["liability_minor"] for row in rows}
    checks = [
        Check("stored_balances", stored.get(each, {}).get("liability_minor", 0), owed.get(each, 0), each)
        for each in sorted({*owed, *stored})
    ]
    for row in rows:
        row["accounts"] = stored.get(row["currency"], {}).get("accounts", 0)
        checks.append(Check("all_accounts_hold_nothing_together", 0, sum(row[name] for name in FIGURES), row["currency"]))
    return Content(rows, checks, is_active=bool(rows))


LIABILITY = Definition(
    name="liability",
    title="Operator liability",
    version=1,
    columns=COLUMNS,
    build=_build,
    daily="casino",
    by_hall="never",
    is_instant=True,
)
