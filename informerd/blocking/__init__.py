"""Informers for scripts without an event loop."""
