"""The exact mathematics of Russian poker: figures of any pay table from counted frequencies, by the standard library alone."""

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any

from games.core.codec import canonical, digest
from games.core.engine import Json
from games.core.mathematics import Play, Wager, exact_json
from games.russian_poker.engine.setup import PayTable, pay_table_from_text
from games.russian_poker.mathematics import dealing, figures, strategies
from games.russian_poker.mathematics.frequencies import FREQUENCIES, RULES_VERSION, frequencies_json
from games.russian_poker.mathematics.plays import SERIES, record_plays


class RussianPokerMathematics:
    """What a hall can expect of Russian poker."""

    rules_version = RULES_VERSION

    def wagers(self, pay_table: Json) -> Mapping[str, Wager]:
        """A blind box, by its Ante and Bet together, and the Bonus."""
        pays = _pays(pay_table)
        return {"blind": strategies.blind_box(FREQUENCIES, pays), "bonus": figures.bonus(FREQUENCIES, pays)}

    edge_kinds: tuple[str, ...] = ("blind", "open", "bonus")

    def edges(self, pay_table: Json) -> Mapping[str, Fraction]:
        """Those of the wagers, and what is left of an open box by the best of the strategies: skill may get more."""
        wagers = self.wagers(pay_table)
        best = 1 - strategies.best_return(FREQUENCIES, _pays(pay_table))
        return {"blind": wagers["blind"].edge, "open": best, "bonus": wagers["bonus"].edge}

    def figures(self, pay_table: Json) -> dict[str, Any]:
        pays = _pays(pay_table)
        return {
            "rules_version": RULES_VERSION,
            "pay_table_sha256": digest(pay_table),
            "frequencies_sha256": digest(self.frequencies),
            "edges": {kind: exact_json(edge) for kind, edge in self.edges(pay_table).items()},
            "combinations": figures.combinations_json(FREQUENCIES, pays),
            "bonus": figures.bonus_json(FREQUENCIES, pays),
            "dealer": dealing.dealer_json(FREQUENCIES),
            "blind_box": strategies.blind_box_json(FREQUENCIES, pays),
            "strategies": strategies.strategies_json(FREQUENCIES, pays),
            "insurance": dealing.insurance_json(FREQUENCIES),
            "purchase": dealing.purchase_json(FREQUENCIES, pays),
        }

    series: Mapping[str, str | None] = SERIES

    def plays(self, record: Json) -> tuple[Play, ...]:
        return record_plays(record)

    @property
    def frequencies(self) -> Json:
        return frequencies_json(FREQUENCIES)

    def recount(self, progress: Callable[[str], None]) -> dict[str, Any]:
        """Count by numpy, which nothing else here needs."""
        from games.russian_poker.mathematics.counting.recount import recounted

        return frequencies_json(recounted(progress))


def _pays(pay_table: Json) -> PayTable:
    return pay_table_from_text(canonical(pay_table))


MATHEMATICS = RussianPokerMathematics()
