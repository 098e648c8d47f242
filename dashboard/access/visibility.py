"""Objects that the reader of a page may see, by kind, namespace and name."""

from __future__ import annotations

from collections.abc import Callable

from dashboard.runtime.app_state import Key

MaySee = Callable[[str, str, str], bool]
"""Whether the reader may see an object: its kind's key (``pods``, ``deployments.apps``), namespace and name. The
namespace is empty where the kind has none; the name is empty for a request about all objects of the namespace.
"""

VISIBILITY: Key[MaySee] = Key("the objects that the reader may see")


def see_everything(kind_key: str, namespace: str, name: str) -> bool:  # noqa: ARG001 -- the same for every object
    """For a reader with all rights."""
    return True
