"""Projections of a pod for the readers, with the fields that a controller of pods would read."""

from __future__ import annotations

import msgspec

from informerd.objects import Object


class ContainerStatus(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    ready: bool = False
    restart_count: int = 0


class Spec(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    node_name: str = ""


class Status(msgspec.Struct, frozen=True, gc=False, rename="camel"):
    phase: str = ""
    pod_ip: str = msgspec.field(default="", name="podIP")
    container_statuses: tuple[ContainerStatus, ...] = ()


class Pod(Object, frozen=True):
    spec: Spec = Spec()
    status: Status = Status()


"""Beside the metadata that every projection has: labels, owners, times and all."""
