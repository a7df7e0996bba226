"""The latency suite: asks a running Prelude what readers ask, and says what they waited for, and why.

Scenarios and budgets are in scenarios.toml. Knows Prelude only from outside: its pages, doors and figures.
"""
