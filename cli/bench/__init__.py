"""Benchmarks: what the rules, the cards, a hand and a table cost, beside their floors."""
