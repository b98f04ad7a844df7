"""Game performance: what was wagered and won by the rounds that closed in the interval, for each game and its terms."""

from typing import Any

from audit.reports.frame import Check, Column, Content, Definition, Row, Scope, amount
from audit.reports.standing import HALL_LINES, IN_HALL, raked, rounds_open_at
from games.core.engine import Json
from games.engines import current_engines
from games.mathematics import MATHEMATICS

COLUMNS = (
    Column("hall_id", "Hall"),
    Column("hall", "Hall code"),
    Column("game", "Game"),
    Column("type", "Played against"),
    amount("rules_version", "Rules version", is_summed=False),
    Column("pay_table_id", "Pay table"),
    amount("pay_table_version", "Pay table version", is_summed=False),
    Column("limit_set_id", "Limit set"),
    amount("limit_set_version", "Limit set version", is_summed=False),
    Column("available_since", "Available since", "time"),
    Column("status", "Status"),
    Column("retired_at", "Retired at", "time"),
    Column("currency", "Currency"),
    amount("rounds_played", "Rounds played"),
    amount("wagers_minor", "Wagers"),
    amount("wins_minor", "Wins"),
    amount("rake_minor", "Rake"),
    amount("house_win_minor", "Won by the house"),
    Column("theoretical_rtp_percent", "Theoretical RTP, %"),
    Column("actual_rtp_percent", "Actual RTP, %"),
    amount("rounds_voided", "Rounds voided"),
    amount("voided_wagers_minor", "Voided wagers"),
    amount("voided_returned_minor", "Returned of voided wagers"),
    amount("rounds_open", "Rounds open at the end"),
    amount("funds_open_minor", "Funds in open rounds at the end"),
)
FIGURES = (
    "rounds_played", "wagers_minor", "wins_minor", "rake_minor", "rounds_voided", "voided_wagers_minor", "voided_returned_minor",
    "rounds_open", "funds_open_minor",
)  # fmt: skip
_TERMS = """
    SELECT terms.id, terms.public_id, terms.hall_id, terms.game, terms.version, terms.effective_at AS since,
        lead(terms.effective_at) OVER (PARTITION BY terms.hall_id, terms.game ORDER BY terms.effective_at) AS until
    FROM {table} terms
    WHERE terms.effective_at < %(ends_at)s AND terms.data IS NOT NULL AND NOT EXISTS (
        SELECT FROM {table} later
        WHERE (later.hall_id, later.game, later.effective_at) = (terms.hall_id, terms.game, terms.effective_at)
            AND later.revision > terms.revision)
"""
_HALL_CLOSED = """(hall.opened_at IS NULL OR coalesce((
        SELECT action = 'hall_closed' FROM audit_auditrecord record
        WHERE (record.subject_type, record.subject_id) = ('halls.hall', hall.public_id::text)
            AND action IN ('hall_opened', 'hall_closed') AND at < %(ends_at)s
        ORDER BY record.id DESC LIMIT 1), false))"""
