"""Context of a request about one bulk run, shared by all its pages."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import wraps

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render

from dashboard.access.identity import Identity, browser_of, user_of
from dashboard.access.rights import RIGHTS
from dashboard.cluster.connection import CONNECTION
from dashboard.live.moments.history_objects import HISTORY
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo, kind_of
from dashboard.objects.schemas.schema import UNKNOWN, Schema
from dashboard.objects.schemas.schema_store import SCHEMAS
from dashboard.pages.bulk.run import Item, Run
from dashboard.pages.bulk.runner import BULK_RUNNER
from dashboard.pages.bulk.store import NewerVersion
from dashboard.pages.drafts.store import new_key
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.writes.destruction import patch_destroys
from dashboard.pages.writes.typed_name import TypedName, cluster_name_to_type
from dashboard.pages.writes.write_unavailable import AsyncView, WriteUnavailable
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.database_executor import Unavailable
from dashboard.runtime.project_files import COMMAND

RUNS_PATH = "/runs/"
"""Address of the list of runs."""


@dataclass(frozen=True, slots=True)
class RunRequest:
    """A request and its run."""

    request: HttpRequest
    app_state: AppState
    run: Run
    kind: KindInfo
    is_own: bool = True
    """Whether whoever asks has started it. Others see what it did to objects they may see, and can undo that."""
    shown: tuple[Item, ...] | None = None
    """The `shown_items` where they have been read."""

    def page(self, template: str, context: dict[str, object], *, status: int = 200) -> HttpResponse:
        page = page_info(self.request, title=f"Change {self.kind.title}", key=self.kind.key)
        has_history = self.app_state[HISTORY] is not None
        shown = {
            "run": self.run,
            "kind": self.kind,
            "page": page,
            "back": self.back,
            "has_history": has_history,
            **context,
        }
        response = render(self.request, template, shown, status=status)
        response["Cache-Control"] = "no-store"
        return response

    @property
    def name_to_type(self) -> TypedName | None:
        """The cluster's name, to be typed before the writes; None where they destroy nothing or this is not
        production.
        """
        order = self.run.order
        may_destroy = order is not None and (
            order.undo.may_destroy
            if order.undo is not None
            else order.deletes or patch_destroys(self.kind.key, order.requested_patch)
        )
        if order is None or not may_destroy:
            return None
        doing = "deleted" if order.deletes else "changed, which stops pods or skips a clean-up"
        number = self.run.remaining_count or self.run.total
        return cluster_name_to_type(
            self.request,
            self.app_state,
            f"{number:,} {self.kind.singular if number == 1 else self.kind.title} "
            f"{'is' if number == 1 else 'are'} {doing}.",
        )

    async def items(self) -> tuple[Item, ...]:
        """The objects of the run that whoever asks may still see; of somebody else's run those that they may list: a
        right to get objects by their names tells nobody which there are. Of an Event its row says so, not its name.
        """
        rights, replicas, key = self.app_state[RIGHTS], self.app_state[REPLICAS], self.kind.key
        rows = replicas.get(key).rows if key in replicas else {}
        items = await self.app_state[BULK_RUNNER].store.items(self.run.key)
        may = rights.may_see if self.is_own else rights.may_list
        return tuple(item for item in items if item.uid in rows or may(key, item.namespace, item.name))

    async def shown_items(self) -> tuple[Item, ...]:
        """Those whose results are shown: to others than who started the run, what it has written."""
        if self.shown is not None:
            return self.shown
        items = await self.items()
        return items if self.is_own else tuple(item for item in items if item.state == "done")

    @property
    def back(self) -> str:
        """The list that it leads back to: the filter of the one in which it started is for nobody else."""
        return self.run.back if self.is_own and self.run.back else self.kind.path

    @property
    def started_by(self) -> str:
        """Who started it, for others."""
        return self.run.owner or "somebody in another browser"

    async def schema(self) -> Schema:
        """The kind's schema; UNKNOWN without a connection to the cluster."""
        client = self.app_state[CONNECTION].client
        return UNKNOWN if client is None else await self.app_state[SCHEMAS].schema_of(client, self.kind.resource)


def require_database(view: AsyncView) -> AsyncView:
    """Decorate a view: where runs cannot be stored, or a newer version stored this one, a page says so and nothing is
    started.
    """

    @wraps(view)
    async def wrapped(request: HttpRequest, **address: str) -> HttpResponse:
        try:
            return await view(request, **address)
        except Unavailable as error:
            words = (
                "A run over many objects needs the database, so that it can be followed and stopped; that is not "
                f"available now, and nothing more was started. "
                f"Check whether {COMMAND} migrate must be run. The error: {error}"
            )
            return not_found_page(request, NotFoundInfo("The database cannot be used", words), status=503)
        except NewerVersion:
            words = "It has words that this version does not know. It is left as it is: a newer process shows it."
            runs = ChoiceLink("Bulk changes", RUNS_PATH)
            missing = NotFoundInfo("A newer version of Deltaboard made this run", words, (runs,))
            return not_found_page(request, missing, status=409)

    return wrapped


def starting_identity(request: HttpRequest) -> Identity:
    """The identity of whoever starts a run; a browser without one gets a new one, see `remember_browser`."""
    return Identity(user_of(request), browser_of(request) or new_key())


async def open_run_request(request: HttpRequest, resource: str, key: str, *, others: bool = False) -> RunRequest:
    """The run of whoever asks; with `others` also one of somebody else that has written objects which they may see.
    Raises WriteUnavailable where there is none.
    """
    state = state_of(request)
    store, server = state[BULK_RUNNER].store, state[CONNECTION].cluster.server
    identity = Identity(user_of(request), browser_of(request))
    run = await store.find(identity, key, server) if identity.owner or identity.browser else None
    is_own = run is not None
    if run is None and others:
        run = await store.find_written(key, server)
    if run is not None and run.resource.key == resource:
        found = RunRequest(request, state, run, kind_of(run.resource).with_resource(run.resource), is_own)
        if is_own:
            return found
        if shown := await found.shown_items():
            return replace(found, shown=shown)
    words = (
        "It was started on another cluster, or it has expired; or it is somebody else's and has not ended, or has "
        "written nothing that you may see."
    )
    raise WriteUnavailable(NotFoundInfo("There is no such run", words, (ChoiceLink("Bulk changes", RUNS_PATH),)))


def see_other(href: str) -> HttpResponse:
    """Redirect the browser with 303."""
    response = HttpResponseRedirect(href)
    response.status_code = 303
    return response
