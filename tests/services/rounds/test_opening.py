"""Opening a round: commitment, terms, stakes, funds, one open round."""

from datetime import timedelta
from itertools import islice
from uuid import uuid4

import pytest

from casino.db import now
from casino.errors import Conflict, InvalidInput, NotFound, Refused
from casino.permissions import Role
from casino.users.models import User
from games.core.record import head_hash
from games.halls.models import Hall
from games.halls.services import hall_close, limit_set_publish
from games.rounds.commitments import commitment_ensure
from games.rounds.models import Commitment, Round, RoundSeat, RoundStep
from tests import playing
from tests.playing import ENGINE, FOUR_BOXES, ONE_BOX, WITHOUT_BONUS, Books, balance, commit, open_round
from wallets import ledger
from wallets.ledger import Posting
from wallets.models import PAID_IN_MAX_MINOR, Transfer


def boxes(**changes: int) -> dict[str, object]:
    return {"boxes": [{"box": 1, "ante_minor": 100, "bonus_minor": 10, **changes}]}


def test_the_deal_takes_ante_bonus_and_the_hold_of_twice_the_ante(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    row = Round.objects.get(commitment_id=step.round_id)
    seat = RoundSeat.objects.get(round=row)
    holds = Transfer.objects.filter(step_id=RoundStep.objects.get(round=row).pk, code__startswith="hold.")
    assert sum(t.amount_minor for t in holds) == 100 + 10 + 200
    assert balance(player) == 100_000 - 310 + seat.returned_minor
    assert row.escrow.balance_minor == seat.held_minor


def test_the_chain_begins_with_the_head_and_the_head_with_the_commitment(hall: Hall, player: User) -> None:
    round_id = commit(player, hall)
    hash_before = Commitment.objects.get(pk=round_id).seed_hash
    open_round(player, hall, round_id=round_id)
    row = Round.objects.get(commitment_id=round_id)
    assert row.head["seed_hash"] == hash_before
    assert row.head["setup"]["limits"] == row.limit_set.data
    assert row.head["setup"]["pay_table"] == row.pay_table.data
    assert RoundStep.objects.get(round=row).previous_hash == head_hash(row.head)


def test_a_round_needs_the_players_own_unused_commitment(hall: Hall, halls: dict[str, Hall], player: User) -> None:
    stranger = playing.player(hall)
    for round_id in (uuid4(), commit(stranger, hall), commit(player, halls["second"])):
        with pytest.raises(Conflict, match="commitment") as refusal:
            open_round(player, hall, round_id=round_id)
        assert refusal.value.code == "commitment_mismatch"


def test_a_spent_commitment_opens_nothing_and_the_next_one_is_there(hall: Hall, player: User) -> None:
    step = open_round(player, hall, seed=None)
    playing.play_out(player, step.round_id, playing.random.Random(1))
    with pytest.raises(Conflict):
        open_round(player, hall, round_id=step.round_id)
    following, is_new = commitment_ensure(user=player, hall_id=hall.public_id, game=playing.GAME)
    assert not is_new
    assert following.follows_id == step.round_id
    assert following.seed_hash != Commitment.objects.get(pk=step.round_id).seed_hash


def test_a_refused_opening_keeps_the_commitment(hall: Hall) -> None:
    poor = playing.player(hall, 309)
    round_id = commit(poor, hall)
    before = Books.read()
    with pytest.raises(Refused) as refusal:
        open_round(poor, hall, round_id=round_id)
    assert refusal.value.code == "insufficient_funds"
    assert (refusal.value.details["available_minor"], refusal.value.details["required_minor"]) == (309, 310)
    assert Books.read() == before
    assert not Round.objects.exists()
    assert Commitment.objects.get(pk=round_id).status == Commitment.Status.UNUSED


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"ante_minor": 1010}, "boxes.0.ante_minor"),
        ({"ante_minor": 5, "bonus_minor": 0}, "boxes.0.ante_minor"),
        ({"ante_minor": 105}, "boxes.0.ante_minor"),
        ({"bonus_minor": 210}, "boxes.0.bonus_minor"),
        ({"bonus_minor": 15}, "boxes.0.bonus_minor"),
    ],
)
def test_rp_2_4_stakes_keep_to_the_halls_limits(hall: Hall, player: User, changes: dict[str, int], field: str) -> None:
    before = Books.read()
    with pytest.raises(Refused) as refusal:
        open_round(player, hall, boxes(**changes))
    assert refusal.value.code.startswith("stake_")
    assert refusal.value.details["field"] == field
    assert Books.read() == before


