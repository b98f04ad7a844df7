"""What the services refuse. Kinds know no HTTP; ``casino.api`` maps them to answers.

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
    "invalid_input": "The request makes no sense.",
    "unauthenticated": "Log in first.",
    "forbidden": "Your roles do not allow this.",
    "not_found": "There is no such thing.",
    "busy": "Too much at once; try again.",
    "insufficient_funds": "There is not enough money in the account.",
    "balance_too_large": "The account cannot hold that much.",
}
