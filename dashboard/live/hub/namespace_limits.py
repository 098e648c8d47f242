"""Namespaces that pages are limited to, because Deltaboard lists kinds in some namespaces only."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from dashboard.live.replication.readable_replica import ReadableReplica
from dashboard.objects.kinds.catalog import KindInfo
from informerd.cache.health import Health

MAX_NAMED = 6
"""Namespaces that a sentence names."""


@dataclass(frozen=True, slots=True)
class NamespaceLimit:
    """Value of `limit` in templates. Names are sorted."""

    namespaces: tuple[str, ...]
    """Those that are listed."""
    forbidden: tuple[str, ...] = ()
    """Those that are to be listed, too, and may not be."""
    lost: tuple[str, ...] = ()
    """Those of them that were listed before."""
    titles: tuple[str, ...] = ()
    """Of a page of several kinds: the kinds that are limited, where not all are."""

    @property
    def names_text(self) -> str:
        """``a, b``; beyond MAX_NAMED namespaces the rest is counted."""
        return _names(self.namespaces)

    @property
    def words(self) -> str:
        """``Namespaces a, b only``, with the kinds in front where that is not so of all."""
        if not self.namespaces:
            words = "No namespace may be listed"
        else:
            words = f"Namespace{'s' if len(self.namespaces) > 1 else ''} {self.names_text} only"
        return f"{_names(self.titles)}: {words[:1].lower()}{words[1:]}" if self.titles else words

    @property
    def warning(self) -> str:
        """Sentences on namespaces that are missing; empty where none is."""
        never = tuple(name for name in self.forbidden if name not in self.lost)
        sentences = [
            f"Deltaboard's account may {'no longer' if names is self.lost else 'not'} see "
            f"namespace{'s' if len(names) > 1 else ''} {_names(names)}, so nothing of "
            f"{'them' if len(names) > 1 else 'it'} is shown."
            for names in (self.lost, never)
            if names
        ]
        return " ".join(sentences)

    @property
    def is_partial(self) -> bool:
        return bool(self.titles)


def limit_of(health: Health) -> NamespaceLimit | None:
    """The limit of one kind; None where it is listed in all namespaces, or not yet."""
    if not health.is_by_namespace:
        return None
    return NamespaceLimit(health.namespaces, health.forbidden_namespaces, health.lost_namespaces)


def joint_limit(kinds: Iterable[KindInfo], replicas: Mapping[str, ReadableReplica]) -> NamespaceLimit | None:
    """The limit of a page of several kinds: all namespaces that one of them is listed in; None where none is limited.

    A namespace is missing where no kind is listed in it.
    """
    known = [(kind, replicas[kind.key].health) for kind in kinds if kind.namespaced and kind.key in replicas]
    limited = [(kind, limit) for kind, health in known if (limit := limit_of(health)) is not None]
    if not limited:
        return None
    names = {name for _, limit in limited for name in limit.namespaces}
    forbidden = {name for _, limit in limited for name in limit.forbidden} - names
    lost = {name for _, limit in limited for name in limit.lost} - names
    has_all = any(not health.is_by_namespace and health.state in ("live", "stale") for _, health in known)
    titles = tuple(kind.title for kind, _ in limited) if has_all else ()
    return NamespaceLimit(tuple(sorted(names)), tuple(sorted(forbidden)), tuple(sorted(lost)), titles)


def is_outside(health: Health, namespace: str) -> bool:
    """Whether a kind's objects of this namespace are not known, because the namespace is not listed."""
    limit = limit_of(health)
    return limit is not None and bool(namespace) and namespace not in limit.namespaces


def _names(names: tuple[str, ...]) -> str:
    more = len(names) - MAX_NAMED
    return ", ".join(names[:MAX_NAMED]) + (f" and {more} more" if more > 0 else "")
