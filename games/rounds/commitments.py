"""Services and steps for commitments: the pair (round id, seed hash) that a player reads before choosing anything.

A seed is drawn from the operating system when the pair is made. It is shown when its round closes, or when the pair is discarded
unused.
"""

import secrets
from uuid import UUID

from django.db import IntegrityError, connection, transaction

from audit.trail import audit_record
from casino.db import unit_of_work
from casino.errors import Conflict, NotFound
from casino.users.models import User
from games.core.shuffle import commitment as seed_hash_of
from games.engines import current_engines
from games.halls.models import Hall
from games.halls.selectors import hall_get
from games.rounds import cipher
from games.rounds.locks import commitment_lock
from games.rounds.models import Commitment

SEED_BYTES = 32


def commitment_ensure(*, user: User, hall_id: UUID, game: str) -> tuple[Commitment, bool]:
    """Return the player's unused commitment for a hall and game, and whether it was made just now.

    **Errors** NotFound for a hall that the player cannot know of, and for a game that is not played against the house.
    **Writes** a commitment at the first call; later ones follow from play.
    """
    if game not in {engine.code for engine in current_engines() if engine.seats[1] == 1}:
        raise NotFound("not_found")
    with unit_of_work():
        hall = hall_get(viewer=user, hall_id=hall_id)
        found = _unused(user, hall, game)
        if found is not None:
            return found, False
        try:
            with transaction.atomic():
                return commitment_create(hall=hall, game=game, user=user), True
        except IntegrityError:
            return Commitment.objects.get(user=user, hall=hall, game=game, status=Commitment.Status.UNUSED), False


def commitment_discard(*, user: User, round_id: UUID, reason: str) -> tuple[Commitment, bytes, Commitment]:
    """Discard an unused commitment; return it, its seed, which is revealed, and the commitment that follows.

    **Errors** NotFound when it is not the player's; Conflict ``commitment_used`` when it is spent.
    **Locks** the commitment. **Writes** an audit record.
    """
    with unit_of_work():
        commitment = commitment_lock(round_id)
        if commitment.user_id != user.pk:
            raise NotFound("not_found")
        if commitment.status != Commitment.Status.UNUSED:
            raise Conflict("commitment_used")
        seed = commitment_reveal(commitment, reason=reason)
        successor = commitment_create(user=user, hall=commitment.hall, game=commitment.game, follows=commitment)
        audit_record(
            actor=user,
            action="commitment_discarded",
            subject=("rounds.commitment", round_id),
            before={"status": "unused"},
            after={"status": "discarded", "server_seed": seed.hex(), "next_round_id": str(successor.round_id)},
            reason=reason,
            hall=commitment.hall_id,
        )
        return commitment, seed, successor


def commitment_create(
    *, hall: Hall, game: str, user: User | None = None, table_id: int | None = None, follows: Commitment | None = None
) -> Commitment:
    """Make the next commitment of a player or a table in the open transaction."""
    _require_transaction()
    commitment = Commitment(user=user, table_id=table_id, hall=hall, game=game, follows=follows)
    seed = secrets.token_bytes(SEED_BYTES)
    commitment.seed_hash = seed_hash_of(seed)
    commitment.seed_secret = cipher.seal(commitment.round_id, "seed", seed.hex())
    commitment.save(force_insert=True)
    return commitment


def commitment_use(*, round_id: UUID, hall: Hall, game: str, user: User | None = None, table_id: int | None = None) -> Commitment:
    """Spend a player's or a table's commitment on the round it names, in the open transaction.

    **Locks** the commitment.
    **Errors** Conflict ``commitment_mismatch`` unless the id is the unused one of theirs for this hall and game.
    """
    _require_transaction()
    try:
        commitment = commitment_lock(round_id)
    except NotFound:
        raise Conflict("commitment_mismatch") from None
    asked = (user.pk if user else None, table_id, hall.pk, game, Commitment.Status.UNUSED)
    if (commitment.user_id, commitment.table_id, commitment.hall_id, commitment.game, commitment.status) != asked:
        raise Conflict("commitment_mismatch")
    commitment.status = Commitment.Status.USED
    commitment.save(update_fields=["status"])
    return commitment


def commitment_reveal(commitment: Commitment, *, reason: str) -> bytes:
    """Discard an unused commitment that this transaction holds; return its seed, which is hidden no more."""
    commitment.status, commitment.discard_reason = Commitment.Status.DISCARDED, reason
    commitment.save(update_fields=["status", "discard_reason"])
    return commitment_seed(commitment)


def commitment_seed(commitment: Commitment) -> bytes:
    """Decrypt the seed of a commitment, and prove that it is the committed one."""
    seed = bytes.fromhex(cipher.unseal(commitment.round_id, "seed", commitment.seed_secret))
    if seed_hash_of(seed) != commitment.seed_hash:
        raise cipher.Tampered(f"the seed of round {commitment.round_id} is not the committed one")
    return seed


def _unused(user: User, hall: Hall, game: str) -> Commitment | None:
    return Commitment.objects.filter(user=user, hall=hall, game=game, status=Commitment.Status.UNUSED).first()


def _require_transaction() -> None:
    if not connection.in_atomic_block:
        raise RuntimeError("a commitment is made and spent in its round's transaction")
