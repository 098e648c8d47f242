"""Tests of arguments that a manager refuses, and the advice in its errors."""

from __future__ import annotations

import socket
from typing import Any

import pytest

from informerd.controller.controller import Controller
from informerd.controller.request import Request
from informerd.controller.sources import KindSource
from informerd.errors import (
    ConfigError,
    DuplicateController,
    InvalidCall,
)
from informerd.manager.manager import Manager
from tests.informerd.manager.conftest import MAPS, Diary, Place


def first_of(_: Manager) -> Any:
    async def reconcile(_: Request) -> None: ...

    return reconcile


async def test_two_controllers_of_one_name_are_refused_and_the_first_one_stays(demo: Place) -> None:
    manager = Manager(demo.config)
    maps = manager.kind(MAPS)

    @manager.controller("same", maps)
    async def first(_: Request) -> None: ...

    with pytest.raises(DuplicateController, match="there is a controller 'same' already: give this one another name"):

        @manager.controller("same", maps)
        async def second(_: Request) -> None: ...

    with pytest.raises(DuplicateController):
        manager.add(Controller("same", first_of(manager)))
    assert manager.controllers == (first,)


@pytest.mark.parametrize("client", ["a string", None, 5])
def test_what_is_no_cluster_is_refused(client: Any) -> None:
    with pytest.raises(InvalidCall, match="such as current_cluster"):
        Manager(client)


@pytest.mark.parametrize(
    ("options", "problem"),
    [
        ({"election": "lead"}, r"give Election\('name'\)"),
        ({"graceful": -1}, "give seconds"),
        ({"probes": "x"}, "is not an address"),
    ],
)
async def test_options_that_cannot_be_are_refused(demo: Place, options: dict[str, Any], problem: str) -> None:
    with pytest.raises(InvalidCall, match=problem):
        Manager(demo.client, **options)


@pytest.mark.parametrize("option", ["owns", "watches", "predicates"])
async def test_what_a_controller_cannot_watch_is_refused_with_what_to_give(demo: Place, option: str) -> None:
    manager = Manager(demo.client)
    maps = manager.kind(MAPS)
    with pytest.raises(InvalidCall, match=r"such as manager\.kind\(PODS\)"):
        manager.controller("demo", MAPS)  # type: ignore[arg-type]
    with pytest.raises(InvalidCall, match=r"such as manager\.kind\(PODS\)"):
        manager.controller("demo", maps, owns=[MAPS])  # type: ignore[list-item]
    with pytest.raises(InvalidCall, match=rf"{option}= takes a list: give {option}=\[…\]"):
        manager.controller("demo", maps, **{option: maps})  # type: ignore[arg-type]


async def test_what_cannot_be_run_is_refused(demo: Place) -> None:
    manager = Manager(demo.config)

    def plain() -> None: ...

    for wrong in (plain, "text", Diary, None):
        with pytest.raises(InvalidCall, match="a manager runs what has"):
            manager.add(wrong)  # type: ignore[arg-type]


async def test_an_address_that_is_taken_is_said_before_anything_runs(demo: Place, diary: Diary) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        manager = Manager(demo.config, probes=f"127.0.0.1:{port}")
        manager.add(diary.runnable("work"))
        with pytest.raises(ConfigError, match=f"cannot serve probes at 127.0.0.1:{port}: .*give another address"):
            await manager.run()
    assert diary.lines == []


async def test_a_kind_in_place_of_its_informer_is_refused_with_what_to_give(demo: Place) -> None:
    manager = Manager(demo.client)
    maps = manager.kind(MAPS)

    async def reconcile(_: Request) -> None: ...

    with pytest.raises(
        InvalidCall, match=r"<the kind configmaps of a manager> is not a source: KindSource\(kind\.informer\)"
    ):
        manager.controller("demo", maps, watches=[maps])(reconcile)  # type: ignore[list-item]
    with pytest.raises(InvalidCall, match=r"such as kind\.informer"):
        KindSource(maps)  # type: ignore[arg-type]
