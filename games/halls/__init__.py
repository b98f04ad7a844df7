"""Halls with their limit sets and pay tables."""