def test_a_setup_that_makes_no_sense_is_refused_by_its_field(hall: Hall, player: User) -> None:
    twice = {"boxes": [{"box": 1, "ante_minor": 100}, {"box": 1, "ante_minor": 100}]}
    with pytest.raises(InvalidInput) as refusal:
        open_round(player, hall, twice)
    assert refusal.value.details["field"].startswith("boxes")


def test_house_bots_give_no_client_seed(hall: Hall, player: User) -> None:
    player.is_house_bot = True
    with pytest.raises(InvalidInput) as refusal:
        open_round(player, hall)
    assert refusal.value.details["field"] == "client_seed"
    open_round(player, hall, client_seed="")


def test_rp_7_2_one_open_round_per_player_and_hall(hall: Hall, halls: dict[str, Hall], player: User) -> None:
    first = open_round(player, hall)
    with pytest.raises(Conflict) as refusal:
        open_round(player, hall)
    assert refusal.value.code == "round_already_open"
    assert refusal.value.details["round_id"] == str(first.round_id)
    open_round(player, halls["second"], boxes(bonus_minor=0))


def test_rp_3_3_a_deal_that_the_balance_cannot_cover_is_refused_whole(hall: Hall) -> None:
    short = playing.player(hall, 4 * 310 - 1)
    with pytest.raises(Refused):
        open_round(short, hall, FOUR_BOXES)
    assert balance(short) == 4 * 310 - 1


def test_a_closed_or_unknown_hall_opens_no_round(hall: Hall, player: User) -> None:
    round_id = commit(player, hall)
    admin = playing.user_with(Role.ADMIN)
    hall.refresh_from_db()
    hall_close(actor=admin, hall_id=hall.public_id, version=hall.version, reason="cleaning")
    with pytest.raises(Conflict) as refusal:
        open_round(player, hall, round_id=round_id)
    assert refusal.value.code == "hall_closed"
    hall.public_id = uuid4()
    with pytest.raises(NotFound):
        open_round(player, hall, round_id=round_id)


def test_a_new_limit_holds_for_the_next_round_only(hall: Hall, player: User) -> None:
    step = open_round(player, hall)
    hall.refresh_from_db()
    limits = {**ENGINE.default_limits["first"], "abandon_after_seconds": 60}
    limits["stakes"] = {**limits["stakes"], "ante": {"min_minor": 200, "max_minor": 400, "step_minor": 200}}
    admin = playing.user_with(Role.ADMIN)
    arguments = {"hall_id": hall.public_id, "version": hall.version, "game": playing.GAME}
    limit_set_publish(actor=admin, **arguments, data=limits, reason="higher stakes")
    seat = RoundSeat.objects.get(round__commitment_id=step.round_id)
    assert seat.deadline - seat.round.acted_at == timedelta(seconds=86_400)
    playing.play_out(player, step.round_id, playing.random.Random(2))
    with pytest.raises(Refused):
        open_round(player, hall, ONE_BOX)
    following = open_round(player, hall, boxes(ante_minor=200))
    seat = RoundSeat.objects.get(round__commitment_id=following.round_id)
    assert seat.deadline - seat.round.acted_at == timedelta(seconds=60)


def test_no_round_opens_where_a_win_might_not_fit_whatever_the_cards(hall: Hall) -> None:
    rich = playing.player(hall, PAID_IN_MAX_MINOR)
    account, house = ledger.player_account(rich.pk, "EUR"), ledger.house_account(hall.pk, "EUR")
    won = ledger.escrow_open(uuid4(), "EUR")
    ledger.post(
        [Posting(house.pk, won.pk, 1, "fund.test"), Posting(won.pk, account.pk, 1, "release.test")], step_id=None, now=now()
    )
    before = Books.read()
    for seed in islice(playing.seeds(), 5):
        with pytest.raises(Refused) as refusal:
            open_round(rich, hall, FOUR_BOXES, seed=seed)
        assert refusal.value.code == "balance_too_large"
        Commitment.objects.filter(user=rich, status="unused").update(status="discarded", discard_reason="next")
    assert Books.read() == before


def test_nothing_is_paid_in_beyond_half_of_what_an_account_holds_and_every_win_still_fits(hall: Hall) -> None:
    rich = playing.player(hall, PAID_IN_MAX_MINOR - 100)
    with pytest.raises(Refused) as refusal:
        playing.fund(rich, hall, 101)
    assert refusal.value.code == "balance_too_large"
    step = open_round(rich, hall, WITHOUT_BONUS)  # which may give back more than the round has taken
    playing.fund(rich, hall, PAID_IN_MAX_MINOR - balance(rich))
    playing.play_out(rich, step.round_id, playing.random.Random(1))
