"""Registry of container images, and of the images that each node has pulled."""

from __future__ import annotations

import re

from informerd.lru_cache import LruCache

REGISTRY = "registry.example.com"
MAX_IMAGES = 128
"""Images that a node keeps: more than it has pods. The kubelet's image garbage collector removes the others."""
_VERSION = re.compile(r"\d+\.\d+\.\d+")
_MISSING = ("missing", "nonexist", "not-exist", "broken", "no-such", "typo")


def exists(image: str) -> bool:
    """Whether an image can be pulled.

    The demo's own registry has versions of three numbers and no others; any other registry has every image, unless the
    image's name or tag says that there is no such thing.
    """
    name, _, tag = image.rpartition(":")
    if image.startswith(f"{REGISTRY}/"):
        return _VERSION.fullmatch(tag) is not None and not any(word in name for word in _MISSING)
    return not any(word in image for word in _MISSING)


def not_found(image: str) -> str:
    """containerd's message for an image that does not exist."""
    where = f'failed to resolve reference "{image}": {image}: not found'
    return f'rpc error: code = NotFound desc = failed to pull and unpack image "{image}": {where}'


class PulledImages:
    """Images that each node has."""

    def __init__(self) -> None:
        self._of: dict[str, LruCache[str, bool]] = {}

    def has(self, node: str, image: str) -> bool:
        """Whether a node has the image; marks it as used."""
        return node in self._of and bool(self._of[node].get(image))

    def add(self, node: str, image: str) -> None:
        """Note that a node has pulled an image; the least recently used one makes room."""
        self._of.setdefault(node, LruCache(MAX_IMAGES)).put(image, value=True)
