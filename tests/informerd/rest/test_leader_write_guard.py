"""Tests of the write guard: called before each write, by any client and any task, and never before a read."""

from __future__ import annotations

import asyncio

import pytest

from informerd.errors import NotLeading, Unreachable
from informerd.rest.client import Client
from informerd.rest.cluster_config import ClusterConfig
from informerd.rest.leader_write_guard import check_write, guard_writes
from informerd.rest.request import RestRequest

WRITE = RestRequest("PUT", "/x", timeout=30.0)
READ = RestRequest("GET", "/x", timeout=30.0)


def refuse() -> float:
    raise NotLeading("no")


def test_without_a_guard_all_is_sent_as_it_is() -> None:
    assert check_write(WRITE) is WRITE


def test_a_write_may_take_no_longer_than_the_guard_says() -> None:
    with guard_writes(lambda: 7.0):
        assert (check_write(WRITE).timeout, check_write(READ).timeout) == (7.0, 30.0)
    with guard_writes(lambda: 70.0):
        assert check_write(WRITE).timeout == 30.0


def test_a_guard_inside_another_is_lifted_with_its_block() -> None:
    with guard_writes(refuse):
        with guard_writes(None):
            assert check_write(WRITE) is WRITE
        with pytest.raises(NotLeading):
            check_write(WRITE)


async def test_tasks_and_threads_that_are_begun_inside_are_guarded_also_after_it() -> None:
    inside = asyncio.Event()

    async def write() -> None:
        await inside.wait()
        check_write(WRITE)

    with guard_writes(refuse):
        task = asyncio.create_task(write())
        thread = asyncio.create_task(asyncio.to_thread(check_write, WRITE))
    inside.set()
    for each in (task, thread):
        with pytest.raises(NotLeading):
            await each
    assert check_write(WRITE) is WRITE


async def test_no_client_sends_a_write_that_the_guard_refuses_and_reads_go_on() -> None:
    async with Client(ClusterConfig(name="none", server="http://127.0.0.1:1")) as client:
        with guard_writes(refuse):
            with pytest.raises(NotLeading):
                await client.request("DELETE", "/x")
            with pytest.raises(Unreachable):
                await client.request("GET", "/x")
