"""Tests of sockets that uvloop refuses: a connection has lost its file, and the next socket has its number."""

from __future__ import annotations

import asyncio
import os
import socket

import pytest

from informerd.rest.refused_file_descriptors import occupy_refused_descriptor

uvloop = pytest.importorskip("uvloop")


async def lose_a_file(address: tuple[str, int]) -> tuple[asyncio.Transport, int]:
    """A connection whose file was closed behind the loop's back; the next file gets its number."""
    made, _ = await asyncio.get_running_loop().create_connection(asyncio.Protocol, *address)
    number = made.get_extra_info("socket").fileno()
    os.close(number)
    while (opened := os.open(os.devnull, os.O_RDONLY)) < number:
        pass  # they stay open: the number is the lowest that is free
    os.close(opened)
    return made, number


async def connect(address: tuple[str, int]) -> None:
    made = socket.socket()
    made.setblocking(False)
    with made:
        await asyncio.get_running_loop().sock_connect(made, address)


def test_sockets_get_other_numbers_after_the_first_that_was_refused() -> None:
    async def run() -> None:
        with socket.create_server(("127.0.0.1", 0)) as listening:
            address = listening.getsockname()
            lost, number = await lose_a_file(address)
            for _ in range(2):
                with pytest.raises(RuntimeError, match=f"File descriptor {number} is used by transport") as refused:
                    await connect(address)
            assert occupy_refused_descriptor(refused.value)
            for _ in range(3):
                await connect(address)
            lost.abort()
            await asyncio.sleep(0)

    uvloop.run(run())


@pytest.mark.parametrize(
    "error", [None, RuntimeError("something else"), OSError("File descriptor 3 is used by transport")]
)
def test_other_errors_are_none_of_its_business(error: Exception | None) -> None:
    assert not occupy_refused_descriptor(error)
