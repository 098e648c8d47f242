"""Tests of the orders that a list offers in narrow windows."""

from __future__ import annotations

from django.http import QueryDict

from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.sort_choices import SortChoice, sort_choices
from tests.dashboard.pages.lists.test_column_picker import pods_site
from tests.support.pages.small_site import page


def choices(params: str) -> dict[str, SortChoice]:
    return {choice.header: choice for choice in sort_choices(Query.parse(QueryDict(params), "pods"))}


def test_each_column_is_offered_with_its_order_and_the_rest_of_the_address_stays() -> None:
    found = choices("q=web&namespace=shop&columns=name,restarts,age,.spec.priority&sort=-restarts&page=3")
    address = "/resources/pods/?namespace=shop&q=web{}&columns=name,restarts,age,.spec.priority"
    assert found == {
        "Name": SortChoice("Name", address.format("&sort=name"), "A to Z", ""),
        "Restarts": SortChoice("Restarts", address.format("&sort=restarts"), "smallest first", "largest first"),
        "Age": SortChoice("Age", address.format("&sort=age"), "newest first", ""),
        ".spec.priority": SortChoice(".spec.priority", address.format("&sort=.spec.priority"), "ascending", ""),
        "CPU": SortChoice("CPU", address.format("&sort=-cpu"), "largest first", ""),
        "Memory": SortChoice("Memory", address.format("&sort=-memory"), "largest first", ""),
    }


async def test_a_list_has_them_as_links() -> None:
    html = await page(pods_site(), "/resources/pods/?q=web&sort=-cpu")
    menu = html.partition('id="sort"')[2].partition("</nav>")[0]
    assert '<a href="/resources/pods/?q=web&amp;sort=-memory">' in menu
    assert '<a href="/resources/pods/?q=web&amp;sort=cpu" aria-current="true">' in menu