"""Whether the trail says that a hall was closed at the interval's end; one that has never opened is."""
_SQL = f"""
WITH pay_table AS ({_TERMS.format(table="halls_paytable")}), limit_set AS ({_TERMS.format(table="halls_limitset")}),
offered AS (
    SELECT pay_table.hall_id, pay_table.game, pay_table.id AS pay_table_id, limit_set.id AS limit_set_id,
        greatest(pay_table.since, limit_set.since) AS since, least(pay_table.until, limit_set.until) AS until
    FROM pay_table JOIN limit_set USING (hall_id, game)
    WHERE greatest(pay_table.since, limit_set.since) < coalesce(least(pay_table.until, limit_set.until), 'infinity')
),
counted AS (
    SELECT round.hall_id, round.game, round.rules_version, round.pay_table_id, round.limit_set_id, round.currency,
        (round.status = 'settled')::int AS settled, (round.status = 'voided')::int AS voided,
        seats.staked_minor, seats.returned_minor, coalesce(raked.rake_minor, 0) AS rake_minor, 0 AS open, 0 AS in_escrow_minor
    FROM rounds_round round
    CROSS JOIN LATERAL (SELECT sum(seat.staked_minor) AS staked_minor, sum(seat.returned_minor) AS returned_minor
                        FROM rounds_roundseat seat WHERE seat.round_id = round.id) seats
    LEFT JOIN LATERAL ({raked("%(ends_at)s")}) raked ON round.table_id IS NOT NULL
    WHERE round.closed_at >= %(starts_at)s AND round.closed_at < %(ends_at)s
    UNION ALL
    SELECT hall_id, game, rules_version, pay_table_id, limit_set_id, currency, 0, 0, 0, 0, 0, 1, in_escrow_minor
    FROM ({rounds_open_at("%(ends_at)s")}) standing
),
figures AS (
    SELECT hall_id, game, rules_version, pay_table_id, limit_set_id, currency, sum(settled) AS rounds_played,
        sum(staked_minor * settled) AS wagers_minor, sum(returned_minor * settled) AS wins_minor, sum(rake_minor) AS rake_minor,
        sum(voided) AS rounds_voided, sum(staked_minor * voided) AS voided_wagers_minor,
        sum(returned_minor * voided) AS voided_returned_minor, sum(open) AS rounds_open, sum(in_escrow_minor) AS funds_open_minor
    FROM counted GROUP BY 1, 2, 3, 4, 5, 6
)
SELECT hall.public_id AS hall_id, hall.code AS hall, played.game, played.rules_version,
    coalesce(played.currency, hall.currency) AS currency,
    pay_table.data AS pay_table, pay_table.public_id AS pay_table_id, pay_table.version AS pay_table_version,
    limit_set.public_id AS limit_set_id, limit_set.version AS limit_set_version, played.since AS available_since,
    CASE WHEN played.until IS NOT NULL THEN 'retired' WHEN {_HALL_CLOSED} THEN 'hall_closed' ELSE 'in_force' END AS status,
    played.until AS retired_at,
    {", ".join(f"coalesce(played.{name}, 0)::bigint AS {name}" for name in FIGURES)}
FROM (SELECT * FROM offered FULL JOIN figures USING (hall_id, game, pay_table_id, limit_set_id) WHERE {IN_HALL}) played
JOIN halls_hall hall ON hall.id = played.hall_id
JOIN halls_paytable pay_table ON pay_table.id = played.pay_table_id
JOIN halls_limitset limit_set ON limit_set.id = played.limit_set_id
WHERE played.rules_version IS NOT NULL OR played.until IS NULL OR played.until > %(starts_at)s
ORDER BY hall.code, played.game, pay_table.version, limit_set.version, played.rules_version
"""  # noqa: S608 parts of our own
_KEPT_SQL = f"""
SELECT currency, sum(kept_minor)::bigint AS kept_minor, sum(open_minor)::bigint AS open_minor FROM (
    SELECT hall_id, currency, amount_minor AS kept_minor, 0 AS open_minor
    FROM ({HALL_LINES}) line WHERE kind IN ('house', 'rake')
    UNION ALL
    SELECT hall_id, currency, 0, kept_minor FROM ({rounds_open_at("%(ends_at)s")}) standing
    UNION ALL
    SELECT hall_id, currency, 0, -kept_minor FROM ({rounds_open_at("%(starts_at)s::timestamptz")}) standing
) kept
WHERE {IN_HALL} GROUP BY 1 ORDER BY 1
"""  # noqa: S608 parts of our own


def theoretical_rtp_percent(game: str, pay_table: Json) -> str | None:
    """Return what the exact mathematics says is given back, in per cent, of each kind of bet that no decision changes."""
    mathematics = MATHEMATICS.get(game)
    if mathematics is None:
        return None
    returned = {kind: wager.returned for kind, wager in mathematics.wagers(pay_table).items()}
    return ", ".join(f"{kind} {percent(part.numerator, part.denominator)}" for kind, part in returned.items())


def percent(part: int, whole: int) -> str | None:
    """Return a part in per cent with four digits, half a digit rounded up; None of nothing."""
    if whole <= 0:
        return None
    digits = (part * 2_000_000 + whole) // (2 * whole)
    return f"{digits // 10_000}.{digits % 10_000:04d}"


def _build(scope: Scope) -> Content:
    engines = {engine.code: engine for engine in current_engines()}
    rows = [_row(row, engines.get(row["game"])) for row in scope.read(_SQL)]
    return Content(rows, _checks(scope, rows), is_active=any(row[name] for row in rows for name in FIGURES))


def _row(row: Row, engine: Any) -> Row:
    is_against_house = engine is None or engine.seats[1] == 1
    row, pay_table = dict(row), row["pay_table"]
    del row["pay_table"]
    house_win = row["wagers_minor"] - row["wins_minor"] - row["rake_minor"]
    return row | {
        "type": "house" if is_against_house else "players",
        "rules_version": row["rules_version"] or getattr(engine, "rules_version", None),
        "house_win_minor": house_win,
        "theoretical_rtp_percent": theoretical_rtp_percent(row["game"], pay_table) if is_against_house else None,
        "actual_rtp_percent": percent(row["wins_minor"], row["wagers_minor"]) if is_against_house else None,
    }


def _checks(scope: Scope, rows: list[Row]) -> list[Check]:
    """What house and rake accounts got in the interval is what the rounds lost that closed in it, and what open ones have."""
    by_rounds: dict[str, int] = {}
    for row in rows:
        lost = row["wagers_minor"] - row["wins_minor"] + row["voided_wagers_minor"] - row["voided_returned_minor"]
        by_rounds[row["currency"]] = by_rounds.get(row["currency"], 0) + lost
    kept = {row["currency"]: row for row in scope.read(_KEPT_SQL)}
    nothing = {"kept_minor": 0, "open_minor": 0}
    return [
        Check(
            "house_and_rake_accounts",
            expected=kept.get(currency, nothing)["kept_minor"],
            found=int(by_rounds.get(currency, 0) + kept.get(currency, nothing)["open_minor"]),
            currency=currency,
        )
        for currency in sorted({*by_rounds, *kept})
    ]


GAME_PERFORMANCE = Definition(
    name="game_performance",
    title="Game performance",
    version=2,
    columns=COLUMNS,
    build=_build,
    daily="hall",
    for_operators=True,
)
