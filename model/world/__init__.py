"""The world around the components: API server, users, informers, clock, goroutines. Any system can compose from it.

No module here knows the record of a system: each says by a Protocol (`state.py`) which fields of it it uses.
"""
