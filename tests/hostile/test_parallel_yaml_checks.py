"""Attack: many checks and reviews of long texts at the same time."""

from __future__ import annotations

import asyncio
import re
from collections import Counter
from pathlib import Path

import aiohttp
import pytest

from tests.support.dashboard_with_proxy_users import USER_HEADER, web_program

CHECKS = 60
"""Many more than may run and wait."""


def text_of(check: int) -> str:
    """150 kB that no other check has, so nothing of it is known already."""
    names = (f"p-{check}-{number}" for number in range(450))
    return "".join(f"---\napiVersion: v1\nkind: Pod\nmetadata: {{name: {name}, x: {'x' * 250}}}\n" for name in names)


class Client:
    """A user's browser, without scripts."""

    def __init__(self, session: aiohttp.ClientSession, url: str) -> None:
        self._session = session
        self._url = url
        self._token = ""

    async def open(self) -> None:
        """Get the token of forms."""
        async with self._session.get(f"{self._url}/new/") as page:
            found = re.search(r'name="csrfmiddlewaretoken" value="([^"]+)"', await page.text())
        assert found
        self._token = found[1]

    async def check(self, text: str) -> tuple[int, str, str]:
        """The status, Retry-After and the text of the answer."""
        form = {"csrfmiddlewaretoken": self._token, "yaml": text}
        async with self._session.post(f"{self._url}/new/check/", data=form) as answer:
            return answer.status, answer.headers.get("Retry-After", ""), await answer.text()

    async def review(self, text: str) -> tuple[int, str, str]:
        """As `check`, for the button of the page."""
        form = {"csrfmiddlewaretoken": self._token, "yaml": text, "review": ""}
        async with self._session.post(f"{self._url}/new/", data=form) as answer:
            return answer.status, answer.headers.get("Retry-After", ""), await answer.text()

    async def healthz(self) -> int:
        async with self._session.get(f"{self._url}/healthz") as answer:
            return answer.status


def session(user: str) -> aiohttp.ClientSession:
    jar = aiohttp.CookieJar(unsafe=True)  # the server has an address, not a name
    limit = aiohttp.ClientTimeout(total=150)
    return aiohttp.ClientSession(
        headers={USER_HEADER: user}, cookie_jar=jar, timeout=limit, connector=aiohttp.TCPConnector(limit=0)
    )


@pytest.mark.program
async def test_what_does_not_get_its_turn_is_refused_while_others_are_served(tmp_path: Path) -> None:
    with web_program(tmp_path, DELTABOARD_LIMIT_CHECKS="1/2") as url:
        async with session("mallory") as hers, session("alice") as others:
            mallory, alice = Client(hers, url), Client(others, url)
            await mallory.open()
            await alice.open()
            attack = [asyncio.create_task(mallory.check(text_of(check))) for check in range(CHECKS)]
            await asyncio.wait(attack, return_when=asyncio.FIRST_COMPLETED)
            assert await alice.healthz() == 200
            status, _, text = await alice.check("kind: Pod\n")
            found = await asyncio.gather(*attack)
            async with others.get(f"{url}/metrics") as page:
                metrics = await page.text()
    assert (status, "no apiVersion" in text) == (200, True), "another user's check has its turn"
    statuses = Counter(each[0] for each in found)
    assert set(statuses) == {200, 429}
    assert all(after == "5" and "This text was not checked" in words for code, after, words in found if code == 429)
    assert f'deltaboard_over_limit_total{{what="checks"}} {float(statuses[429])}' in metrics


@pytest.mark.long
@pytest.mark.program
async def test_a_review_that_gets_no_turn_comes_back_with_its_text(tmp_path: Path) -> None:
    with web_program(tmp_path, DELTABOARD_LIMIT_FORMS="1/1") as url:
        async with session("mallory") as hers:
            mallory = Client(hers, url)
            await mallory.open()
            found = await asyncio.gather(*(mallory.review(text_of(number)) for number in range(CHECKS)))
    refused = [(number, page) for number, (status, after, page) in enumerate(found) if (status, after) == (429, "5")]
    returned = [number for number, page in refused if f"p-{number}-449" in page]
    assert returned
    assert all("go back" in page for number, page in refused if number not in returned)
