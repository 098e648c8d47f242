"""Debug containers: ephemeral containers that are added to a running pod, as ``kubectl debug`` does.

Source: the API's EphemeralContainers, and kubectl's pkg/cmd/debug and its profile ``general``.
"""

from __future__ import annotations

import re
import secrets
from collections.abc import Mapping
from typing import Any

from informerd.resource import PODS
from informerd.rest.client import Client

SUBRESOURCE = "ephemeralcontainers"
MAX_IMAGE = 500
_IMAGE = re.compile(r"[A-Za-z0-9][A-Za-z0-9._:/@+-]*")
_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
"""As the API server's own generated names: without vowels, and without digits that look like letters."""


class BadImage(ValueError):
    """It is no name of an image; the message is a sentence for users."""


def check_image(image: str) -> str:
    """The name of an image without space around it. Raises BadImage."""
    image = image.strip()
    if not image:
        raise BadImage("Name an image that has the tools you need, such as busybox:1.37")
    if len(image) > MAX_IMAGE or _IMAGE.fullmatch(image) is None:
        raise BadImage(
            f"“{image[:60]}” is not the name of an image. It looks like this: registry.example.com/tools/debug:1.0"
        )
    return image


def debug_container(image: str, target: str) -> dict[str, Any]:
    """A container with a terminal, which sees the processes of the container `target` where that is named."""
    name = f"debugger-{''.join(secrets.choice(_LETTERS) for _ in range(5))}"
    container: dict[str, Any] = {
        "name": name,
        "image": image,
        "stdin": True,
        "tty": True,
        "terminationMessagePolicy": "File",
        "securityContext": {"capabilities": {"add": ["SYS_PTRACE"]}},
    }
    return {**container, "targetContainerName": target} if target else container


async def add_debug_container(client: Client, pod: Mapping[str, Any], container: Mapping[str, Any]) -> None:
    """Add a container to exactly this pod, as it was read. Raises ApiError and Unreachable."""
    metadata = pod["metadata"]
    read = {"uid": metadata["uid"], "resourceVersion": metadata["resourceVersion"]}
    patch = {"metadata": read, "spec": {"ephemeralContainers": [container]}}
    await client.patch(PODS, metadata["name"], metadata["namespace"], patch, "strategic", subresource=SUBRESOURCE)
