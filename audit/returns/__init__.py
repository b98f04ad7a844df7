"""What bets really give back, beside what their mathematics says; docs/house-mathematics.md."""
