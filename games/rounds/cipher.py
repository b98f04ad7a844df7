"""Encryption of what nobody may see while a round is open.

Every ciphertext carries the round's id and what it is ("seed", "state 3", "step 3"): one put in another's place is refused.
"""

from functools import lru_cache
from typing import Any
from uuid import UUID

from cryptography.fernet import Fernet, InvalidToken, MultiFernet
from django.conf import settings

from games.core.codec import canonical, parse


class Tampered(Exception):
    """A ciphertext is not what was put there."""


def seal(round_id: UUID, label: str, content: Any) -> bytes:
    """Encrypt JSON content under the first of the configured keys."""
    return _fernet().encrypt(canonical({"round_id": str(round_id), "label": label, "content": content}))


def unseal(round_id: UUID, label: str, secret: bytes | memoryview) -> Any:
    """Decrypt what ``seal`` made for the same round and label. **Errors** Tampered."""
    try:
        envelope = parse(_fernet().decrypt(bytes(secret)))
    except InvalidToken as error:
        raise Tampered(f"{label} of round {round_id} cannot be decrypted") from error
    if envelope["round_id"] != str(round_id) or envelope["label"] != label:
        raise Tampered(f"{label} of round {round_id} was put in another's place")
    return envelope["content"]


@lru_cache(maxsize=1)
def _fernet() -> MultiFernet:
    return MultiFernet([Fernet(key) for key in settings.ROUND_KEYS])
