"""Errors of the caller: unknown names, malformed selectors, unsuitable projections."""

from __future__ import annotations

from collections.abc import Iterable

from informerd.errors.base import InformerdError
from informerd.suggest import suggest_names


class UnknownResource(InformerdError):
    """Discovery knows no such kind; `known` lists what it knows, for a helpful answer.

    `stale` lists versions of groups whose own servers could not be asked: it may be one of theirs.
    """

    def __init__(self, name: str, known: tuple[str, ...] = (), *, stale: tuple[str, ...] = ()) -> None:
        doubt = f"; {', '.join(stale)} could not be asked" if stale else ""
        super().__init__(f"the API server has no resource {name!r}{doubt}")
        self.name = name
        self.known = known
        self.stale = stale


class GroupUnavailable(InformerdError):
    """The API server knows the group, and the server behind it (an aggregated API) does not answer.

    So nobody can say whether it has the resource. It says nothing of objects, and passes with the outage. `versions`
    are those that could not be asked.
    """

    def __init__(self, name: str, group: str, versions: tuple[str, ...]) -> None:
        which = ", ".join(versions)
        super().__init__(f"the API group {group} is not available now, so {name!r} cannot be found: {which} is down")
        self.name = name
        self.group = group
        self.versions = versions


class NotWatchable(InformerdError):
    """The API server has the resource, but it cannot be listed and watched; `verbs` are what can be done with it."""

    def __init__(self, name: str, verbs: Iterable[str]) -> None:
        self.name = name
        self.verbs = tuple(sorted(verbs))
        super().__init__(f"{name!r} cannot be followed, as it cannot be listed and watched: {', '.join(self.verbs)}")


class UnknownIndex(InformerdError):
    """The store has no such index; `known` lists those it has."""

    def __init__(self, name: str, known: tuple[str, ...] = ()) -> None:
        super().__init__(f"there is no index {name!r}; there are {', '.join(sorted(known))}")
        self.name = name
        self.known = known


class IndexExists(InformerdError):
    """The store has an index of that name already."""

    def __init__(self, name: str) -> None:
        super().__init__(f"there is an index {name!r} already")
        self.name = name


class MalformedSelector(InformerdError):
    """A label or field selector does not parse; says what is wrong and where.

    `position` counts characters from 0; it is None, and `where` says it, for a selector that is no text.
    """

    def __init__(self, selector: str, problem: str, *, position: int | None = None, where: str = "") -> None:
        place = where or (f"character {position + 1}" if position is not None else "")
        super().__init__(f"malformed selector {selector!r}{f', {place}' if place else ''}: {problem}")
        self.selector = selector
        self.problem = problem
        self.position = position
        self.where = place

    @property
    def caret(self) -> str:
        """The selector, and below it a mark where it is wrong; for a person at a terminal."""
        return self.selector if self.position is None else f"{self.selector}\n{' ' * self.position}^"


class UnknownField(InformerdError):
    """A projection has no field of that path; `known` lists the paths that lead to a value."""

    def __init__(self, path: str, projection: str, problem: str, known: tuple[str, ...] = ()) -> None:
        near = suggest_names(path, known, compared=None)
        hint = f"; did you mean {near[0]}?" if near else ";"
        fields = ", ".join(known) or "(none)"
        super().__init__(f"{projection} has no field {path!r}: {problem}{hint} its fields are {fields}")
        self.path = path
        self.projection = projection
        self.known = known


class UnusableProjection(InformerdError):
    """A projection that cannot be made of any object; names the field, where it is one's fault."""

    def __init__(self, projection: str, problem: str, field: str = "") -> None:
        super().__init__(f"{projection} is not a projection: {problem}")
        self.projection = projection
        self.field = field


class MalformedResourceVersion(InformerdError, ValueError):
    """A value is not a resource version: a positive decimal number without leading zeros."""

    def __init__(self, text: str) -> None:
        super().__init__(f"{text!r} is not a resource version: expected a positive number without leading zeros")
        self.text = text
