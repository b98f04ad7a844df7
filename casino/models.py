"""Requests that were answered once and are to be answered alike for ever after."""

from django.conf import settings
from django.db import models
from django.db.models import Q
from django.db.models.functions import Now


class IdempotencyRecord(models.Model):
    """The answer to a request that carried an Idempotency-Key.

    **Rule** The key and the body are kept as hashes only: a body can hold a hidden bid, which a plain hash would let one guess.
    An answer with hidden cards is kept as a ``reference`` from which it is rebuilt.
    """

    scope_hash = models.BinaryField(max_length=32, unique=True)
    fingerprint = models.BinaryField(max_length=32)
    user = models.ForeignKey(settings.AUTH_USER_MODEL, on_delete=models.PROTECT, related_name="+", db_index=False)
    method = models.CharField(max_length=8)
    path = models.TextField()
    status = models.PositiveSmallIntegerField()
    headers = models.JSONField(default=dict)
    body = models.BinaryField(null=True)
    reference = models.JSONField(null=True)
    created_at = models.DateTimeField(db_default=Now(), db_index=True)

    class Meta:
        constraints = [
            models.CheckConstraint(
                condition=Q(body__isnull=False, reference__isnull=True) | Q(body__isnull=True, reference__isnull=False),
                name="idempotency_body_or_reference",
            ),
            models.CheckConstraint(condition=Q(status__range=(200, 299)) | Q(status=422), name="idempotency_final_answers_only"),
        ]
