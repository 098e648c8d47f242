"""Attack: a credential plugin floods its output, prints what no credential can be, or leaves programs behind."""

from __future__ import annotations

import ast
import asyncio
import contextlib
import re
import time
import tracemalloc
import uuid
from collections.abc import Awaitable, Callable
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from informerd.errors import CredentialsError
from informerd.rest import exec_plugin
from informerd.rest.credentials import Credentials
from informerd.testing.polling import eventually
from tests.dashboard.test_settings import read_by_settings, run_settings
from tests.support.clock import FakeClock
from tests.support.informerd.credential_plugin import V1, Plugin, credentials, token

pytestmark = pytest.mark.program


@pytest.fixture
def plugin(tmp_path: Path) -> Plugin:
    return Plugin(tmp_path)


class Child:
    """A program that a plugin starts, and that writes into a file for as long as it runs."""

    def __init__(self, folder: Path) -> None:
        self._file = folder / "alive"
        self.start = (
            f"( for i in $(seq 600); do echo alive >> {self._file}; sleep 0.05; done ) &\n"
            f"while [ ! -e {self._file} ]; do sleep 0.01; done"
        )
        """Commands that start it and go on once it runs."""

    async def wait_until_running(self) -> None:
        await eventually(self._file.exists, what="the child runs")

    async def is_running(self) -> bool:
        size = self._file.stat().st_size
        await asyncio.sleep(0.5)
        return self._file.stat().st_size > size


@pytest.fixture
def child(tmp_path: Path) -> Child:
    return Child(tmp_path)


async def test_output_without_end_is_not_read(plugin: Plugin, child: Child) -> None:
    plugin.script(f"{child.start}\nexec yes")
    tracemalloc.start()
    try:
        with pytest.raises(CredentialsError, match=f"{plugin.file} printed more than 1 MiB"):
            await token(credentials(plugin))
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()
    assert not await child.is_running()


async def test_of_what_it_complains_the_end_is_kept(plugin: Plugin) -> None:
    flood = "head -c 64000000 /dev/zero | tr '\\0' x >&2"
    plugin.gives(token="abc", first=flood)
    tracemalloc.start()
    try:
        assert await token(credentials(plugin)) == "abc"
        assert tracemalloc.get_traced_memory()[1] < 8 * 2**20
    finally:
        tracemalloc.stop()
    plugin.script(f"{flood}; echo please log in >&2; exit 1")
    with pytest.raises(CredentialsError, match=r"ended with 1: x{1900,2000}please log in$"):
        await token(credentials(plugin))


async def test_a_token_that_no_header_can_hold_is_refused(plugin: Plugin) -> None:
    plugin.gives(token="a" * 2**16)
    assert len(await token(credentials(plugin))) == 2**16
    plugin.gives(token="a" * (2**16 + 1))
    with pytest.raises(CredentialsError, match="printed a token of more than 64 KiB"):
        await token(credentials(plugin))


async def test_a_long_name_is_not_repeated(plugin: Plugin) -> None:
    plugin.script(f"""printf '{{"apiVersion":"{V1}","kind":"%0500000d"}}' 1""")
    with pytest.raises(CredentialsError, match=f"printed {V1} 0+, not {V1} ExecCredential") as raised:
        await token(credentials(plugin))
    assert len(str(raised.value)) < 500


async def its_time_is_over(made: Credentials, _: Child) -> None:
    with pytest.raises(CredentialsError, match="did not end within"):
        await token(made)


async def it_is_closed(made: Credentials, child: Child) -> None:
    asking = asyncio.create_task(token(made))
    await child.wait_until_running()
    await made.close()
    with contextlib.suppress(asyncio.CancelledError):
        await asking


@pytest.mark.long
@pytest.mark.parametrize("is_ended", [its_time_is_over, it_is_closed])
async def test_a_plugin_that_is_ended_leaves_no_programs_behind(
    plugin: Plugin,
    child: Child,
    monkeypatch: pytest.MonkeyPatch,
    is_ended: Callable[[Credentials, Child], Awaitable[None]],
) -> None:
    monkeypatch.setattr(exec_plugin, "TIMEOUT", 3.0)
    plugin.script(f"{child.start}\nsleep 30")
    async with asyncio.timeout(10):
        await is_ended(credentials(plugin), child)
    assert not await child.is_running()


async def test_a_plugin_that_is_ended_while_it_is_started_leaves_no_programs_behind(
    plugin: Plugin, child: Child, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A busy event loop connects the pipes long after the plugin runs."""
    loop = asyncio.get_running_loop()
    connect = loop.connect_read_pipe
    is_connecting = asyncio.Event()

    async def connect_late(*args: Any) -> Any:
        await child.wait_until_running()
        is_connecting.set()
        await asyncio.sleep(0.1)
        return await connect(*args)

    monkeypatch.setattr(loop, "connect_read_pipe", connect_late)
    plugin.script(f"{child.start}\nsleep 30")
    made = credentials(plugin)
    asking = asyncio.create_task(token(made))
    async with asyncio.timeout(10):
        await is_connecting.wait()
        await made.close()
    with contextlib.suppress(asyncio.CancelledError):
        await asking
    assert not await child.is_running()


async def test_a_program_that_holds_its_pipes_holds_nobody_up(plugin: Plugin, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(exec_plugin, "TIMEOUT", 30.0)
    plugin.gives(token="abc", first="sleep 60 &")
    assert await token(credentials(plugin)) == "abc"


@pytest.mark.parametrize("zone", ["Asia/Tokyo", "America/New_York"])
async def test_an_end_without_a_zone_is_utc(plugin: Plugin, monkeypatch: pytest.MonkeyPatch, zone: str) -> None:
    monkeypatch.setenv("TZ", zone)
    time.tzset()
    try:
        clock = FakeClock()
        end = datetime.fromtimestamp(clock.time() + 600, UTC).replace(tzinfo=None).isoformat()
        plugin.gives(token="first", expirationTimestamp=end)
        made = credentials(plugin, clock)
        assert await token(made) == "first"
        plugin.gives(token="second")
        await clock.advance(530)
        assert await token(made) == "first"
        await clock.advance(20)
        assert await token(made) == "second"
    finally:
        monkeypatch.undo()
        time.tzset()


@pytest.mark.parametrize("zone", ["", "Z", "+14:00", "-14:00"])
@pytest.mark.parametrize("end", ["0001-01-01T00:00:00", "9999-12-31T23:59:59"])
async def test_any_end_is_a_time(plugin: Plugin, end: str, zone: str) -> None:
    plugin.gives(token="abc", expirationTimestamp=end + zone)
    made = credentials(plugin)
    assert [await token(made) for _ in range(2)] == ["abc"] * 2
    assert plugin.runs == (2 if end.startswith("0001") else 1)


def test_it_is_not_handed_the_secrets_of_deltaboard() -> None:
    secret = {name for name in read_by_settings() if re.search("SECRET|KEY|URL|PASSWORD", name)}
    assert len(secret) == 6
    values = {name: f"redis://user:{uuid.uuid4().hex}@host" for name in secret}
    values |= {"DATABASE_URL": "sqlite:///x-y-z", "DELTABOARD_TRUST_PROXY_USER": "X-User", "AWS_PROFILE": "team"}
    run = run_settings("print(list(settings.CLUSTER_ENVIRON))", **values)
    assert run.returncode == 0, run.stderr
    handed = set(ast.literal_eval(run.stdout))
    assert not secret & handed
    assert {"AWS_PROFILE", "PATH"} <= handed
