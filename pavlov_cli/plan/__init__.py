"""Axes to cells: ranges, specs, and what a sweep will cost before it starts. No jax here."""
