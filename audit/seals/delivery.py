"""Heads sent to the webhook, signed as Standard Webhooks says, until they were taken."""

import base64
import hashlib
import hmac
from datetime import datetime, timedelta

import httpx
from django.conf import settings
from django.db.models import F

from audit.seals.heads import head_text
from audit.seals.models import SealDelivery
from audit.seals.services import head_of
from casino.db import now as database_now
from casino.db import unit_of_work

ATTEMPT_SECONDS = 5
AT_ONCE = 20
_LEASE = timedelta(minutes=1)
_FIRST_PAUSE, _LONGEST_PAUSE = timedelta(seconds=10), timedelta(hours=1)


def heads_send(*, client: httpx.Client | None = None, now: datetime | None = None) -> int:
    """Send the heads that are due, in their order, and return how many were taken.

    **Rule** To the one configured URL, and nowhere that an answer points to. Each attempt is noted before it is made; a head may
    reach the receiver twice, under the same ``webhook-id``. After a failure the next attempt waits twice as long, up to an hour.
    """
    if not settings.SEAL_WEBHOOK_URL:
        return 0
    moment = now or database_now()
    due = SealDelivery.objects.filter(delivered_at=None, due_at__lte=moment).select_related("seal").order_by("pk")[:AT_ONCE]
    taken = 0
    with client or httpx.Client(timeout=ATTEMPT_SECONDS, follow_redirects=False, trust_env=False) as sender:
        for delivery in due:
            if not _claim(delivery, moment):
                continue
            is_taken, answer = _send(sender, delivery, moment)
            _note(delivery, moment, is_taken=is_taken, answer=answer)
            if not is_taken:
                break  # whoever does not take one head takes no other now
            taken += 1
    return taken


def signature(*, message_id: str, timestamp: int, body: bytes, secret: str) -> str:
    """Return the signature header of a message (Standard Webhooks, symmetric, version 1)."""
    key = base64.b64decode(secret.removeprefix("whsec_"))
    signed = hmac.new(key, f"{message_id}.{timestamp}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()


def _claim(delivery: SealDelivery, moment: datetime) -> bool:
    """Make an attempt this process's own: another sees it as due only when this one must have failed."""
    with unit_of_work():
        mine = SealDelivery.objects.filter(pk=delivery.pk, delivered_at=None, due_at=delivery.due_at)
        return mine.update(attempts=F("attempts") + 1, due_at=moment + _LEASE) == 1


def _send(client: httpx.Client, delivery: SealDelivery, moment: datetime) -> tuple[bool, str]:
    body = head_text(head_of(delivery.seal)).encode()
    message_id, timestamp = f"seal_{delivery.seal_id}", int(moment.timestamp())
    headers = {
        "content-type": "application/json",
        "webhook-id": message_id,
        "webhook-timestamp": str(timestamp),
        "webhook-signature": signature(
            message_id=message_id, timestamp=timestamp, body=body, secret=settings.SEAL_WEBHOOK_SECRET
        ),
    }
    try:
        with client.stream("POST", settings.SEAL_WEBHOOK_URL, content=body, headers=headers) as response:
            return response.is_success, str(response.status_code)  # what else it says is not read
    except (httpx.HTTPError, OSError) as error:
        return False, type(error).__name__


def _note(delivery: SealDelivery, moment: datetime, *, is_taken: bool, answer: str) -> None:
    row = SealDelivery.objects.filter(pk=delivery.pk)
    with unit_of_work():
        if is_taken:
            row.update(delivered_at=moment, answer=answer)
        else:
            pause = min(_FIRST_PAUSE * 2 ** min(delivery.attempts, 20), _LONGEST_PAUSE)
            row.update(due_at=moment + pause, answer=answer)
