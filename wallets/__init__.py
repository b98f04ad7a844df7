"""Accounts and transfers: who holds what, and every amount that ever moved."""
