"""One effect per Idempotency-Key, whatever the network does with the request.

A request with a key runs in one durable transaction: take the key's lock, look for the answer given before, else carry out the
effect in a savepoint and keep its answer with it. An answer is given again byte for byte.
"""

import hashlib
import hmac
import json
import re
import struct
from collections.abc import Callable
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import TYPE_CHECKING, Any, cast

from django.db import connection, transaction
from django.http import HttpResponse
from rest_framework.request import Request

from casino.api.problems import CONTENT_TYPE as PROBLEM_CONTENT_TYPE
from casino.api.problems import domain_problem
from casino.api.rendering import CONTENT_TYPE, render_json
from casino.db import now as database_now
from casino.db import request_transaction, rows_purge
from casino.errors import Conflict, InvalidInput, Refused
from casino.models import IdempotencyRecord

if TYPE_CHECKING:
    from casino.users.models import User

HEADER = "Idempotency-Key"
REPLAYED_HEADER = "Idempotency-Replayed"
KEPT_DAYS = 120
_KEY = re.compile(r"[A-Za-z0-9._:-]{1,64}")


@dataclass(frozen=True)
class Answer:
    """What an effect answers: data to render; with hidden cards in it, also the ``reference`` to rebuild that data from."""

    data: Any
    status: int = 200
    headers: dict[str, str] = field(default_factory=dict)
    reference: dict[str, Any] | None = None


Effect = Callable[[], Answer]
Rebuild = Callable[[dict[str, Any]], Any]


def idempotent(request: Request, effect: Effect, *, required: bool, rebuild: Rebuild | None = None) -> HttpResponse:
    """Carry out a request once per key and answer it alike every time.

    **Rule** 2xx and 422 are final and kept; after any other error neither a row nor an effect is left. Call it with a validated
    body; what comes after the key in precedence (If-Match, the service) belongs into ``effect``.
    **Shapes** ``rebuild`` gives an answer's data again from its ``reference``; the body of such an answer is not stored.
    **Errors** idempotency_key_required and idempotency_key_invalid (400), idempotency_in_progress (409),
    idempotency_key_reused (422).
    """
    key = _key_of(request, required)
    if key is None:
        with request_transaction():
            return _response(_Rendered.of(effect()))
    scope_hash = _scope_hash(request, key)
    fingerprint = _fingerprint(request, key)
    with request_transaction():
        _lock(scope_hash)
        record = IdempotencyRecord.objects.filter(scope_hash=scope_hash).first()
        if record is not None:
            return _replay(record, fingerprint, rebuild)
        rendered = _carry_out(effect)
        IdempotencyRecord.objects.create(
            scope_hash=scope_hash,
            fingerprint=fingerprint,
            user=cast("User", request.user),
            method=str(request.method),
            path=request.path,
            status=rendered.status,
            headers=rendered.headers,
            body=None if rendered.reference is not None else rendered.body,
            reference=rendered.reference,
        )
        return _response(rendered)


def keys_purge(*, now: datetime | None = None) -> int:
    """Forget the answers older than KEPT_DAYS and tell how many they were."""
    oldest = (now or database_now()) - timedelta(days=KEPT_DAYS)
    return rows_purge(IdempotencyRecord.objects.filter(created_at__lt=oldest))


@dataclass(frozen=True)
class _Rendered:
    status: int
    headers: dict[str, str]
    body: bytes
    reference: dict[str, Any] | None = None

    @classmethod
    def of(cls, answer: Answer) -> "_Rendered":
        return cls(answer.status, answer.headers, render_json(answer.data), answer.reference)


def _carry_out(effect: Effect) -> _Rendered:
    try:
        with transaction.atomic():
            return _Rendered.of(effect())
    except Refused as refusal:
        response = domain_problem(refusal)
        return _Rendered(response.status_code, {}, response.content)


def _replay(record: IdempotencyRecord, fingerprint: bytes, rebuild: Rebuild | None) -> HttpResponse:
    if not hmac.compare_digest(bytes(record.fingerprint), fingerprint):
        raise Refused("idempotency_key_reused")
    if record.body is not None:
        body = bytes(record.body)
    elif rebuild is not None and record.reference is not None:
        body = render_json(rebuild(record.reference))
    else:
        raise RuntimeError(f"{record.method} {record.path} stored a reference but cannot rebuild from it")
    response = _response(_Rendered(record.status, record.headers, body))
    response.headers[REPLAYED_HEADER] = "true"
    return response


def _response(rendered: _Rendered) -> HttpResponse:
    content_type = CONTENT_TYPE if rendered.status < 300 else PROBLEM_CONTENT_TYPE
    return HttpResponse(rendered.body, status=rendered.status, content_type=content_type, headers=rendered.headers)


def _key_of(request: Request, required: bool) -> str | None:
    key = request.headers.get(HEADER)
    if key is None:
        if required:
            raise InvalidInput("idempotency_key_required", field=HEADER)
        return None
    if not _KEY.fullmatch(key):
        raise InvalidInput("idempotency_key_invalid", field=HEADER)
    return key


def _scope_hash(request: Request, key: str) -> bytes:
    return _sha256(str(cast("User", request.user).public_id), str(request.method), request.path, key)


def _fingerprint(request: Request, key: str) -> bytes:
    """Hash the body, keyed with what is nowhere stored, so that a row tells nothing about it."""
    body = json.dumps(request.data, sort_keys=True, separators=(",", ":"))
    return hmac.digest(key.encode(), body.encode(), "sha256")


def _sha256(*parts: str) -> bytes:
    return hashlib.sha256(json.dumps(parts).encode()).digest()


def _lock(scope_hash: bytes) -> None:
    """Take the key for this transaction, in a statement of its own: the next one must see what its last holder committed."""
    (number,) = struct.unpack(">q", scope_hash[:8])
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s)", [number])
        (is_taken,) = cursor.fetchone()
    if not is_taken:
        raise Conflict("idempotency_in_progress", retry_after_seconds=1)
