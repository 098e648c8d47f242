"""The run's API server, and a client of it."""

from tests.edits.conftest import cluster, drafts, namespace, parts

__all__ = ["cluster", "drafts", "namespace", "parts"]
