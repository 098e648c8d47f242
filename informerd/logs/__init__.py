"""Logs of containers, followed through broken connections, rotations and restarts."""
