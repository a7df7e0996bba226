"""Benchmarks: each runs the product's own parts and prints its figures as one JSON object at the end."""
