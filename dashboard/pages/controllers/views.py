"""The controllers page, and its one button."""

from __future__ import annotations

from django.http import HttpRequest, HttpResponse, HttpResponseRedirect
from django.shortcuts import render
from django.utils.cache import patch_vary_headers
from django.views.decorators.http import require_POST, require_safe

from dashboard.controllers.link import PATIENCE
from dashboard.controllers.refusal import refusal
from dashboard.controllers.view import CONTROLLERS
from dashboard.edits.said import say
from dashboard.live.context import LiveParts, live_of, user_of
from dashboard.resources.missing import Link, Missing, missing_page
from dashboard.resources.page_info import page_info

ADDRESS = "/controllers/"


@require_safe
async def controllers(request: HttpRequest) -> HttpResponse:
    """What the workers' controllers are doing, and what they failed at."""
    view = live_of(request).hub.controllers_view()
    page = page_info(request, title="Controllers", key=CONTROLLERS, view=view)
    response = render(request, "controllers/page.html", {**view.context(), "page": page})
    patch_vary_headers(response, ("HX-Request", "HX-Target"))
    return response


@require_POST
async def requeue(request: HttpRequest) -> HttpResponse:
    """Have one key that failed reconciled now. `item` is ``controller/key``.

    404 where there is no such controller or failed key, 503 where no worker can be asked, 504 where none answers. With
    htmx the answer is a sentence for the page; else the page itself, or one that says why not.
    """
    controller, _, key = request.POST.get("item", "").partition("/")
    status, words = await _requeued(live_of(request), controller, key, by=user_of(request))
    if "HX-Request" in request.headers:
        return render(request, "controllers/_said.html", {"words": words, "done": status == 200}, status=status)
    if status == 200:
        back = HttpResponseRedirect(ADDRESS)
        back.status_code = 303
        say(back, ADDRESS, words)
        return back
    missing = Missing("It was not requeued", words, (Link("Controllers", ADDRESS),), "Go back to")
    return missing_page(request, missing, key=CONTROLLERS, status=status)


async def _requeued(live: LiveParts, controller: str, key: str, *, by: str) -> tuple[int, str]:
    """The status of the answer, and a sentence."""
    if not controller or not key:
        return 400, "The request has to name a controller and a key, as item=controller/namespace/name."
    main = live.controllers.board.main
    if main is None or main.silent:
        return 503, "No worker that runs controllers can be heard, so nothing was requeued."
    problem = refusal(main.report.manager, controller, key)
    if problem:
        return 404, problem
    answer = await live.controllers.requeue(controller, key, by=by)
    if answer is None:
        return 504, f"The worker has not answered within {PATIENCE:g} s, so {key} may or may not be requeued."
    return (200, f"{key} is requeued.") if answer.done else (404, answer.words)
