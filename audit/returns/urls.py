"""Paths of what bets give back."""

from django.urls import path

from audit.returns.views import ReturnsView

urlpatterns = [
    path("audit/returns", ReturnsView.as_view(), name="returns"),
]
