"""The column picker: what it offers, and that its form and links say it in the address."""

from __future__ import annotations

import re
from html import unescape

from dashboard.resources.column_choices import column_choices
from dashboard.resources.query import Query
from tests.resources.test_pages import page, small_site


def query(**params: str) -> Query:
    return Query.parse({name: [value] for name, value in params.items()}, "pods")


def headers(html: str) -> list[str]:
    return re.findall(r'<th scope="col" class="c-([a-z-]+)', html)


def test_the_shown_columns_come_first_in_their_order_and_each_other_is_offered() -> None:
    found = column_choices(query(columns="status,name"))
    assert [choice.id for choice in found.choices if choice.shown] == ["status", "name"]
    assert [choice.id for choice in found.choices][:2] == ["status", "name"]
    assert {"namespace", "restarts", "age"} <= {choice.id for choice in found.choices if not choice.shown}
    assert found.choices[0].earlier_href == ""
    assert found.choices[1].earlier_href == "/resources/pods/?columns=name,status"


def test_what_the_list_shows_otherwise_is_carried_along_and_the_usual_columns_are_one_click_away() -> None:
    found = column_choices(query(columns="name", q="web", sort="-restarts", page="3"))
    assert found.hidden == (("q", "web"), ("sort", "-restarts"))
    assert found.usual_href == "/resources/pods/?q=web&sort=-restarts"
    assert column_choices(query()).usual_href == ""


async def test_the_form_shows_the_chosen_columns_in_their_order_without_a_script() -> None:
    html = await page(small_site(), "/resources/pods/?columns=age&columns=name&columns=status")
    assert headers(html) == ["age", "name", "status"]
    form = html[html.index('id="columns"') :]
    assert re.findall(r'name="columns" value="([a-z-]+)" checked', form) == ["age", "name", "status"]
    link = re.search(r'data-column="name".*?href="([^"]*)"', form)
    assert link is not None
    assert headers(await page(small_site(), unescape(link[1]))) == ["name", "age", "status"]
