"""What the battery does to fair decks: p-values are uniform, and the family fails as rarely as it says."""

import numpy as np
import pytest
from scipy import stats

from audit.fairness.battery import battery, failures, holm
from audit.fairness.laws import even
from tests.unit.fairness.faulty import chance_of, fair

RUNS = 500
STEPS = {"repeated decks"}
"""Tests whose p-value is not continuous."""


def fair_of(items, chance, decks):
    return np.argsort(chance.random((decks, items)), axis=1).astype(np.uint8) if items != 52 else fair(chance, decks)


@pytest.mark.slow
@pytest.mark.parametrize(("items", "decks", "games"), [(52, 2_000, ("russian_poker",)), (12, 1_000, ()), (3, 1_000, ())])
def test_p_values_of_fair_decks_are_uniform(items, decks, games):
    chance, kept, families = chance_of(2026), {}, 0
    for _ in range(RUNS):
        outcomes = list(battery(fair_of(items, chance, decks), games))
        families += bool(failures(outcomes))
        for each in outcomes:
            kept.setdefault(each.name, []).append(each.p)
    uniform = [even(name, values) for name, values in kept.items() if name not in STEPS]
    assert all(len(values) == RUNS for values in kept.values())
    assert [(each.name, each.p) for each in uniform if each.p < 1e-3] == []
    assert holm([each.p for each in uniform], 0.01) == ()
    assert stats.binom.sf(families - 1, RUNS, 0.01) > 1e-3
