"""Paths of halls and their terms."""

from django.urls import path

from games.halls.views.halls import EdgeBandsView, HallCloseView, HallDetailView, HallOpenView, HallsView
from games.halls.views.terms import (
    HallGamesView,
    HallGameView,
    LimitSetsView,
    LimitSetWithdrawView,
    PayTableFiguresView,
    PayTablesView,
    PayTableWithdrawView,
)

HALL = "halls/<uuid:hall_id>"
GAME = f"{HALL}/games/<slug:game>"

urlpatterns = [
    path("halls", HallsView.as_view(), name="halls"),
    path(HALL, HallDetailView.as_view(), name="hall"),
    path(f"{HALL}/edge-bands", EdgeBandsView.as_view(), name="hall-edge-bands"),
    path(f"{HALL}/open", HallOpenView.as_view(), name="hall-open"),
    path(f"{HALL}/close", HallCloseView.as_view(), name="hall-close"),
    path(f"{HALL}/games", HallGamesView.as_view(), name="hall-games"),
    path(GAME, HallGameView.as_view(), name="hall-game"),
    path(f"{GAME}/limit-sets", LimitSetsView.as_view(), name="limit-sets"),
    path(f"{GAME}/limit-sets/<uuid:limit_set_id>/withdraw", LimitSetWithdrawView.as_view(), name="limit-set-withdraw"),
    path(f"{GAME}/pay-tables", PayTablesView.as_view(), name="pay-tables"),
    path(f"{GAME}/pay-tables/<uuid:pay_table_id>/figures", PayTableFiguresView.as_view(), name="pay-table-figures"),
    path(f"{GAME}/pay-tables/<uuid:pay_table_id>/withdraw", PayTableWithdrawView.as_view(), name="pay-table-withdraw"),
]
