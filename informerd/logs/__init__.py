"""Logs of containers: read, and followed through broken connections, rotations and restarts of the container."""
