"""Paths of accounts and the counter."""

from django.urls import path

from wallets import views

urlpatterns = [
    path("accounts", views.AccountsView.as_view(), name="accounts"),
    path("accounts/<uuid:account_id>/transfers", views.StatementView.as_view(), name="account-transfers"),
    path("players/<uuid:player_id>/accounts", views.PlayerAccountsView.as_view(), name="player-accounts"),
    path("deposits", views.DepositsView.as_view(), name="deposits"),
    path("withdrawals", views.WithdrawalsView.as_view(), name="withdrawals"),
    path("transfers/<uuid:transfer_id>/reversal", views.TransferReversalView.as_view(), name="transfer-reversal"),
]
