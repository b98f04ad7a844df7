"""Rounds played for money: opening, acting, time-outs, closing, voiding."""
