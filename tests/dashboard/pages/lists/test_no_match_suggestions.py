"""Tests of a list without matches: the failing part of the filter, and suggestions."""

from __future__ import annotations

import re
from html import unescape
from typing import Any
from urllib.parse import quote

import pytest

from dashboard.live.index.searchable_text_counts import TextCounts
from dashboard.live.index.value_counts import MAX_COUNTED_SOURCES, ValueCounts
from dashboard.pages.lists.no_match_suggestions import MAX_SOURCES, Suggester
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site


def site() -> Site:
    def pod(name: str, phase: str, **labels: str) -> tuple[str, dict[str, object]]:
        return "pods", made("Pod", name, namespace="shop", metadata={"labels": labels}, status={"phase": phase})

    return Site(pod("web-1", "Pending", app="web"), pod("db-1", "Failed", app="db"), watched=("pods",))


async def hints(text: str) -> list[str]:
    """Each as it is read."""
    response = await site().client.get(f"/resources/pods/?q={quote(text)}")
    found = re.search(r'<ul class="hints">(.*?)</ul>', response.content.decode(), re.DOTALL)
    items = re.findall(r"<li>(.*?)</li>", found[1], re.DOTALL) if found is not None else []
    return [unescape(re.sub(r"<[^>]*>", "", item)) for item in items]


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("status=Pendig", "status=Pendig None of the Pods has the status Pendig. Did you mean status=Pending?"),
        ("status=", "status= All Pods have a status. There are status=Failed, status=Pending"),
        ("status=Xyz", "status=Xyz None of the Pods has the status Xyz. There are status=Failed, status=Pending"),
        ("app:web", "app:web No name contains app:web. Did you mean label:app=web?"),
        ("label:ap=web", "label:ap=web None of the Pods has a label ap. Did you mean label:app=web?"),
        ("label:app=wep", "label:app=wep None of the Pods has the label app with wep. Did you mean label:app=web?"),
        ("restarts=many", "restarts=many The value of restarts is a number."),
        ("label:app=", "label:app= None of the Pods has the label app empty. There are label:app=db, label:app=web"),
        ("owner=me", "owner=me None of the Pods has the owner me."),
    ],
)
async def test_a_part_that_no_row_has_is_named_with_what_there_is_instead(text: str, said: str) -> None:
    assert await hints(text) == [said]


@pytest.mark.parametrize("text", ["status=Pending db", "web-9", "restarts=99", "-status=*", "status=Pend*x", "age<1s"])
async def test_nothing_is_said_of_parts_that_some_rows_have_or_that_nothing_is_near_to(text: str) -> None:
    assert await hints(text) == []


async def test_the_link_has_the_rest_of_the_filter() -> None:
    response = await site().client.get(f"/resources/pods/?q={quote('web status=Pendig')}&sort=-age")
    href = re.search(r'<ul class="hints">.*?href="([^"]*)"', response.content.decode(), re.DOTALL)
    assert href is not None
    assert unescape(href[1]) == "/resources/pods/?q=web+status%3DPending&sort=-age"


def noted(what: list[Any], one: object) -> bool:
    what.append(one)
    return False


async def test_each_part_is_compared_with_what_there_is_once(monkeypatch: pytest.MonkeyPatch) -> None:
    compared: list[str] = []
    looked: list[Suggester] = []
    found = Suggester.suggestions
    monkeypatch.setattr(Suggester, "suggestions", lambda self: noted(looked, self) or found(self))
    nearest = TextCounts.nearest
    monkeypatch.setattr(TextCounts, "nearest", lambda self, text: noted(compared, text) or nearest(self, text))
    assert len(await hints("status=Pendig label:app=wep")) == 2
    assert sorted(compared) == ["Pendig"] * len(looked) + ["wep"] * len(looked)


async def test_of_very_many_parts_only_the_first_are_looked_at(monkeypatch: pytest.MonkeyPatch) -> None:
    """Nobody else's columns make room for a filter that names more labels than are kept."""
    asked: list[object] = []
    use = ValueCounts.use
    monkeypatch.setattr(ValueCounts, "use", lambda self, source: noted(asked, source) or use(self, source))
    labels = {f"l-{number}": "a" for number in range(MAX_SOURCES + 4)}
    cluster = Site(("pods", made("Pod", "web", namespace="shop", metadata={"labels": labels})), watched=("pods",))
    many = " ".join(f"label:{name}=b" for name in labels)
    page = (await cluster.client.get(f"/resources/pods/?q={quote(many)}")).content.decode()
    assert len(set(asked)) == MAX_SOURCES < MAX_COUNTED_SOURCES
    assert page.count("has the label l-") == MAX_SOURCES - 1


async def test_a_filter_that_is_the_name_of_a_namespace_offers_that_namespace() -> None:
    async def notes(query: str) -> str:
        text = (await site().client.get(f"/resources/pods/?{query}")).content.decode()
        return "".join(re.findall(r'<p class="hint"><code>.*?</p>', text))

    said = await notes("q=shop+status%3DFailed")
    assert "<code>shop</code> is looked for in names, and is also a namespace" in said
    (href,) = re.findall(r'href="([^"]*)"', said)
    response = await site().client.get(unescape(href))
    assert 'data-name="db-1"' in response.content.decode()
    assert 'data-name="web-1"' not in response.content.decode()
    assert "namespace: shop" in await notes("q=Shop")
    for other in ("q=sho", "q=-shop", "q=web", "q=shop&namespace=shop"):
        assert await notes(other) == ""


async def test_a_filter_that_is_the_name_of_a_namespace_without_objects_of_the_kind_offers_it_too() -> None:
    empty = ("namespaces", made("Namespace", "kube-system", namespace=""))
    cluster = Site(("pods", made("Pod", "web-1", namespace="shop")), empty)
    page = (await cluster.client.get("/resources/pods/?q=kube-system")).content.decode()
    (href,) = re.findall(r'<p class="hint"><code>kube-system</code>.*?href="([^"]*)"', page)
    page = (await cluster.client.get(unescape(href))).content.decode()
    assert "No Pods in kube-system" in page
    page = (await cluster.client.get("/resources/nodes/?q=kube-system")).content.decode()
    assert "is also a namespace" not in page
