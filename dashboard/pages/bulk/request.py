"""One request about one run, and what every page of a run begins with."""

from __future__ import annotations

from collections.abc import Callable, Coroutine
from dataclasses import dataclass
from functools import wraps
from typing import Any

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.bulk.run import Item, Run
from dashboard.drafts.cookies import browser_of
from dashboard.drafts.database import Unavailable
from dashboard.drafts.draft import Whose
from dashboard.edits.schema import UNKNOWN, Schema
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.resources.kinds import KindInfo, kind_of
from dashboard.resources.missing import Link, Missing, missing_page
from dashboard.resources.page_info import page_info

RUNS = "/runs/"
"""Address of the list of runs."""
View = Callable[..., Coroutine[Any, Any, HttpResponse]]


@dataclass(frozen=True, slots=True)
class Place:
    """A request and its run."""

    request: HttpRequest
    live: LiveParts
    run: Run
    kind: KindInfo

    def page(self, template: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        page = page_info(self.request, title=f"Change {self.kind.title}", key=self.kind.key)
        shown = {"run": self.run, "kind": self.kind, "page": page, **context}
        response = render(self.request, template, shown, status=status)
        response["Cache-Control"] = "no-store"
        return response

    async def items(self) -> tuple[Item, ...]:
        return await self.live.bulks.records.items(self.run.key)

    async def schema(self) -> Schema:
        """The kind's; one of which nothing is known without a connection to the cluster."""
        client = self.live.client
        return UNKNOWN if client is None else await self.live.schemas.schema_of(client, self.kind.resource)


def with_database(view: View) -> View:
    """Says so where runs cannot be kept: then nothing is begun."""

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            return await view(request, **address)
        except Unavailable as error:
            words = (
                "A run over many objects is kept in the database, so that it can be followed and stopped; that cannot "
                f"be used now, and nothing more was begun. Is manage.py migrate still to be run? It says: {error}"
            )
            return missing_page(request, Missing("The database cannot be used", words), status=503)

    return wrapped


async def place_of(request: HttpRequest, resource: str, key: str) -> Place | HttpResponse:
    """The run of this browser; or the page that says that there is none here."""
    live = live_of(request)
    whose = Whose(user_of(request), browser_of(request))
    found = await live.bulks.records.find(whose, key, live.cluster.server) if whose.browser else None
    if found is None or found.resource.key != resource:
        words = "It was begun in another browser, on another cluster, or so long ago that it is not kept any more."
        return missing_page(
            request, Missing("There is no such run here", words, (Link("Those of this browser", RUNS),))
        )
    return Place(request, live, found, kind_of(found.resource).with_resource(found.resource))


def see_other(href: str) -> HttpResponse:
    """Have the browser look there."""
    response = HttpResponseRedirect(href)
    response.status_code = 303
    return response
