"""Page with every kind of the cluster and its names, like ``kubectl api-resources``."""

from __future__ import annotations

from dataclasses import dataclass

from django.http import HttpRequest, HttpResponse
from django.shortcuts import render
from django.views.decorators.http import require_safe

from dashboard.objects.kinds.catalog import CUSTOM, GROUP_TITLES, KindInfo
from dashboard.pages.layout.kinds_sidebar import all_kinds, custom_title, slug_of
from dashboard.pages.layout.page import page_info
from dashboard.runtime.app_state import state_of


@dataclass(frozen=True, slots=True)
class KindSection:
    """Kinds of a group, or the custom resources of one project."""

    title: str
    kinds: tuple[KindInfo, ...]

    @property
    def slug(self) -> str:
        """Id of its element, which is the name of the same part of the navigation."""
        return slug_of(self.title)


@require_safe
async def every_kind(request: HttpRequest) -> HttpResponse:
    """All kinds by group; custom resources by project, or API group where no project is known."""
    kinds = tuple(all_kinds(state_of(request)))
    sections = _sections(kinds)
    page = page_info(request, title="All kinds", key="kinds")
    return render(request, "layout/all_kinds.html", {"page": page, "sections": sections, "total": len(kinds)})


def _sections(kinds: tuple[KindInfo, ...]) -> list[KindSection]:
    by_title: dict[str, list[KindInfo]] = {title: [] for title in GROUP_TITLES if title != CUSTOM}
    of_projects: dict[str, list[KindInfo]] = {}
    for kind in sorted(kinds, key=lambda kind: (kind.title, kind.key)):
        if kind.group_title == CUSTOM:
            of_projects.setdefault(custom_title(kind), []).append(kind)
        else:
            by_title[kind.group_title].append(kind)
    projects = [(title, of_projects[title]) for title in sorted(of_projects, key=str.casefold)]
    return [KindSection(title, tuple(mine)) for title, mine in (*by_title.items(), *projects) if mine]
