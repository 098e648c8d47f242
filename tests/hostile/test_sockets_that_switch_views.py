"""Attack: many sockets of one user, each of which asks for one view after another."""

from __future__ import annotations

import asyncio
import contextlib
from pathlib import Path

import aiohttp
import pytest

from tests.support.dashboard_with_proxy_users import USER_HEADER, web_program

SOCKETS = 20
VIEWS = 15
"""Views that each socket asks for: one socket alone may ask for 20 at once."""
BUSY = 4503


async def switch_views(session: aiohttp.ClientSession, url: str, name: str, views: int) -> int:
    """Ask for so many views; the code with which the server closed the socket, 0 where it sent them all."""
    params = {"path": f"/resources/pods/?q={name}"}
    async with session.ws_connect(f"{url}/live/", params=params, origin=url, max_msg_size=0) as page:
        with contextlib.suppress(ConnectionError):  # it may be closed by now
            for number in range(1, views):
                await page.send_json({"view": f"/resources/pods/?q={name}-{number}"})
        last, seen = f"{name}-{views - 1}", ""
        async for message in page:
            if message.type is aiohttp.WSMsgType.TEXT and '"path"' in message.data:
                seen = message.json().get("path") or seen
            if seen.endswith(last):
                return 0
        return page.close_code or 0


@pytest.mark.program
async def test_the_sockets_of_a_user_share_one_rate_of_views_and_another_user_has_their_own(tmp_path: Path) -> None:
    with web_program(tmp_path, DELTABOARD_LIMIT_VIEWS="1/100") as url:  # ten at once, then one a second
        async with aiohttp.ClientSession(headers={USER_HEADER: "mallory"}) as session:
            codes = await asyncio.gather(
                *(switch_views(session, url, f"m{number}", VIEWS) for number in range(SOCKETS))
            )
        async with aiohttp.ClientSession(headers={USER_HEADER: "alice"}) as session:
            other = await switch_views(session, url, "alice", 5)
            async with session.get(f"{url}/healthz") as answer:
                assert answer.status == 200
            async with session.get(f"{url}/metrics") as page:
                metrics = await page.text()
    assert codes.count(BUSY) > SOCKETS // 2
    assert other == 0
    assert f'deltaboard_over_limit_total{{what="views"}} {float(codes.count(BUSY))}' in metrics
