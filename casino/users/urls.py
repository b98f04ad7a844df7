"""Paths of users and their tokens."""

from django.urls import path

from casino.users import views

urlpatterns = [
    path("auth/login", views.LoginView.as_view()),
    path("auth/logout", views.LogoutView.as_view()),
    path("auth/logout-all", views.LogoutAllView.as_view()),
    path("me", views.MeView.as_view()),
    path("me/password", views.PasswordView.as_view()),
    path("users", views.UsersView.as_view()),
    path("users/<uuid:user_id>", views.UserView.as_view()),
    path("users/<uuid:user_id>/disable", views.UserDisableView.as_view()),
    path("users/<uuid:user_id>/enable", views.UserEnableView.as_view()),
    path("users/<uuid:user_id>/grant-role", views.GrantRoleView.as_view()),
    path("users/<uuid:user_id>/revoke-role", views.RevokeRoleView.as_view()),
]
