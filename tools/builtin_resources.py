"""Writes informerd/resources.py: the built-in kinds of an API server, as its discovery has them.

python -m tools.builtin_resources KUBECONFIG
"""

from __future__ import annotations

import asyncio
import re
import subprocess
import sys
from pathlib import Path

import msgspec

from informerd import Client, Discovery, DynamicClient, Resource, load_kubeconfig

ROOT = Path(__file__).resolve().parents[1]
FILE = ROOT / "informerd" / "resources.py"
ALL_VERBS = ("create", "delete", "deletecollection", "get", "list", "patch", "update", "watch")
HEAD = '''"""Built-in kinds of Kubernetes {version}, ready for informers and clients: no discovery is asked.

Made by tools/builtin_resources.py from an API server's discovery. Each is in the version that its group prefers, and is
served without feature gates. Events are those of the core group; events.k8s.io has the same objects.
"""

from __future__ import annotations

from informerd.resource import PODS, Resource

__all__ = [
{names}
]

_ALL = frozenset({verbs})
'''


def constant_of(resource: Resource) -> str:
    """The name of its constant: ``CONFIG_MAPS`` for the kind ConfigMap."""
    kind, plural = resource.kind, resource.plural
    same = next((at for at, letter in enumerate(kind.lower()) if plural[at] != letter), len(kind))
    words = re.sub(r"(?<=[a-z])(?=[A-Z])|(?<=[A-Z])(?=[A-Z][a-z])", "_", kind[:same])
    return (words + plural[same:]).upper()


async def builtin_resources(client: Client) -> dict[str, Resource]:
    """By constant the resources to write: each kind once, without those of custom resources."""
    definitions = await DynamicClient(client).resource("customresourcedefinitions").list()
    custom = {each["metadata"]["name"] for each in definitions}
    found: dict[str, Resource] = {}
    for resource in await Discovery(client).resources():
        if resource.key not in custom:
            found.setdefault(constant_of(resource), resource)
    return dict(sorted(found.items()))


def source_of(version: str, resources: dict[str, Resource]) -> str:
    """The module's text, before it is formatted."""
    minor = version.removeprefix("v").rpartition(".")[0]
    head = HEAD.format(version=minor, names=",\n".join(map(repr, resources)), verbs=repr(ALL_VERBS))
    return head + "".join(f"{name} = {_call(each)}\n" for name, each in resources.items() if name != "PODS")


def _call(resource: Resource) -> str:
    defaults = {"group": "", "namespaced": True, "short_names": (), "categories": (), "subresources": frozenset()}
    values = {name: value for name, value in msgspec.structs.asdict(resource).items() if value != defaults.get(name)}
    return f"Resource({', '.join(f'{name}={_literal(value)}' for name, value in values.items())})"


def _literal(value: object) -> str:
    if not isinstance(value, frozenset):
        return repr(value)
    return "_ALL" if value == {*ALL_VERBS} else f"frozenset({sorted(value)!r})"


async def source_from(kubeconfig: str) -> str:
    """The module's text for the cluster of a kubeconfig."""
    async with Client(load_kubeconfig(kubeconfig)) as client:
        return source_of(await client.version(), await builtin_resources(client))


if __name__ == "__main__":
    FILE.write_text(asyncio.run(source_from(sys.argv[1])))
    subprocess.run([sys.executable, "-m", "ruff", "format", "--quiet", str(FILE)], check=True)
