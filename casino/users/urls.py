"""Paths of users and their tokens."""

from django.urls import URLPattern

urlpatterns: list[URLPattern] = []
