"""The lab: what a real model's waits depend on, measured on this machine against dev/local.

The model is too small for its answers to be trusted, but its prefill and decode behave as a large one's do.
Every study asks in rounds, the variants of a round in shuffled order, so that a slower hour slows all alike.
"""
