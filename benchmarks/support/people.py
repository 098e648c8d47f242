"""People with roles of their own for the benchmark of rights: their teams, and the bindings that give these roles."""

from __future__ import annotations

import asyncio
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import aiohttp
from ruamel.yaml import YAML

from benchmarks.support.api_servers import ROOT, create_object
from benchmarks.support.websocket_follower import GROUPS_HEADER, USER_HEADER
from tests.support.controlplane import ControlPlane

SIZES = (3, 8, 8, 20, 40)
"""Numbers of namespaces of the teams, in turn."""
ROLE = "bench-view"
_GROUP = "rbac.authorization.k8s.io"
RBAC = f"/apis/{_GROUP}/v1"
ACCOUNT = ROOT / "deploy" / "rbac" / "people.yaml"
"""Rights of Deltaboard's account."""


@dataclass(frozen=True)
class Team:
    """A group of people with the same rights: to read everything in some namespaces, or everywhere."""

    name: str
    namespaces: tuple[str, ...]
    is_everywhere: bool = False


@dataclass(frozen=True)
class Someone:
    """Somebody whom a proxy names."""

    name: str
    team: Team

    @property
    def headers(self) -> dict[str, str]:
        return {USER_HEADER: self.name, GROUPS_HEADER: self.team.name}

    def at(self, path: str) -> str:
        """A page of theirs, as the websocket follower takes it."""
        return f"{path} {self.name} {self.team.name}"


def make_teams(number: int, namespaces: int) -> list[Team]:
    """Teams of which no two have the same namespaces; the first sees all of the cluster."""
    teams = [Team("crew-0", _some(0, namespaces, namespaces), is_everywhere=True)]
    for each in range(1, number):
        begin = each * namespaces // number
        teams.append(Team(f"crew-{each}", _some(begin, SIZES[each % len(SIZES)], namespaces)))
    return teams


def make_newcomers(number: int, namespaces: int) -> list[Someone]:
    """People each of whom has a team of their own, with 3 namespaces that no team has together."""
    apart = max(1, namespaces // 3)
    return [
        Someone(
            f"new-{each}", Team(f"new-{each}", tuple(f"team-{(each + apart * part) % namespaces}" for part in range(3)))
        )
        for each in range(number)
    ]


def _some(begin: int, number: int, namespaces: int) -> tuple[str, ...]:
    return tuple(f"team-{(begin + each) % namespaces}" for each in range(min(number, namespaces)))


def grant_account(cluster: ControlPlane) -> Path:
    """Give Deltaboard's account the rights that it needs. Returns its kubeconfig."""
    for manifest in YAML(typ="safe").load_all(ACCOUNT):
        cluster.create(f"{RBAC}/{manifest['kind'].lower()}s", manifest)
    return cluster.kubeconfig_of("deltaboard")


async def grant_teams(session: aiohttp.ClientSession, teams: Sequence[Team]) -> None:
    """Create the role, and the bindings of each team."""
    rules = [{"apiGroups": ["*"], "resources": ["*"], "verbs": ["get", "list", "watch"]}]
    await create_object(session, f"{RBAC}/clusterroles", {"metadata": {"name": ROLE}, "rules": rules})
    for team in teams:
        if team.is_everywhere:
            await create_object(session, f"{RBAC}/clusterrolebindings", _binding(team))
        else:
            await asyncio.gather(*(bind(session, team, namespace) for namespace in team.namespaces))


async def bind(session: aiohttp.ClientSession, team: Team, namespace: str) -> None:
    """Let a team see a namespace."""
    await create_object(session, f"{RBAC}/namespaces/{namespace}/rolebindings", _binding(team))


async def unbind(session: aiohttp.ClientSession, team: Team, namespace: str) -> None:
    """Take the right away again. Raises aiohttp.ClientResponseError where the API server refuses."""
    path = f"{RBAC}/namespaces/{namespace}/rolebindings/{team.name}"
    async with session.delete(path, raise_for_status=True) as answer:
        await answer.read()


def _binding(team: Team) -> dict[str, Any]:
    return {
        "metadata": {"name": team.name},
        "roleRef": {"apiGroup": _GROUP, "kind": "ClusterRole", "name": ROLE},
        "subjects": [{"apiGroup": _GROUP, "kind": "Group", "name": team.name}],
    }
