"""Benchmark of people with rights of their own: frames, pages, memory, and how soon pages follow the rights.

    python -m benchmarks.rights [--pods 50000] [--namespaces 400] [--people 1000] [--scopes 50] [--sockets 200]
                                [--rate 100] [--seconds 30] [--split]

A real API server with that many pods and people in teams: one team sees everything, the others 3 to 40 namespaces each.
Everything is measured twice, with DELTABOARD_RIGHTS=account and with each person's own. First everybody requests their
list once, a few at a time. Then sockets follow lists, overviews and feeds while pods change, half of them in the lists:
"a frame" runs from the API server's answer to a patch until the frame with it has come through a socket. While changes
go on, people come who are new, each with rights to 3 namespaces that nobody else has, and RoleBindings are deleted and
created again. "MB" is the memory of all processes after the sockets. Everything runs on this machine.
"""

from __future__ import annotations

import argparse
import asyncio
import random
import time
from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path

import aiohttp

from benchmarks.support.api_servers import filled_cluster
from benchmarks.support.api_session import session_for
from benchmarks.support.dashboard_processes import Running, ready_dashboard
from benchmarks.support.latency_figures import latency_figures
from benchmarks.support.marked_pod_changes import Marker, Pod
from benchmarks.support.people import (
    Someone,
    Team,
    bind,
    grant_account,
    grant_teams,
    make_newcomers,
    make_teams,
    unbind,
)
from benchmarks.support.result_table import Line, main
from benchmarks.support.shown_namespace import WAIT, shown_namespace
from benchmarks.support.stored_objects import ClusterSize
from benchmarks.support.websocket_follower import GROUPS_HEADER, USER_HEADER
from benchmarks.support.websocket_follower_process import collect_followers, followers

LIST = "/resources/pods/"
VISIBLE_ROWS = 50
"""Rows of each list of a namespace whose changes are looked for."""
REQUESTS_AT_ONCE = 8
WARM_UP = 3.0
"""Seconds of changes before those that count."""


@dataclass
class Figures:
    """Milliseconds of each measurement, and sums."""

    lists: list[float] = field(default_factory=list)
    frames: list[float] = field(default_factory=list)
    frames_beside: list[float] = field(default_factory=list)
    """Those that came while people were new and rights changed."""
    rights: list[float] = field(default_factory=list)
    first_lists: list[float] = field(default_factory=list)
    arrivals: list[float] = field(default_factory=list)
    taken: list[float] = field(default_factory=list)
    given: list[float] = field(default_factory=list)
    with_rows: list[bool] = field(default_factory=list)
    """Of each list that was requested, whether it had rows."""
    cores: float = 0.0
    stale: int = 0
    memory: float = 0.0

    async def request(self, session: aiohttp.ClientSession, somebody: Someone, path: str, into: list[float]) -> str:
        """Request a page; notes the milliseconds until its last byte. Returns it."""
        began = time.perf_counter()
        async with session.get(path, headers=somebody.headers, raise_for_status=True) as answer:
            body = await answer.text()
        into.append((time.perf_counter() - began) * 1e3)
        if path.startswith(LIST):
            self.with_rows.append('data-namespace="' in body)
        return body


@dataclass(frozen=True)
class People:
    """Who uses the dashboard, and what they look at."""

    teams: list[Team]
    everybody: list[Someone]
    newcomers: list[Someone]

    @property
    def watched_namespaces(self) -> list[str]:
        """Namespaces of which somebody follows the list."""
        return list(dict.fromkeys(name for team in self.teams for name in (team.namespaces[0], team.namespaces[-1])))

    def pages(self, sockets: int) -> list[str]:
        """One page for each socket: of each four of a team two are lists of a namespace and one is a list of all that
        they may see.
        """
        found = []
        for number in range(sockets):
            somebody = self.everybody[number % len(self.everybody)]
            first, last = somebody.team.namespaces[0], somebody.team.namespaces[-1]
            turn = number // len(self.teams)
            other = "/" if turn // 4 % 2 else "/feed/"
            path = (f"{LIST}?namespace={first}", f"{LIST}?namespace={last}", LIST, other)[turn % 4]
            found.append(somebody.at(path))
        return found


