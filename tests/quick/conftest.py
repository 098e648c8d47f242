"""The fixtures of the edit pages: quick actions are asked for in the same way."""

from tests.edits.conftest import bob, browser, cluster, collection, drafts, namespace, parts

__all__ = ["bob", "browser", "cluster", "collection", "drafts", "namespace", "parts"]
