"""Paths of commitments, rounds and the sandbox."""

from django.urls import path

from games.rounds.views import commitments, rounds
from games.rounds.views.sandbox import SandboxView
from games.rounds.views.streams import RoundStreamView

ROUND = "rounds/<uuid:round_id>"

stream_urlpatterns = [
    path(f"{ROUND}/stream", RoundStreamView.as_view(), name="round-stream"),
]
urlpatterns = [
    *stream_urlpatterns,
    path("commitments", commitments.CommitmentsView.as_view(), name="commitments"),
    path("commitments/<uuid:round_id>/discard", commitments.CommitmentDiscardView.as_view(), name="commitment-discard"),
    path("rounds", rounds.RoundsView.as_view(), name="rounds"),
    path("rounds/last-opening", rounds.LastOpeningView.as_view(), name="round-last-opening"),
    path(ROUND, rounds.RoundView.as_view(), name="round"),
    path(f"{ROUND}/actions", rounds.RoundActionsView.as_view(), name="round-actions"),
    path(f"{ROUND}/steps", rounds.RoundStepsView.as_view(), name="round-steps"),
    path(f"{ROUND}/record", rounds.RoundRecordView.as_view(), name="round-record"),
    path(f"{ROUND}/void", rounds.RoundVoidView.as_view(), name="round-void"),
    path("sandbox", SandboxView.as_view(), name="sandbox"),
]
