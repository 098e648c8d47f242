"""Reader of DELTABOARD_NAMESPACES."""

from __future__ import annotations

import re

_LABEL = re.compile(r"[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?")


def read_namespaces(value: str) -> tuple[str, ...]:
    """The names, sorted and once each; none where the account's rights decide. Raises ValueError for what is no name
    of a namespace.
    """
    names = [name.strip() for name in value.split(",")]
    for name in filter(None, names):
        if _LABEL.fullmatch(name) is None:
            raise ValueError(
                f"{name!r} is no name of a namespace. Write names of lower-case letters, digits and dashes, "
                "separated by commas"
            )
    return tuple(sorted(filter(None, {*names})))
