"""Blocking informers for scripts without an event loop."""
