"""What of the rake is beyond the rule: on money that the services would never move."""

import json
from collections.abc import Callable
from random import Random

from tests.report_builders import hall_of, player_with, report, table_of, utc
from tests.services.audit.reports.conftest import DAY

# What each seat staked and got back, the rake, its rule, and what is beyond it.
CASES: list[tuple[list[tuple[int, int]], int, tuple[int, int | None], int]] = [
    ([(5_000, 0), (5_000, 9_500), (0, 0)], 500, (500, 100), 400),
    ([(5_000, 0), (5_000, 9_900), (0, 0)], 100, (500, 100), 0),
    ([(5_000, 0), (5_000, 9_500), (0, 0)], 500, (500, None), 0),
    ([(5_000, 0), (5_000, 9_499), (0, 0)], 501, (500, None), 1),
    ([(4_000, 5_950), (4_000, 0), (4_000, 5_949)], 101, (500, 100), 1),  # a shared pot is one win
    ([(10_000, 0), (0, 4_900), (0, 4_900)], 200, (500, 100), 0),  # by points each win has its cap
    ([(10_000, 0), (0, 4_900), (0, 4_899)], 201, (500, 100), 1),
    ([(100, 0), (0, 0), (0, 0)], 100, (10_000, 50), 0),  # two wins that went into the rake as a whole
    ([(100, 0), (0, 100), (0, 0)], 0, (0, None), 0),
]


def test_rake_is_bound_by_the_part_and_the_cap_of_the_rule_in_the_rounds_head(
    committed_db: str, plant: Callable[[str], None]
) -> None:
    """The table says by now that all may be taken."""
    hall = hall_of("kyiv")
    players = [player_with(hall, 50_000, utc("03-29 08:00")) for _ in range(3)]
    table_of(hall, players, utc("03-29 12:00"), ante_minor=400).play_out(Random(1))
    everything = json.dumps({"basis_points": 10_000, "cap_minor": None})
    plant(f"UPDATE tables_table SET rake = '{everything}'")
    for seats, rake, rule, over in CASES:
        rake_rule = json.dumps({"basis_points": rule[0], "cap_minor": rule[1]})
        plant(f"UPDATE rounds_round SET head = jsonb_set(head, '{{setup,rake}}', '{rake_rule}')")
        for index, (staked, returned) in enumerate(seats):
            plant(f"UPDATE rounds_roundseat SET staked_minor = {staked}, returned_minor = {returned} WHERE index = {index}")
        document = report("rake", hall, DAY)
        (row,) = document["rows"]
        assert (row["rake_basis_points"], row["rake_cap_minor"]) == rule
        assert (row["rake_minor"], row["rake_over_rule_minor"]) == (rake, over)
        (check,) = (check for check in document["checks"] if check["check"] == "rake_beyond_the_rule")
        assert (check["found"], check["agrees"]) == (over, over == 0)
