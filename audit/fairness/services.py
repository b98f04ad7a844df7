"""Services that run the battery: on fixed and live decks, on those that were dealt, and on the p-values of former runs."""

from collections import defaultdict
from collections.abc import Callable, Iterator
from datetime import datetime
from typing import Any

from django.db import DEFAULT_DB_ALIAS, transaction

from audit.fairness import decks
from audit.fairness.battery import LEVEL, battery, skipped
from audit.fairness.bits.suite import BITS, raw_bits
from audit.fairness.dealt import DealtDecks, dealt_decks
from audit.fairness.decks import LIVE, PACKS, Pack
from audit.fairness.enumeration import exact_faults
from audit.fairness.hands import LAYOUTS, deck_size
from audit.fairness.keeping import run_conclude, run_declare
from audit.fairness.laws import even, poisson_excess
from audit.fairness.models import FairnessRun, FairnessVerdict
from audit.findings import Severity, finding_raise, storable
from casino.db import time_unlimited, unit_of_work
from games.rounds.models import RoundRecord
from games.rounds.records import iso

Source = FairnessRun.Source
ROUNDS = "rounds"
RECORDS_AT_ONCE = 200
LEAST_KEPT = 20
"""So many p-values of one test must be kept before their uniformity says anything."""


def _silent(done: int) -> None:
    """Tell nobody how far a run is."""


def fairness_run(
    *,
    pack: str,
    count: int,
    seed: str = LIVE,
    sequences: int = 0,
    level: float = LEVEL,
    period: str = "",
    progress: Callable[[int], None] = _silent,
) -> tuple[FairnessVerdict, ...]:
    """Run the battery on freshly shuffled decks, and on so many sequences of a million raw bits; return the verdicts.

    **Rule** With a ``seed`` other than "live" that seed fixes every deck. A failure on live decks is followed by one more run, on
    an independent sample of twice the size; both are kept.
    **Errors** KeyError for a pack that there is none of.
    **Writes** a run, its verdict, and a finding; none for a period whose run has begun elsewhere.
    """
    content = {
        "source": Source.LIVE if seed == LIVE else Source.FIXED,
        "pack": pack,
        "seed": seed,
        "level": level,
        "period": period,
    }
    run = run_declare(**content, decks=count, sequences=sequences)
    if run is None:
        return ()
    verdict = _shuffled(run, PACKS[pack], progress)
    if seed != LIVE or verdict.verdict != FairnessVerdict.Verdict.FAILED:
        return (verdict,)
    second = run_declare(**content, decks=2 * count, sequences=2 * sequences, repeats=run)
    return (verdict,) if second is None else (verdict, _shuffled(second, PACKS[pack], progress))


def _shuffled(run: FairnessRun, pack: Pack, progress: Callable[[int], None]) -> FairnessVerdict:
    seeds = decks.seeds_of(run.seed)
    orders = decks.orders_of(seeds, len(pack.items), run.decks, progress)
    outcomes = [*battery(orders, pack.games), *raw_bits(decks.raw_sequences(seeds, run.sequences, BITS), progress)]
    return run_conclude(run, outcomes, exact_faults(), skipped(outcomes, len(pack.items), pack.games))


def fairness_dealt(*, since: datetime, until: datetime, level: float = LEVEL, period: str = "") -> tuple[FairnessVerdict, ...]:
    """Deal every round again that was closed in a span of time, and run the battery on its decks, game by game.

    **Rule** One run, "rounds", is about whether all cards are those of the seeds; it begins first and ends last, so that what
    breaks off is begun again. The level is shared out evenly among the games' packs.
    **Writes** runs, verdicts and findings; none for a period whose run has begun elsewhere.
    """
    sample = {"since": iso(since), "until": iso(until)}
    content = {"source": Source.DEALT, "seed": Source.DEALT, "sample": sample, "period": period}
    rounds = run_declare(**content, pack=ROUNDS, decks=0, level=level)
    if rounds is None:
        return ()
    dealt = dealt_decks(_records(since, until))
    with unit_of_work():
        for round_id, divergence in dealt.divergences.items():
            finding_raise(
                check="fairness_rederivation",
                severity=Severity.CRITICAL,
                subject=("rounds.round", round_id),
                evidence={"divergence": storable(divergence)},
            )
    verdicts = list(_of_packs(dealt, content, level))
    again = poisson_excess(f"{dealt.rounds} rounds dealt again: with other cards", len(dealt.divergences), 0)
    return (*verdicts, run_conclude(rounds, [again] if dealt.rounds else [], list(dealt.divergences)))


def _of_packs(dealt: DealtDecks, content: dict[str, Any], level: float) -> Iterator[FairnessVerdict]:
    for (game, items), orders in dealt.orders.items():
        run = run_declare(**content, pack=f"{game} {items}", decks=len(orders), level=level / len(dealt.orders))
        if run is not None:
            games = (game,) if game in LAYOUTS and deck_size(game) == items else ()
            outcomes = list(battery(orders, games))
            yield run_conclude(run, outcomes, [], skipped(outcomes, items, games))


def _records(since: datetime, until: datetime) -> Iterator[tuple[str, str]]:
    """Yield ids and records of a span in the order in which the rounds were opened; the keys alone may be many."""
    rounds = RoundRecord.objects.filter(round__closed_at__gte=since, round__closed_at__lt=until)
    with transaction.atomic():
        time_unlimited(DEFAULT_DB_ALIAS)
        keys = list(rounds.order_by("pk").values_list("pk", flat=True))
    for some in (keys[at : at + RECORDS_AT_ONCE] for at in range(0, len(keys), RECORDS_AT_ONCE)):
        records = RoundRecord.objects.filter(pk__in=some).order_by("pk")
        yield from ((str(key), text) for key, text in records.values_list("round__commitment_id", "document"))


def fairness_kept(*, since: datetime, until: datetime, level: float = LEVEL, period: str = "") -> FairnessVerdict | None:
    """Ask whether the p-values that live runs have left in a span of time are uniform, each test's by themselves.

    **Rule** Kolmogorov and Smirnov for each test whose p-values are not steps; second samples are left out, which only a
    failure brings about.
    **Writes** a run, its verdict, and a finding.
    """
    kept: dict[str, list[float]] = defaultdict(list)
    live = FairnessVerdict.objects.filter(run__source=Source.LIVE, run__repeats=None)
    for pack, outcomes in live.filter(finished_at__gte=since, finished_at__lt=until).values_list("run__pack", "outcomes"):
        for each in outcomes:
            if each["keeps_rule"] is None and not each["law"].startswith("Poisson"):
                kept[f"{pack}: {each['name']}"].append(each["p"])
    sample = {"since": iso(since), "until": iso(until), "p_values": sum(map(len, kept.values()))}
    run = run_declare(source=Source.KEPT, pack="p-values", decks=0, seed=Source.KEPT, sample=sample, level=level, period=period)
    if run is None:
        return None
    outcomes = [even(name, found) for name, found in sorted(kept.items()) if len(found) >= LEAST_KEPT]
    return run_conclude(run, outcomes, [], [name for name, found in sorted(kept.items()) if len(found) < LEAST_KEPT])
