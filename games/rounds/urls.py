"""Paths of commitments and rounds."""

from django.urls import path

from games.rounds import views

urlpatterns = [
    path("commitments", views.CommitmentsView.as_view()),
    path("commitments/<uuid:round_id>/discard", views.CommitmentDiscardView.as_view()),
    path("rounds", views.RoundsView.as_view()),
    path("rounds/last-opening", views.LastOpeningView.as_view()),
    path("rounds/<uuid:round_id>", views.RoundView.as_view()),
    path("rounds/<uuid:round_id>/actions", views.RoundActionsView.as_view()),
    path("rounds/<uuid:round_id>/steps", views.RoundStepsView.as_view()),
    path("rounds/<uuid:round_id>/record", views.RoundRecordView.as_view()),
    path("rounds/<uuid:round_id>/void", views.RoundVoidView.as_view()),
]
