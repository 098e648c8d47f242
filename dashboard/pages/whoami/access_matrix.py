"""What somebody may do, by kind and namespace."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from dashboard.access.rights import LIST_VERBS, Rights
from dashboard.objects.kinds.catalog import KindInfo

MAX_NAMESPACES = 8
"""Namespaces that have a column unless some are chosen."""
_OWN_RIGHTS = (
    ("see the controllers page", "get", "controllers.deltaboard"),
    ("have a controller reconcile a key now", "update", "controllers.deltaboard"),
    ("have a kind followed always", "update", "followedkinds.deltaboard"),
    ("sign everybody out", "deletecollection", "sessions.deltaboard"),
)
"""Words, verb, and kind of the API group that Deltaboard uses for itself; see docs/access.md."""
CHANGE_VERBS = ("update", "patch")


@dataclass(frozen=True, slots=True)
class Ability:
    """One of the things that somebody may do with objects, or not."""

    letter: str
    words: str
    is_allowed: bool


@dataclass(frozen=True, slots=True)
class MatrixCell:
    """What somebody may do with a kind in one namespace, or everywhere."""

    abilities: tuple[Ability, ...]
    """Empty where the kind has no namespace, and so nothing to do in one."""
    names: str = ""
    """Names of the single objects that may be seen, where not all may be."""

    @property
    def words(self) -> str:
        """All of it, for who does not see letters."""
        allowed = ", ".join(each.words for each in self.abilities if each.is_allowed)
        return " · ".join(filter(None, (allowed or ("" if self.names else "nothing"), self.names)))

    @property
    def is_empty(self) -> bool:
        return not self.names and not any(each.is_allowed for each in self.abilities)


@dataclass(frozen=True, slots=True)
class MatrixRow:
    """One kind."""

    kind: KindInfo
    cells: tuple[MatrixCell, ...]


@dataclass(frozen=True, slots=True)
class AccessMatrix:
    """Rows of the kinds with which somebody may do something."""

    namespaces: tuple[str, ...]
    """One column each, after the one for all namespaces."""
    rows: tuple[MatrixRow, ...]
    other_kinds: tuple[KindInfo, ...]
    """Kinds with which nothing may be done in these namespaces."""
    omitted_namespaces: int
    """Number of namespaces with rights of their own that have no column."""
    pages: tuple[Ability, ...]
    """Pages and buttons of Deltaboard that show no objects."""


def access_matrix(rights: Rights, kinds: Iterable[KindInfo], chosen: Sequence[str] = ()) -> AccessMatrix:
    """The matrix for the `chosen` namespaces, else for the first MAX_NAMESPACES in which a role gives rights."""
    own = tuple(rights.by_namespace)
    namespaces = tuple(chosen) or own[:MAX_NAMESPACES]
    rows, others = [], []
    for kind in kinds:
        row = MatrixRow(kind, tuple(_cell(rights, kind, namespace) for namespace in ("", *namespaces)))
        if all(cell.is_empty for cell in row.cells):
            others.append(kind)
        else:
            rows.append(row)
    return AccessMatrix(namespaces, tuple(rows), tuple(others), len(set(own) - set(namespaces)), _pages(rights))


def _pages(rights: Rights) -> tuple[Ability, ...]:
    named = [Ability("", words, rights.allows(verb, key)) for words, verb, key in _OWN_RIGHTS]
    return (*named, Ability("", "read the metrics of this process", rights.allows_url("get", "/metrics")))


def _cell(rights: Rights, kind: KindInfo, namespace: str) -> MatrixCell:
    if namespace and not kind.namespaced and kind.key != "namespaces":
        return MatrixCell(())

    def may(*verbs: str, subresource: str = "") -> bool:
        where = {"name": namespace} if kind.key == "namespaces" else {"namespace": namespace}
        return any(rights.allows(verb, kind.key, subresource=subresource, **where) for verb in verbs)

    abilities = [
        Ability("S", "see", may(*LIST_VERBS)),
        Ability("C", "create", may("create")),
        Ability("E", "edit", may(*CHANGE_VERBS)),
        Ability("D", "delete", may("delete")),
    ]
    if kind.key == "pods":
        abilities += [
            Ability("L", "logs", may("get", subresource="log")),
            Ability("X", "terminal", may("create", subresource="exec")),
        ]
    scope = rights.scope_of(kind.key)
    named = scope.names_anywhere if not namespace else {name for where, name in scope.names if where == namespace}
    if not kind.namespaced:
        named = scope.names_anywhere | {name for _, name in scope.names}
    names = "" if abilities[0].is_allowed or not named else f"sees {', '.join(sorted(named)[:3])}"
    return MatrixCell(tuple(abilities), f"{names} and {len(named) - 3} more" if names and len(named) > 3 else names)