def targets(people: People, arguments: argparse.Namespace) -> list[Pod]:
    """Pods to change, as many as there are changes: every other one a row of a followed list, the rest any pod."""
    chance = random.Random(1)
    count = int(arguments.rate * arguments.seconds)
    watched = [int(name.removeprefix("team-")) for name in people.watched_namespaces]
    rows = min(VISIBLE_ROWS, arguments.pods // arguments.namespaces)
    visible = [namespace + arguments.namespaces * chance.randrange(rows) for namespace in watched * (count // 2)]
    numbers = [visible[each // 2] if each % 2 else chance.randrange(arguments.pods) for each in range(count)]
    return [(f"team-{number % arguments.namespaces}", f"web-7d9c-{number:05d}") for number in numbers]


async def request_lists(running: Running, people: People, figures: Figures) -> None:
    """Everybody's list, a few at a time."""
    waiting = iter(people.everybody)
    async with aiohttp.ClientSession(running.url) as session:
        await Figures().request(session, people.everybody[0], LIST, [])  # what the process loads once

        async def request_some() -> None:
            for somebody in waiting:
                await figures.request(session, somebody, LIST, figures.lists)

        await asyncio.gather(*(request_some() for _ in range(REQUESTS_AT_ONCE)))


async def welcome(running: Running, newcomers: Sequence[Someone], figures: Figures, *, is_own: bool) -> None:
    """New people one after the other: each other one asks first what they may see."""
    async with aiohttp.ClientSession(running.url) as session:
        for number, somebody in enumerate(newcomers):
            if number % 2:
                await figures.request(session, somebody, LIST, figures.arrivals)
                continue
            await until_known(session, somebody, figures, is_own=is_own)
            await figures.request(session, somebody, LIST, figures.first_lists)


async def until_known(session: aiohttp.ClientSession, somebody: Someone, figures: Figures, *, is_own: bool) -> None:
    """Request the page that says what somebody may see until it does. Ends the program after WAIT seconds."""
    began = time.perf_counter()
    while time.perf_counter() - began < WAIT:
        body = await figures.request(session, somebody, "/whoami/", [])
        if not is_own or somebody.team.namespaces[0] in body:
            figures.rights.append((time.perf_counter() - began) * 1e3)
            return
    raise SystemExit(f"the rights of {somebody.name} are not known")


async def change_rights(running: Running, kubeconfig: Path, people: People, rounds: int, figures: Figures) -> None:
    """Take a namespace from a team and give it back, so many times."""
    teams = [team for team in people.teams if not team.is_everywhere]
    async with session_for(kubeconfig) as session:
        for number in range(rounds):
            team = teams[number % len(teams)]
            somebody = next(each for each in people.everybody if each.team == team)
            namespace = team.namespaces[0]
            async with shown_namespace(running.url, somebody, namespace) as shown:
                await shown.wait_until(is_shown=True)
                await unbind(session, team, namespace)
                answered = time.time()
                figures.taken.append((await shown.wait_until(is_shown=False) - answered) * 1e3)
                await bind(session, team, namespace)
                answered = time.time()
                figures.given.append((await shown.wait_until(is_shown=True) - answered) * 1e3)


async def measure_dashboard(
    running: Running, kubeconfig: Path, people: People, arguments: argparse.Namespace, *, is_own: bool
) -> Figures:
    marker, figures, pods = Marker(), Figures(), targets(people, arguments)
    await request_lists(running, people, figures)
    async with session_for(kubeconfig) as session:
        with followers(running.url, arguments.sockets, people.pages(arguments.sockets)) as process:
            await marker.write_continuously(session, pods, arguments.rate, WARM_UP)
            first = max(marker.sent_at) + 1
            before, began = running.core_seconds(), time.monotonic()
            await marker.write_continuously(session, pods, arguments.rate, arguments.seconds)
            figures.cores = (running.core_seconds() - before) / (time.monotonic() - began)
            figures.memory = sum(running.memory_mb().values())
            beside = max(marker.sent_at) + 1
            changing = asyncio.create_task(marker.write_continuously(session, pods, arguments.rate, 3600))
            try:
                await welcome(running, people.newcomers, figures, is_own=is_own)
                if is_own:
                    await change_rights(running, kubeconfig, people, arguments.rounds, figures)
            finally:
                changing.cancel()
                await asyncio.wait([changing])
            await asyncio.sleep(2)
            seen = await asyncio.to_thread(collect_followers, process)
    figures.stale = sum(each["stale"] for each in seen)
    for each in seen:
        if "namespace=" in each["path"]:
            for mark, at in ((int(mark), at) for mark, at in each["marks"].items()):
                if mark in marker.answered_at and mark >= first:
                    into = figures.frames if mark < beside else figures.frames_beside
                    into.append((at - marker.answered_at[mark]) * 1e3)
    return figures


def lines_of(figures: Figures, whose: str) -> list[Line]:
    """A line for each measurement that was made."""
    rows = 100 * sum(figures.with_rows) / len(figures.with_rows)
    measured = {
        "everybody's list, once": figures.lists,
        "a frame": figures.frames,
        "a frame, while people come and rights change": figures.frames_beside,
        "somebody new: what they may see": figures.rights,
        "… then their first list": figures.first_lists,
        "somebody new: the list as their first page": figures.arrivals,
        "a RoleBinding is deleted, until its rows are gone": figures.taken,
        "it is created, until they are shown": figures.given,
    }
    lines = [Line(f"{name} ({whose})", latency_figures(each)) for name, each in measured.items() if each]
    sums = {"lists with rows, %": rows, "stale beats": figures.stale, "cores": figures.cores, "MB": figures.memory}
    return [*lines, Line(f"Deltaboard ({whose})", sums)]


def measure(arguments: argparse.Namespace) -> list[Line]:
    teams = make_teams(arguments.scopes, arguments.namespaces)
    everybody = [Someone(f"person-{number}", teams[number % len(teams)]) for number in range(arguments.people)]
    people = People(teams, everybody, make_newcomers(2 * arguments.rounds, arguments.namespaces))
    lines: dict[str, list[Line]] = {}
    with filled_cluster(ClusterSize(arguments.pods, arguments.namespaces)) as cluster:
        account = grant_account(cluster)

        async def grant() -> None:
            async with session_for(cluster.kubeconfig) as session:
                await grant_teams(session, [*teams, *(each.team for each in people.newcomers)])

        asyncio.run(grant())
        for rights, whose in (("account", "the account's rights"), ("person", "their own")):
            settings = {
                "DELTABOARD_TRUST_PROXY_USER": USER_HEADER, "DELTABOARD_TRUST_PROXY_GROUPS": GROUPS_HEADER,
                "DELTABOARD_RIGHTS": rights,
            }  # fmt: skip
            with ready_dashboard(account, split=arguments.split, settings=settings) as running:
                is_own = rights == "person"
                measuring = measure_dashboard(running, cluster.kubeconfig, people, arguments, is_own=is_own)
                lines[rights] = lines_of(asyncio.run(measuring), whose)
    return [*lines["account"], *compared(lines["person"], lines["account"])]


def compared(lines: list[Line], others: list[Line]) -> list[Line]:
    """The lines with what they have more than the same of the run without rights of their own."""
    before = {line.name.rpartition(" (")[0]: line.figures for line in others}
    for line in lines:
        same = before.get(line.name.rpartition(" (")[0], {})
        for name in ("p50, ms", "p99, ms"):
            if name in same:
                line.ratios[f"{name[:3]}, of the account's"] = f"× {line.figures[name] / same[name]:.2f}"
        if "MB" in same:
            line.figures["MB more"] = line.figures["MB"] - same["MB"]
    return lines


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(description="People with rights of their own.")
    parser.add_argument("--pods", type=int, default=50_000)
    parser.add_argument("--namespaces", type=int, default=400)
    parser.add_argument("--people", type=int, default=1_000)
    parser.add_argument("--scopes", type=int, default=50, help="teams, each with rights of its own")
    parser.add_argument("--sockets", type=int, default=200)
    parser.add_argument("--rate", type=float, default=100, help="changes a second")
    parser.add_argument("--seconds", type=float, default=30)
    parser.add_argument("--rounds", type=int, default=10, help="rights that are taken away, and pairs of new people")
    parser.add_argument("--split", action="store_true", help="a worker and a web process, joined by Redis")
    return parser


if __name__ == "__main__":
    main("People with rights of their own", measure, _parser())
