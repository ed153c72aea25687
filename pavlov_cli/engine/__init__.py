"""The only home of compiled code: streams associations through memories and spreads trials over devices.

Nothing is imported here, so that the layers above can read ``engine.version`` without loading jax.
"""
