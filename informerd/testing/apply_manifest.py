"""Manifests that a test creates in the cluster, as dicts, YAML or YAML files."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML
from ruamel.yaml.error import YAMLError

from informerd.clients.dynamic_client import DynamicClient
from informerd.clients.resource_client import ResourceClient
from informerd.errors import InvalidCall, NotFound, UnknownResource
from informerd.testing.polling import eventually
from informerd.unstructured import Json, metadata_of

Manifest = Json | str | Path
"""An object, the text of one or several in YAML or JSON, or a file of that."""


def read_manifests(manifests: tuple[Manifest, ...]) -> Iterator[Json]:
    """One object after the other. Raises InvalidCall for what is none, and OSError."""
    for manifest in manifests:
        if isinstance(manifest, dict):
            yield manifest
            continue
        text = manifest.read_text() if isinstance(manifest, Path) else manifest
        source = str(manifest) if isinstance(manifest, Path) else "the manifest"
        try:
            documents = [each for each in YAML(typ="safe", pure=True).load_all(text) if each is not None]
        except YAMLError as error:
            raise InvalidCall(f"{source} is not YAML: {error}") from error
        for document in documents:
            if not isinstance(document, dict):
                raise InvalidCall(f"{source} holds {document!r}, which is not an object: give a Path for a file")
            yield document


async def apply_manifest(dynamic: DynamicClient, manifest: Json) -> Json:
    """Create the object or apply it as a merge patch, its status too. Returns the object as stored.

    Without a namespace it goes to ``default``. A CustomResourceDefinition is waited for until it is served. Raises
    the errors of `informerd.errors`.
    """
    client = dynamic.for_manifest(manifest)
    resource = await dynamic.discovery.resource_of(manifest["apiVersion"], manifest["kind"])
    if resource.namespaced:
        client = client.in_namespace(client.namespace or "default")
    written = await _laid_over(client, manifest) or await client.create(manifest)
    if "status" in manifest:
        written = await _with_status(client, written, manifest["status"])
    if resource.key == "customresourcedefinitions.apiextensions.k8s.io":
        await _served(dynamic, manifest)
    return written


async def _laid_over(client: ResourceClient[Json], manifest: Json) -> Json | None:
    name = metadata_of(manifest).get("name")
    try:
        return await client.patch(name, manifest) if name else None
    except NotFound:
        return None


async def _with_status(client: ResourceClient[Json], written: Json, status: Any) -> Json:
    """Where a kind has a status subresource, nothing but that takes a status."""
    try:
        return await client.patch(metadata_of(written)["name"], {"status": status}, subresource="status")
    except NotFound:
        return written


async def _served(dynamic: DynamicClient, definition: Json) -> None:
    spec = definition["spec"]
    name = f"{spec['names']['plural']}.{spec['group']}"

    async def known() -> bool:
        dynamic.discovery.invalidate()
        try:
            return bool(await dynamic.discovery.resolve(name))
        except UnknownResource:
            return False

    await eventually(known, what=f"{name} is served")
