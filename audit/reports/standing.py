"""Parts of queries that several reports share: rounds that were open at a moment, and what moved over the halls' accounts."""

HALL_LINES = """
    SELECT account.hall_id, account.kind, transfer.currency, transfer.code, transfer.amount_minor
    FROM wallets_account account
    JOIN wallets_transfer transfer ON transfer.credit_account_id = account.id AND transfer.credit_sequence IS NULL
    WHERE account.hall_id IS NOT NULL AND transfer.at >= %(starts_at)s AND transfer.at < %(ends_at)s
    UNION ALL
    SELECT account.hall_id, account.kind, transfer.currency, transfer.code, -transfer.amount_minor
    FROM wallets_account account
    JOIN wallets_transfer transfer ON transfer.debit_account_id = account.id AND transfer.debit_sequence IS NULL
    WHERE account.hall_id IS NOT NULL AND transfer.at >= %(starts_at)s AND transfer.at < %(ends_at)s
"""
"""What came to each house, rake and cage account in the interval and, below zero, what left it."""
IN_HALL = "(%(hall_id)s::bigint IS NULL OR hall_id = %(hall_id)s)"


def escrow_lines(moment: str) -> str:
    """State what came to a ``round``'s escrow before a moment and, below zero, what left it."""
    return f"""
        SELECT amount_minor, debit_account_id AS other_id FROM wallets_transfer
        WHERE credit_account_id = round.escrow_id AND credit_sequence IS NOT NULL AND at < {moment}
        UNION ALL
        SELECT -amount_minor, credit_account_id FROM wallets_transfer
        WHERE debit_account_id = round.escrow_id AND debit_sequence IS NOT NULL AND at < {moment}
    """  # noqa: S608 the moment is the name of a value


def raked(moment: str) -> str:
    """State what the house had taken as rake out of a ``round``'s escrow before a moment: by its own few lines, not by all."""
    return f"""
        SELECT -sum(line.amount_minor) AS rake_minor
        FROM ({escrow_lines(moment)}) line JOIN wallets_account other ON other.id = line.other_id
        WHERE other.kind = 'rake'
    """  # noqa: S608 the moment is the name of a value


def rounds_open_at(moment: str) -> str:
    """State the query for the rounds open at a moment, with what their escrow held and what the house had kept of them by then.

    **Rule** Of the transfers with a time before the moment. What the house has kept is what it got from the escrow less what it
    put there, rake included: fees and lost side bets are collected while the round goes on.
    """
    return f"""
        SELECT round.id, round.hall_id, round.game, round.rules_version, round.pay_table_id, round.limit_set_id, round.currency,
            held.in_escrow_minor, held.kept_minor
        FROM rounds_round round
        CROSS JOIN LATERAL (
            SELECT coalesce(sum(line.amount_minor), 0) AS in_escrow_minor,
                -coalesce(sum(line.amount_minor) FILTER (WHERE other.kind IN ('house', 'rake')), 0) AS kept_minor
            FROM ({escrow_lines(moment)}) line JOIN wallets_account other ON other.id = line.other_id
        ) held
        WHERE round.opened_at < {moment} AND (round.closed_at IS NULL OR round.closed_at >= {moment})
    """  # noqa: S608 the moment is the name of a value
