"""kubectl commands of the terminal page: exec, debug, and port-forward, which a web page cannot do."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from dashboard.cluster.kubectl_commands import kubectl_arguments
from dashboard.objects.fields.unstructured import as_int, as_map, as_maps

PRIVILEGED_PORTS = 1024
"""Ports below are for root: on one's own machine another one is taken."""
MAX_PORTS = 10


def exec_command(namespace: str, pod: str, container: str, arguments: tuple[str, ...]) -> str:
    """What follows ``kubectl``, for the same session in one's own terminal."""
    options = ["-it", *(["-c", container] if container else [])]
    return kubectl_arguments("exec", names=[pod], namespace=namespace, options=options, pairs=["--", *arguments])


def debug_command(namespace: str, pod: str, container: str, image: str) -> str:
    """What follows ``kubectl``, for a debug container of one's own."""
    options = ["-it", f"--image={image}", *([f"--target={container}"] if container else [])]
    return kubectl_arguments("debug", names=[pod], namespace=namespace, options=options)


def port_forward_command(namespace: str, pod: Mapping[str, Any]) -> str:
    """What follows ``kubectl``, for all TCP ports that the containers name; empty where they name none."""
    name = str(as_map(pod.get("metadata")).get("name") or "")
    spec = as_map(pod.get("spec"))
    named = [each for container in as_maps(spec.get("containers")) for each in as_maps(container.get("ports"))]
    numbers = [as_int(each.get("containerPort")) for each in named if each.get("protocol", "TCP") == "TCP"]
    ports = list(dict.fromkeys(number for number in numbers if number))[:MAX_PORTS]
    if not ports:
        return ""
    pairs = [f"{_own_port(port)}:{port}" if _own_port(port) != port else str(port) for port in ports]
    return kubectl_arguments("port-forward", names=[name], namespace=namespace, pairs=pairs)


def _own_port(port: int) -> int:
    return port if port >= PRIVILEGED_PORTS else 8000 + port
