"""CustomResourceDefinitions of deploy/crd, which the demo cluster serves from the start."""

from __future__ import annotations

import copy
from collections.abc import Iterator
from functools import lru_cache
from pathlib import Path

from ruamel.yaml import YAML

from devcluster.server.api_server_core import ApiServer
from devcluster.server.kinds import CUSTOM_RESOURCE_DEFINITIONS
from devcluster.server.storage.object_codec import Object

_HERE = Path(__file__).parent
CRD_FOLDER = next(filter(Path.is_dir, (_HERE / "data" / "crd", _HERE.parent / "deploy" / "crd")))
"""Of an installed wheel, or of a checkout."""


def read_documents(folder: Path = CRD_FOLDER) -> Iterator[Object]:
    """The YAML documents in a folder, file by file in the order of their names."""
    for file in sorted(folder.glob("*.yaml")):
        yield from copy.deepcopy(_parse(file.read_text()))


@lru_cache(maxsize=16)
def _parse(text: str) -> tuple[Object, ...]:
    """The documents of a file: read once, though each of a run's many clusters in one process asks for them."""
    return tuple(filter(None, YAML(typ="safe", pure=True).load_all(text)))


def create_crds(core: ApiServer, folder: Path = CRD_FOLDER) -> None:
    """Create every CustomResourceDefinition found. Raises Failure where one is invalid."""
    for document in read_documents(folder):
        if document.get("kind") == CUSTOM_RESOURCE_DEFINITIONS.kind:
            core.create(CUSTOM_RESOURCE_DEFINITIONS, "", document)
