"""The page of a run: what is to be done, the review, how far it is, and what became of the objects."""

from __future__ import annotations

import asyncio
from urllib.parse import urlsplit

from django.http import HttpRequest, HttpResponse
from django.views.decorators.http import require_http_methods

from dashboard.bulk.belongings import belongings
from dashboard.bulk.command import commands
from dashboard.bulk.form import order_of, typed_of
from dashboard.bulk.in_words import said_of, sum_of
from dashboard.bulk.matching import matching_now
from dashboard.bulk.order import WORDS
from dashboard.bulk.place import Place, place_of, see_other, with_database
from dashboard.bulk.review import A_PAGE, ADDED, Fold, added_items, by_words, differences, otherwise
from dashboard.bulk.rights import limit
from dashboard.bulk.run import Group, Item
from dashboard.edits.problems import Refusal
from dashboard.edits.schema import UNKNOWN

SHOWN_COMMANDS = 5
"""Lines; the file has all."""
_WISHES = ("pause", "go", "cancel")


@require_http_methods(["GET", "HEAD", "POST"])
@with_database
async def run(request: HttpRequest, resource: str, key: str) -> HttpResponse:
    """One run, as far as it is; a POST is one of its buttons."""
    place = await place_of(request, resource, key)
    if isinstance(place, HttpResponse):
        return place
    return await _pressed(place) if request.method == "POST" else await _shown(place)


async def _pressed(place: Place) -> HttpResponse:
    """What a button does; one that does not fit how far the run is by now changes nothing."""
    post, run, bulks = place.request.POST, place.run, place.live.bulks
    if "try" in post and run.open:
        order = order_of(post, place.kind, await place.schema() if post.get("verb") == "patch" else UNKNOWN)
        if isinstance(order, Refusal):
            return await _choice(place, refusal=order, status=order.code)
        await bulks.try_out(run, order)
    elif "choose" in post and run.open:
        return await _choice(place)
    elif run.moving:
        await _wished(place)
    elif "start" in post and run.state in ("review", "cancelled"):
        await bulks.start(run)
    elif "again" in post and run.state in ("done", "cancelled"):
        await bulks.again(run)
    elif "look" in post and run.state in ("done", "cancelled"):
        await bulks.look_again(run)
    return see_other(run.href)


async def _wished(place: Place) -> None:
    post, run, bulks = place.request.POST, place.run, place.live.bulks
    if "take_over" in post and run.lost(place.live.clock.time()):
        await bulks.go_on(run)
        return
    for wish in _WISHES:
        if wish in post:
            await bulks.records.wish(run.key, wish)


async def _shown(place: Place) -> HttpResponse:
    if "HX-Request" in place.request.headers and place.run.state in ("choosing", "review"):
        return HttpResponse(headers={"HX-Refresh": "true"})  # the page that asked shows how far the dry run is
    match place.run.state:
        case "choosing":
            return await _choice(place)
        case "review":
            return await _review(place)
        case _:
            return await _progress(place)


async def _choice(place: Place, *, refusal: Refusal | None = None, status: int = 200) -> HttpResponse:
    """What is to be done; as it was typed, else as it was asked for before."""
    order = place.run.order
    typed = place.request.POST.dict() if refusal is not None else typed_of(order) if order is not None else {}
    items = await place.items()
    patch, delete, schema = await asyncio.gather(
        limit(place, items, "patch"), limit(place, items, "delete"), place.schema()
    )
    verb = "delete" if patch.nowhere and not delete.nowhere else "label"
    form = {"verb": verb, "grace": "default", "propagation": "Background", **typed}
    context: dict[str, object] = {
        "form": form,
        "refusal": refusal,
        "patch": patch,
        "delete": delete,
        "strategic": schema.strategic,
    }
    return place.page("bulk/choose.html", context, status=status)


async def _review(place: Place) -> HttpResponse:
    items = await place.items()
    groups = await place.live.bulks.records.groups(place.run.key)
    matching = await matching_now(place, items)
    deletes = place.run.order is not None and place.run.order.deletes
    found: dict[str, object] = {
        "matching": matching,
        "again": urlsplit(place.run.back).query,
        "belongings": await belongings(place, items) if deletes else (),
    }
    # Folding and writing out ten thousand objects takes long: not on the loop that all pages live by.
    return await asyncio.to_thread(_reviewed, place, items, groups, found)


def _reviewed(
    place: Place, items: tuple[Item, ...], groups: tuple[Group, ...], found: dict[str, object]
) -> HttpResponse:
    folds = differences(items, groups)
    pages = max(1, -(-len(folds) // A_PAGE))
    typed = place.request.GET.get("page", "1")
    number = min(max(int(typed) if typed.isascii() and typed.isdecimal() and len(typed) < 6 else 1, 1), pages)
    shown = folds[(number - 1) * A_PAGE : number * A_PAGE]
    added = added_items(folds)
    context: dict[str, object] = {
        **_said_of(place, items),
        **found,
        "folds": [(fold, said_of(fold.items, place.kind)) for fold in shown],
        "added": added[:ADDED],
        "added_more": max(0, len(added) - ADDED),
        "sum": _sum(place, folds),
        "different": len(folds),
        "number": number,
        "pages": pages,
    }
    return place.page("bulk/review.html", context)


def _sum(place: Place, folds: list[Fold]) -> tuple[str, ...]:
    """What becomes of pods in all; a deletion and a run of before have no word of that."""
    items = [item for fold in folds for item in fold.items]
    told = place.run.order is not None and not place.run.order.deletes and all(item.stored for item in items)
    known = all(fold.leaves_pods or all(item.effects for item in fold.items) for fold in folds)
    return sum_of(items, place.kind, known=known) if items and told else ()


async def _progress(place: Place) -> HttpResponse:
    lost = place.run.lost(place.live.clock.time())
    if place.run.moving and not lost:
        return place.page("bulk/progress.html", {"lost": lost})
    return await asyncio.to_thread(_outcome, place, await place.items(), lost)


def _outcome(place: Place, items: tuple[Item, ...], lost: bool) -> HttpResponse:
    return place.page("bulk/progress.html", {"lost": lost, **_said_of(place, items)})


def _said_of(place: Place, items: tuple[Item, ...]) -> dict[str, object]:
    """What is shown of the objects of which nothing will become, or nothing became; and the commands."""
    order = place.run.order
    lines, number = commands(place.kind.key, order, items, SHOWN_COMMANDS) if order is not None else ([], 0)
    return {
        "title": WORDS[order.verb] if order is not None else "",
        "changed": by_words(items, "changed"),
        "refused": by_words(items, "refused"),
        "failed": by_words(items, "failed"),
        "gone": by_words(items, "gone"),
        "same": by_words(items, "same"),
        "otherwise": otherwise(items),
        "retry": any(item.state == "failed" and item.print for item in items),
        "most_folds": A_PAGE,
        "lines": lines,
        "lines_more": number - len(lines),
    }
