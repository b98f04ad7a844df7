"""Player account summary: what each player's account of a hall's currency had, got and gave in the hall's gaming days.

An account is of a currency, not of a hall: the hall gives the currency and the clock, and all of the account's movements count,
those of other halls of that currency too.
"""

from audit.reports.frame import Check, Column, Content, Definition, Row, Scope, amount
from audit.reports.liability import liability_by_transfers
from audit.reports.standing import HALL_LINES, escrow_lines

FIGURES = {
    "opening_balance_minor": "Opening balance",
    "deposits_minor": "Deposits",
    "withdrawals_minor": "Withdrawals",
    "adjustments_minor": "Adjustments",
    "to_games_minor": "To games",
    "from_games_minor": "From games",
    "closing_balance_minor": "Closing balance",
    "funds_on_game_at_start_minor": "Funds on game at the start",
    "funds_on_game_at_end_minor": "Funds on game at the end",
}
HAPPENED = FIGURES.keys() - {"opening_balance_minor", "closing_balance_minor"}
"""What tells that something happened: a balance alone stands there though nothing does."""
COLUMNS = (
    Column("player_id", "Player"),
    Column("account_id", "Account"),
    Column("currency", "Currency"),
    *(amount(name, title) for name, title in FIGURES.items()),
    amount("win_loss_minor", "Won or, below zero, lost"),
)


def _held_at(moment: str) -> str:
    """State what each account had in the escrows of rounds open at a moment.

    **Rule** A round of one seat: all that is there. At a table: what the account gave less what it got back, as the house
    neither puts up nor collects anything there before the end.
    """
    return f"""
        SELECT seat.account_id, sum(line.amount_minor) AS held_minor
        FROM rounds_round round
        JOIN rounds_roundseat seat ON seat.round_id = round.id
        CROSS JOIN LATERAL ({escrow_lines(moment)}) line
        WHERE round.opened_at < {moment} AND (round.closed_at IS NULL OR round.closed_at >= {moment})
            AND (line.other_id = seat.account_id OR round.table_id IS NULL)
        GROUP BY 1
    """  # noqa: S608 the moment is the name of a value


_SQL = f"""
WITH line AS (
    SELECT credit_account_id AS account_id, debit_account_id AS other_id, amount_minor, code, at FROM wallets_transfer
    WHERE at >= %(starts_at)s AND credit_sequence IS NOT NULL AND currency = %(currency)s
    UNION ALL
    SELECT debit_account_id, credit_account_id, -amount_minor, code, at FROM wallets_transfer
    WHERE at >= %(starts_at)s AND debit_sequence IS NOT NULL AND currency = %(currency)s
),
flow AS (
    SELECT line.account_id, sum(line.amount_minor) AS since_start,
        sum(line.amount_minor) FILTER (WHERE NOT within) AS since_end,
        sum(line.amount_minor) FILTER (WHERE within AND other.kind = 'cage' AND code = 'deposit') AS deposits,
        sum(line.amount_minor) FILTER (WHERE within AND other.kind = 'cage' AND code = 'withdrawal') AS withdrawals,
        sum(line.amount_minor) FILTER (
            WHERE within AND other.kind = 'cage' AND code NOT IN ('deposit', 'withdrawal')) AS adjustments,
        sum(line.amount_minor) FILTER (WHERE within AND other.kind = 'escrow' AND line.amount_minor < 0) AS to_games,
        sum(line.amount_minor) FILTER (WHERE within AND other.kind = 'escrow' AND line.amount_minor > 0) AS from_games
    FROM (SELECT *, at < %(ends_at)s AS within FROM line) line
    JOIN wallets_account other ON other.id = line.other_id
    GROUP BY 1
),
summary AS (
    SELECT account.user_id, account.public_id AS account_id, account.currency,
        account.balance_minor - coalesce(flow.since_start, 0) AS opening_balance_minor,
        coalesce(flow.deposits, 0) AS deposits_minor, -coalesce(flow.withdrawals, 0) AS withdrawals_minor,
        coalesce(flow.adjustments, 0) AS adjustments_minor,
        -coalesce(flow.to_games, 0) AS to_games_minor, coalesce(flow.from_games, 0) AS from_games_minor,
        account.balance_minor - coalesce(flow.since_end, 0) AS closing_balance_minor,
        coalesce(held_at_start.held_minor, 0) AS funds_on_game_at_start_minor,
        coalesce(held_at_end.held_minor, 0) AS funds_on_game_at_end_minor
    FROM wallets_account account
    LEFT JOIN flow ON flow.account_id = account.id
    LEFT JOIN ({_held_at("%(starts_at)s::timestamptz")}) held_at_start ON held_at_start.account_id = account.id
    LEFT JOIN ({_held_at("%(ends_at)s")}) held_at_end ON held_at_end.account_id = account.id
    WHERE account.kind = 'player' AND account.currency = %(currency)s
)
SELECT player.public_id AS player_id, summary.account_id, summary.currency,
    {", ".join(f"{name}::bigint" for name in FIGURES)},
    (from_games_minor - to_games_minor + funds_on_game_at_end_minor - funds_on_game_at_start_minor)::bigint AS win_loss_minor
FROM summary JOIN users_user player ON player.id = summary.user_id
WHERE {" OR ".join(f"{name} <> 0" for name in FIGURES)}
ORDER BY player.id
"""  # noqa: S608 parts of our own
_HALLS_SQL = f"""
SELECT coalesce(sum(amount_minor) FILTER (WHERE kind = 'cage'), 0)::bigint AS cage_minor,
    coalesce(sum(amount_minor) FILTER (WHERE kind IN ('house', 'rake')), 0)::bigint AS won_minor
FROM ({HALL_LINES}) line WHERE currency = %(currency)s
"""  # noqa: S608 parts of our own


def _build(scope: Scope) -> Content:
    assert scope.hall is not None
    currency = scope.hall.currency
    rows = scope.read(_SQL, currency=currency)
    (halls,) = scope.read(_HALLS_SQL, currency=currency)
    owed = sum(row["liability_minor"] for row in liability_by_transfers(scope) if row["currency"] == currency)
    total = {name: sum(row[name] for row in rows) for name in (*FIGURES, "win_loss_minor")}
    paid_in = total["deposits_minor"] - total["withdrawals_minor"] + total["adjustments_minor"]
    checks = [
        Check("accounts_that_do_not_add_up", 0, sum(map(_is_off, rows)), currency),
        Check("liability_at_the_end", owed, total["closing_balance_minor"] + total["funds_on_game_at_end_minor"], currency),
        Check("cage_accounts", -halls["cage_minor"], paid_in, currency),
        Check("house_and_rake_accounts", halls["won_minor"], -total["win_loss_minor"], currency),
    ]
    is_active = any(row[name] for row in rows for name in HAPPENED)
    return Content(rows, checks, is_active=is_active, filters={"currency": currency})


def _is_off(row: Row) -> bool:
    """Say whether the closing balance is not what follows from the opening balance and the movements."""
    follows = (
        row["opening_balance_minor"]
        + row["deposits_minor"]
        - row["withdrawals_minor"]
        + row["adjustments_minor"]
        + row["from_games_minor"]
        - row["to_games_minor"]
    )
    return bool(follows != row["closing_balance_minor"])


ACCOUNT_SUMMARY = Definition(
    name="account_summary",
    title="Player account summary",
    version=2,
    columns=COLUMNS,
    build=_build,
    daily="hall",
    by_hall="required",
)
