"""Name that a person types before something is destroyed in a production cluster (DELTABOARD_PRODUCTION).

The server compares it, so that it is asked for without JavaScript, too. Exact in case; spaces around it do not count.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from django.conf import settings
from django.http import HttpRequest

from dashboard.cluster.connection import CONNECTION
from dashboard.runtime.app_state import AppState

TYPED_INPUT = "typed_name"
MAX_REPEATED = 80
"""Most characters of a wrong name that the page repeats."""


@dataclass(frozen=True, slots=True)
class TypedName:
    """The name to type, and what was typed: value of `typed_name` in writes/_typed_name.html."""

    expected: str
    subject: str
    """What has that name: ``node``, ``cluster``."""
    typed: str = ""
    reason: str = ""
    """What would be destroyed, as a sentence; empty where the page says it anyway."""
    is_refused: bool = False
    """Whether the form comes back because of it."""

    @property
    def fits(self) -> bool:
        """Whether the right name was typed."""
        return self.typed.strip() == self.expected.strip()

    @property
    def error(self) -> str:
        """Why the form comes back, as sentences; empty where that has another reason."""
        if not self.is_refused or self.fits:
            return ""
        typed = self.typed.strip()
        if not typed:
            return f"The name is missing: type {self.expected}. Nothing was sent."
        shown = typed if len(typed) <= MAX_REPEATED else f"{typed[:MAX_REPEATED]}…"
        return f"“{shown}” is not the name: type {self.expected}. Nothing was sent."

    @property
    def refused(self) -> TypedName:
        """The same, for the form that comes back."""
        return replace(self, is_refused=True)


def is_production(state: AppState) -> bool:
    """Whether the cluster is marked as production."""
    return bool(settings.DELTABOARD_PRODUCTION.includes(state[CONNECTION].cluster))


def name_to_type(
    request: HttpRequest, state: AppState, expected: str, subject: str, reason: str = ""
) -> TypedName | None:
    """The name that the form asks for, with what was posted; None where the cluster is not production."""
    if not is_production(state):
        return None
    return TypedName(expected, subject, request.POST.get(TYPED_INPUT, ""), reason)


def cluster_name_to_type(request: HttpRequest, state: AppState, reason: str = "") -> TypedName | None:
    """The same for many objects at once: the cluster's name stands for all of them."""
    return name_to_type(request, state, state[CONNECTION].cluster.name, "cluster", reason)


def is_missing(name: TypedName | None) -> bool:
    """Whether a name is asked for and was not typed."""
    return name is not None and not name.fits
