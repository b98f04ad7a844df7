"""The service's URL map and the yardstick's view."""

from typing import ClassVar

from django.db import transaction
from django.urls import path
from rest_framework.request import Request
from rest_framework.response import Response

from bench.models import Counter, Entry
from casino.api.fields import StrictIntegerField, StrictSerializer
from casino.api.views import ApiView
from casino.permissions import Role, Roles, only
from casino.urls import handler400, handler403, handler404, handler500, urlpatterns

__all__ = ["handler400", "handler403", "handler404", "handler500", "urlpatterns"]


class Body(StrictSerializer):
    """An amount to add."""

    amount = StrictIntegerField(min_value=1)


class YardstickView(ApiView):
    """What the least that changes money would cost: one row locked, one changed, one added, by the ORM."""

    roles: ClassVar[Roles] = only(Role.PLAYER)

    def post(self, request: Request, pk: int) -> Response:
        """Add to a counter."""
        amount = self.body(Body)["amount"]
        with transaction.atomic():
            counter = Counter.objects.select_for_update(no_key=True, of=("self",)).get(pk=pk)
            counter.amount += amount
            counter.save(update_fields=["amount"])
            entry = Entry.objects.create(counter=counter, amount=amount)
        return Response({"id": entry.pk, "amount": counter.amount})


urlpatterns = [*urlpatterns, path("api/v1/yardstick/<int:pk>", YardstickView.as_view())]
