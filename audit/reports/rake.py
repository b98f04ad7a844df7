"""Rake: what the house took from the pots of the rounds that were settled in the interval, for each stake and rule."""

from audit.reports.frame import Check, Column, Content, Definition, Scope, amount
from audit.reports.standing import HALL_LINES, IN_HALL

COLUMNS = (
    Column("hall_id", "Hall"),
    Column("hall", "Hall code"),
    Column("game", "Game"),
    Column("stake_kind", "Stake"),
    amount("stake_minor", "Amount of the stake", is_summed=False),
    amount("rake_basis_points", "Rake, hundredths of a per cent", is_summed=False),
    amount("rake_cap_minor", "Most rake of a win", is_summed=False),
    Column("currency", "Currency"),
    amount("rounds", "Rounds"),
    amount("pots_minor", "Pots"),
    amount("rake_minor", "Rake"),
    amount("rake_over_rule_minor", "Rake beyond the rule"),
)
# A shared pot is one win. Of a game by points nothing of a winner's stake is lost, and each win has a cap of its own; one that
# went into the rake as a whole cannot be told from a draw.
_WON = "(seat.returned_minor > 0 OR rule.basis_points = 10000)"
_SQL = f"""
SELECT hall.public_id AS hall_id, hall.code AS hall, played.*
FROM (
    SELECT hall_id AS hall_key, game, stake_kind, stake_minor, rake_basis_points, rake_cap_minor, currency, count(*) AS rounds,
        sum(pot_minor)::bigint AS pots_minor, sum(pot_minor - paid_minor)::bigint AS rake_minor,
        sum(greatest(0, pot_minor - paid_minor - least(pot_minor * rake_basis_points / 10000, rake_cap_minor * wins)))
            ::bigint AS rake_over_rule_minor
    FROM (
        SELECT round.hall_id, round.game, place.stake_kind, place.stake_minor,
            rule.basis_points AS rake_basis_points, rule.cap_minor AS rake_cap_minor, round.currency,
            pot.staked_minor::bigint AS pot_minor, pot.returned_minor::bigint AS paid_minor, pot.wins
        FROM rounds_round round
        JOIN tables_table place ON place.id = round.table_id
        CROSS JOIN LATERAL (SELECT coalesce((round.head #>> '{{setup,rake,basis_points}}')::bigint, 0) AS basis_points,
                                   (round.head #>> '{{setup,rake,cap_minor}}')::bigint AS cap_minor) rule
        CROSS JOIN LATERAL (SELECT sum(seat.staked_minor) AS staked_minor, sum(seat.returned_minor) AS returned_minor,
                                   greatest(1, count(*) FILTER (WHERE seat.staked_minor = 0 AND {_WON})) AS wins
                            FROM rounds_roundseat seat WHERE seat.round_id = round.id) pot
        WHERE round.status = 'settled' AND round.closed_at >= %(starts_at)s AND round.closed_at < %(ends_at)s
    ) round
    WHERE {IN_HALL}
    GROUP BY 1, 2, 3, 4, 5, 6, 7
) played
JOIN halls_hall hall ON hall.id = played.hall_key
ORDER BY hall.code, game, stake_minor, stake_kind, rake_basis_points, rake_cap_minor
"""  # noqa: S608 parts of our own
_ACCOUNTS_SQL = f"""
SELECT currency, sum(amount_minor)::bigint AS rake_minor FROM ({HALL_LINES}) line WHERE kind = 'rake' AND {IN_HALL} GROUP BY 1
"""  # noqa: S608 parts of our own


def _build(scope: Scope) -> Content:
    """Take what pots held and did not pay out; check it against the rake accounts of the ledger, and against the rule."""
    rows = scope.read(_SQL)
    accounts = {row["currency"]: row["rake_minor"] for row in scope.read(_ACCOUNTS_SQL)}
    checks = [
        Check("rake_accounts", accounts.get(each, 0), sum(row["rake_minor"] for row in rows if row["currency"] == each), each)
        for each in sorted({*accounts, *(row["currency"] for row in rows)})
    ]
    checks.append(Check("rake_beyond_the_rule", 0, sum(row["rake_over_rule_minor"] for row in rows)))
    return Content(rows, checks, is_active=bool(rows))


RAKE = Definition(name="rake", title="Rake", version=2, columns=COLUMNS, build=_build, daily="hall", for_operators=True)
