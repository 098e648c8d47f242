"""Tests of the column picker: its options, and the addresses that its form and links make."""

from __future__ import annotations

import re
from html import unescape

from dashboard.objects.query.list_query import Query
from dashboard.pages.lists.column_picker import column_choices
from tests.support.objects.rows import made
from tests.support.pages.site_without_cluster import Site
from tests.support.pages.small_site import page, small_site


def query(**params: str) -> Query:
    return Query.parse({name: [value] for name, value in params.items()}, "pods")


def headers(html: str) -> list[str]:
    return re.findall(r'<th scope="col" class="c-(?!select|more)([a-z-]+)', html)


def cells(html: str) -> list[str]:
    return [unescape(text) for text in re.findall(r'<td class="c-path[^>]*>([^<]*)', html)]


def test_the_shown_columns_come_first_in_their_order_and_each_other_is_offered() -> None:
    found = column_choices(query(columns="status,name"))
    assert [choice.id for choice in found.choices if choice.is_shown] == ["status", "name"]
    assert [choice.id for choice in found.choices][:2] == ["status", "name"]
    assert {"namespace", "restarts", "age"} <= {choice.id for choice in found.choices if not choice.is_shown}
    assert found.choices[0].earlier_href == ""
    assert found.choices[1].earlier_href == "/resources/pods/?columns=name,status"


def test_what_the_list_shows_otherwise_is_carried_along_and_the_usual_columns_are_one_click_away() -> None:
    found = column_choices(query(columns="name", q="web", sort="-restarts", page="3"))
    assert found.hidden_inputs == (("q", "web"), ("sort", "-restarts"))
    assert found.default_href == "/resources/pods/?q=web&sort=-restarts"
    assert column_choices(query()).default_href == ""


async def test_the_form_shows_the_chosen_columns_in_their_order_without_a_script() -> None:
    html = await page(small_site(), "/resources/pods/?columns=age&columns=name&columns=status")
    assert headers(html) == ["age", "name", "status"]
    form = html[html.index('id="columns"') :]
    assert re.findall(r'name="columns" value="([a-z-]+)" checked', form) == ["age", "name", "status"]
    link = re.search(r'data-column="name".*?href="([^"]*)"', form)
    assert link is not None
    assert headers(await page(small_site(), unescape(link[1]))) == ["name", "age", "status"]


def pods_site() -> Site:
    """Three pods: of high priority with two containers, of low priority, and one without a spec."""
    two = [{"name": "a", "image": "nginx"}, {"name": "b", "image": "envoy"}]
    return Site(
        ("pods", made("Pod", "high", spec={"priority": 100, "containers": two})),
        ("pods", made("Pod", "low", spec={"priority": 20, "containers": [{"name": "a", "image": "x" * 300}]})),
        ("pods", made("Pod", "none")),
    )


async def test_any_field_can_be_a_column_an_order_and_a_filter() -> None:
    html = await page(pods_site(), "/resources/pods/?columns=name,.spec.priority&sort=-.spec.priority")
    assert headers(html) == ["name", "path"]
    assert cells(html) == ["100", "20", "<none>"]
    html = await page(pods_site(), "/resources/pods/?columns=.spec.priority&sort=.spec.priority&q=.spec.priority>30")
    assert cells(html) == ["100"]
    assert cells(await page(pods_site(), "/resources/pods/?columns=spec.priority&sort=spec.priority")) == [
        "20",
        "100",
        "<none>",
    ]


async def test_a_long_value_is_cut_in_the_page() -> None:
    html = await page(pods_site(), "/resources/pods/?columns=name,.spec.containers[*].image&sort=name")
    assert cells(html) == ["nginx,envoy", "x" * 255 + "…", "<none>"]


async def test_the_picker_offers_a_column_by_path_once_it_is_shown_and_takes_another_one() -> None:
    html = await page(pods_site(), "/resources/pods/?columns=name&columns=.spec.priority&columns=")
    form = html[html.index('id="columns"') :]
    assert re.findall(r'name="columns" value="([^"]+)" checked', form) == ["name", ".spec.priority"]
    assert re.search(r'<input type="text" name="columns"', form)
    assert headers(html) == ["name", "path"]


async def test_a_wrong_path_is_marked_in_its_parameter_and_the_other_columns_are_shown() -> None:
    html = await page(pods_site(), "/resources/pods/?columns=name,.spec..ip&sort=.spec[x]")
    assert headers(html) == ["name"]
    assert "columns=name,.spec<mark>..ip</mark>" in html
    assert "Write a name between the dots" in html
    assert "sort=.spec<mark>[x]</mark>" in html


async def test_a_list_looks_at_ten_fields_by_path_and_says_which_it_leaves_out() -> None:
    paths = [f".spec.a{number}" for number in range(12)]
    html = await page(pods_site(), f"/resources/pods/?q=.spec.a0&columns=name,{','.join(paths)}")
    assert headers(html) == ["name", *["path"] * 10]
    assert ".spec.a10 is left out: a list has 10 fields by path at most" in html
    assert ".spec.a11 is left out" in html
