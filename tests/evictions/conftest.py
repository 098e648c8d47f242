"""The run's API server, and a client of it."""

from tests.edits.conftest import cluster, namespace, parts

__all__ = ["cluster", "namespace", "parts"]
