"""Controllers page, with its requeue button."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.views.decorators.http import require_POST, require_safe

from dashboard.access.identity import user_of
from dashboard.cluster.connection import CONNECTION
from dashboard.live.hub.hub import HUB
from dashboard.pages.audit.actor import actor_of
from dashboard.pages.audit.entry import Operation, Outcome
from dashboard.pages.audit.recorder import AUDIT
from dashboard.pages.controllers.live_controllers import open_controllers
from dashboard.pages.controllers.reports import CONTROLLERS
from dashboard.pages.controllers.worker_client import ANSWER_TIMEOUT, CONTROLLERS_CLIENT
from dashboard.pages.controllers.worker_messages import requeue_problem
from dashboard.pages.layout.flash import flash
from dashboard.pages.layout.htmx import htmx_of, vary_on_htmx
from dashboard.pages.layout.not_found import ChoiceLink, NotFoundInfo, not_found_page
from dashboard.pages.layout.page import page_info
from dashboard.pages.layout.required_right import CONTROLLERS as CONTROLLERS_RESOURCE
from dashboard.pages.layout.required_right import requires
from dashboard.runtime.app_state import AppState, state_of
from dashboard.runtime.read_only import READ_ONLY_REASON, READ_ONLY_TITLE, is_read_only
from informerd.errors import CallRefused

CONTROLLERS_HREF = "/controllers/"


@require_safe
@requires("get", CONTROLLERS_RESOURCE)
async def controllers(request: HttpRequest) -> HttpResponse:
    """The state of the workers' controllers, and their failed keys."""
    view = open_controllers(state_of(request)[HUB], state_of(request)[CONTROLLERS_CLIENT].reports)
    page = page_info(request, title="Controllers", key=CONTROLLERS, view=view)
    return vary_on_htmx(render(request, "controllers/page.html", {**view.context(), "page": page}))


@require_POST
@requires("update", CONTROLLERS_RESOURCE)
async def requeue(request: HttpRequest) -> HttpResponse:
    """Reconcile one failed key now. `item` is ``controller/key``.

    404 where there is no such controller or failed key, 503 where no worker can be asked, 504 where none answers. With
    htmx the answer is a sentence for the page; else a redirect to the page, or a page with the reason of the failure.
    """
    controller, _, key = request.POST.get("item", "").partition("/")
    status, words = await _recorded_requeue(request, controller, key)
    if htmx_of(request):
        return render(
            request, "controllers/_requeue_result.html", {"words": words, "done": status == 200}, status=status
        )
    if status == 200:
        back = HttpResponseRedirect(CONTROLLERS_HREF)
        back.status_code = 303
        flash(back, CONTROLLERS_HREF, words)
        return back
    missing = NotFoundInfo(
        "The key was not requeued", words, (ChoiceLink("Controllers", CONTROLLERS_HREF),), "Go back to"
    )
    return not_found_page(request, missing, key=CONTROLLERS, status=status)


async def _recorded_requeue(request: HttpRequest, controller: str, key: str) -> tuple[int, str]:
    """As `_requeued`, in the audit log. The entry's name is ``controller/key``."""
    state, namespace = state_of(request), key.rpartition("/")[0]
    operation = Operation("requeue", CONTROLLERS_RESOURCE.key, namespace, f"{controller}/{key}")
    try:
        async with state[AUDIT].recorded(state[CONNECTION].cluster.server, actor_of(request), operation) as slot:
            status, words = await _requeued(state, controller, key, by=user_of(request))
            slot.outcome = Outcome("done" if status == 200 else "unknown" if status == 504 else "refused", status)
    except CallRefused as error:
        return 503, str(error)
    return status, words


async def _requeued(state: AppState, controller: str, key: str, *, by: str) -> tuple[int, str]:
    """The status of the answer, and a sentence."""
    if is_read_only():
        return 403, f"{READ_ONLY_TITLE}. {READ_ONLY_REASON}"
    if not controller or not key:
        return 400, "The request must name a controller and a key: item=controller/namespace/name."
    main = state[CONTROLLERS_CLIENT].reports.main_report
    if main is None or main.is_silent:
        return 503, "No worker that runs controllers is reachable, so nothing was requeued."
    problem = requeue_problem(main.report.manager, controller, key)
    if problem:
        return 404, problem
    answer = await state[CONTROLLERS_CLIENT].requeue(controller, key, requested_by=by)
    if answer is None:
        return 504, f"The worker has not answered within {ANSWER_TIMEOUT:g} s, so {key} may or may not be requeued."
    return (200, f"{key} is requeued.") if answer.done else (404, answer.words)
