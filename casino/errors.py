"""What the services refuse. Kinds know no HTTP; ``casino.api.problems`` maps them to answers.

Each error carries a stable ``code`` that clients switch on, declared once in CODES, and ``details`` as data.
"""

from typing import Any


class DomainError(Exception):
    """Base of every refusal."""

    def __init__(self, code: str, message: str = "", **details: Any) -> None:
        super().__init__(message or CODES.get(code) or code.replace("_", " "))
        self.code = code
        self.details = details


class InvalidInput(DomainError):
    """The shape or a value of the request makes no sense; details name the ``field``."""


class Unauthenticated(DomainError):
    """Nobody, or nobody any more."""


class Forbidden(DomainError):
    """The caller's roles do not allow it."""


class NotFound(DomainError):
    """No such object, or not for the caller to know of."""


class Conflict(DomainError):
    """The object is not in the state that the request assumes."""


class PreconditionFailed(DomainError):
    """The object has changed since the caller saw it."""


class PreconditionRequired(DomainError):
    """The caller must say which version of the object it saw."""


class Refused(DomainError):
    """Well-formed, but rules, limits, protection or funds say no."""


class RateLimited(DomainError):
    """Too many requests; details carry ``retry_after_seconds``."""


class Busy(DomainError):
    """The outcome is unknown or a lock was not to be had: try again with the same key."""


CODES: dict[str, str] = {
    # the request itself
    "unauthenticated": "Log in first.",
    "forbidden": "Your roles do not allow this.",
    "method_not_allowed": "This method is not offered here.",
    "not_acceptable": "Only JSON is served here.",
    "unsupported_media_type": "Send application/json in UTF-8.",
    "body_too_large": "The body is too large.",
    "malformed_json": "The body is not strict JSON.",
    "invalid_input": "The request makes no sense.",
    "not_found": "There is no such thing.",
    "busy": "Too much at once; try again with the same key.",
    "not_ready": "Something that the service stands on is missing.",
    "database_unavailable": "The outcome is unknown; try again with the same key.",
    "internal_error": "Something broke on our side.",
    # streams
    "too_many_streams": "You have too many streams open.",
    "streams_full": "No more streams can be opened here now.",
    # keys and preconditions
    "idempotency_key_required": "Send an Idempotency-Key header.",
    "idempotency_key_invalid": "An Idempotency-Key is 1 to 64 letters, digits, '-', '_', '.' or ':'.",
    "idempotency_in_progress": "The same request is being carried out; try again.",
    "idempotency_key_reused": "This key has already been used with another body.",
    "precondition_required": "Send the ETag that you saw in If-Match.",
    "precondition_failed": "It has changed since you saw it.",
    # users
    "invalid_credentials": "The name or the password is wrong.",
    "login_locked": "Too many attempts to log in; wait.",
    "password_wrong": "The present password is wrong.",
    "password_weak": "The new password is too weak.",
    "username_taken": "The name is taken.",
    "user_already_disabled": "The user is already disabled.",
    "user_already_enabled": "The user is already enabled.",
    "user_disabled": "The user is disabled.",
    "self_change_forbidden": "Nobody changes their own roles or standing.",
    "role_already_granted": "The user already has this role.",
    "last_admin": "The last admin cannot be removed.",
    # money
    "insufficient_funds": "There is not enough money in the account.",
    "balance_too_large": "The account cannot hold that much.",
    "currency_not_of_hall": "The hall has another currency.",
    "own_account_forbidden": "Nobody serves themselves at the counter.",
    "transfer_already_reversed": "The transfer has already been reversed.",
    "transfer_not_reversible": "Only a deposit can be reversed.",
    # halls
    "hall_code_taken": "Another hall has this code.",
    "hall_open": "The hall is open.",
    "hall_closed": "The hall is closed.",
    "game_not_offered": "The hall does not offer this game.",
    "effective_time_taken": "Other terms take effect at this very time; withdraw them or choose another.",
    "edge_not_allowed": "The house's edge is outside the hall's band.",
    "already_withdrawn": "It has been withdrawn.",
    "already_in_effect": "It has taken effect; publish the next one instead.",
    # tables
    "table_closed": "The table is closed.",
    "table_full": "Every seat is taken.",
    "seat_taken": "The seat is taken.",
    "already_seated": "You sit at this table already.",
    "not_seated": "You do not sit at this table.",
    "no_free_seat": "No open table with a free seat fits.",
    "too_many_tables": "Too many of your tables are open.",
    # audit
    "too_many_exports": "Too many exports are running; wait until one has ended.",
    # reports
    "report_too_long": "The report has too many rows; ask for a shorter interval.",
    "report_not_final": "The interval is not over, or something of it is still being written.",
    # rounds
    "commitment_mismatch": "Open the round that your unused commitment names.",
    "commitment_used": "This commitment is no longer unused.",
    "own_round_forbidden": "Nobody voids a round of their own.",
    "engine_unverified": "The program is not the reviewed one; no new round opens until that is cleared up.",
    "round_already_open": "You have an open round in this hall.",
    "round_open": "The round has not closed yet.",
    "round_closed": "The round has closed.",
    "turn_already_played": "This turn has been played.",
    "turn_not_reached": "This turn has not been reached.",
    "not_your_turn": "It is not your turn.",
    "deadline_passed": "Your time has run out.",
    "stake_not_accepted": "The hall does not accept this kind of stake.",
    "stake_below_minimum": "The stake is below the hall's minimum.",
    "stake_above_maximum": "The stake is above the hall's maximum.",
    "stake_not_in_steps": "The stake is not a multiple of the chip step.",
    # audit
    "returns_not_summed": "More than two days have not been summed; ask without today, or again when they have.",
    "not_sealed": "It has not been sealed by then.",
    "record_unreadable": "The round's record is none, or gone, or rows of the round are; the audit's findings tell where.",
    # findings
    "finding_resolved": "The finding has been resolved.",
    "finding_not_owned": "Another owns the finding; take it first.",
    "own_finding_forbidden": "Nobody judges what they did themselves.",
}
