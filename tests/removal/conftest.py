"""The fixtures of the edit pages: deletions are asked for in the same way."""

from tests.edits.conftest import bob, browser, cluster, collection, drafts, namespace, parts, path

__all__ = ["bob", "browser", "cluster", "collection", "drafts", "namespace", "parts", "path"]
