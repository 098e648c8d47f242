"""Pod operator: logs what happens to the pods of one namespace, and updates the pod lists of the Jinghzhus.

Run it with ``python -m informerd.controllers.pod_operator``, or inside another manager with `add_pod_operator`. It has
the log lines of the Go program of that name, without its faults: that one created a queue and never used it, blocked
its event stream for seconds at each delete, lost deletes that it did not see, and overwrote the changes of others.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO

from informerd.clock import Clock, SystemClock
from informerd.controller.controller import Controller
from informerd.controllers.command_line import print_error
from informerd.controllers.jinghzhu_reconciler import (
    JINGHZHUS,
    EnqueueJinghzhu,
    EnqueuePodsJinghzhu,
    Jinghzhu,
    JinghzhuReconciler,
    Pod,
)
from informerd.controllers.manager_program import make_manager_parser, run_manager
from informerd.errors import ConfigError
from informerd.manager.manager import Manager
from informerd.resource import PODS
from informerd.rest.load_config import load_kubeconfig
from informerd.workqueue.rate_limiter import ExponentialRateLimiter

NAME = "pods"
"""The controller's, and its queue's."""
FIRST_RETRY, LAST_RETRY = 0.1, 5.0
"""Seconds until a write that failed is tried again: the first time, and at most."""

EPILOG = (
    "PO_NAMESPACE: the pods' namespace (worker). PO_CRD_NAMESPACE: the Jinghzhus' (all). PO_KUBECONFIG: a kubeconfig."
)

_NAMESPACE = re.compile(r"[a-z0-9]([-a-z0-9]{0,61}[a-z0-9])?")


@dataclass(frozen=True)
class Settings:
    """Settings from the environment."""

    namespace: str = "worker"
    """Of the pods."""
    jinghzhu_namespace: str = ""
    """Of the Jinghzhus; "" is all of them."""
    kubeconfig: Path | None = None
    """None where it is not set."""

    @classmethod
    def read(cls, environ: Mapping[str, str]) -> Settings:
        """From PO_NAMESPACE, PO_CRD_NAMESPACE and PO_KUBECONFIG. Raises ConfigError, which names the variable."""
        kubeconfig = environ.get("PO_KUBECONFIG", "")
        return cls(
            namespace=_namespace(environ, "PO_NAMESPACE") or cls.namespace,
            jinghzhu_namespace=_namespace(environ, "PO_CRD_NAMESPACE"),
            kubeconfig=Path(kubeconfig) if kubeconfig else None,
        )

    def checked_kubeconfig(self) -> Path | None:
        """Raises ConfigError, which names the variable, where it cannot be used."""
        if self.kubeconfig is not None:
            try:
                load_kubeconfig(self.kubeconfig, environ=os.environ)
            except ConfigError as error:
                raise ConfigError(f"PO_KUBECONFIG: {error}") from error
        return self.kubeconfig


class PodLines:
    """Prints what happens to pods. It runs in its own thread, so that a slow reader of the output delays nothing."""

    def __init__(self, out: TextIO) -> None:
        self._out = out

    def on_add(self, obj: Pod, is_in_initial_list: bool) -> None:  # noqa: ARG002 - a Handler
        self._say("add", Name=obj.metadata.name, **{"Resource Version": obj.metadata.resource_version})

    def on_update(self, old: Pod, new: Pod) -> None:
        """Of changes of the phase alone."""
        if old.status.phase != new.status.phase:
            fields = {"Pod Name": new.metadata.name, "Old Status": old.status.phase, "New Status": new.status.phase}
            self._say("update", **fields)

    def on_delete(self, obj: Pod, final_state_unknown: bool) -> None:  # noqa: ARG002
        self._say("delete", Name=obj.metadata.name, **{"Resource Version": obj.metadata.resource_version})

    def _say(self, what: str, **fields: str) -> None:
        lines = "".join(f"\t{name}: {value}\n" for name, value in fields.items())
        self._out.write(f"\nFind a Pod {what} event.\n{lines}")
        self._out.flush()


def add_pod_operator(
    manager: Manager, settings: Settings, *, out: TextIO | None = None, clock: Clock | None = None
) -> Controller:
    """Add the operator to a manager. Returns its controller, which prints to `out`, by default standard output.

    It waits for the Jinghzhus' definition for as long as there is none, and prints meanwhile.
    """
    clock = clock or SystemClock()
    pods = manager.kind(PODS, Pod, namespaces=[settings.namespace], strip_managed_fields=True)
    namespaces = [settings.jinghzhu_namespace] if settings.jinghzhu_namespace else []
    jinghzhus = manager.kind(JINGHZHUS, Jinghzhu, namespaces=namespaces)
    pods.informer.add_handler(PodLines(out or sys.stdout), name="pod lines", in_thread=True)
    reconciler = JinghzhuReconciler(pods, jinghzhus, settings.namespace, clock)
    limiter: ExponentialRateLimiter = ExponentialRateLimiter(FIRST_RETRY, LAST_RETRY)

    controller = Controller(
        NAME,
        reconciler.reconcile,
        sources=[*pods.sources(EnqueuePodsJinghzhu(reconciler)), *jinghzhus.sources(EnqueueJinghzhu(reconciler))],
        limiter=limiter,
        sync_timeout=None,
        resource=JINGHZHUS.key,
        clock=clock,
    )
    manager.add(controller)
    return controller


def main(arguments: list[str] | None = None) -> int:
    """Run it as a program. Returns the exit code: 0 after a signal, 2 for invalid settings, 1 for any other end."""
    parser = make_manager_parser(
        "pod_operator", "Logs what happens to pods, and updates the pod lists of the Jinghzhus."
    )
    parser.epilog = EPILOG
    options = parser.parse_args(arguments)
    print_line("Init Pod Operator...")
    try:
        settings = Settings.read(os.environ)
        if options.kubeconfig is None:
            options.kubeconfig = settings.checked_kubeconfig()
    except ConfigError as error:
        return print_error("pod_operator", error)

    def add(manager: Manager) -> None:
        print_line("Ready to start Pod Operator...")
        add_pod_operator(manager, settings)
        print_line("Pod Operator is running...")

    return run_manager("pod_operator", options, add)


def print_line(line: str) -> None:
    """Write a line to standard output, and flush it."""
    sys.stdout.write(f"{line}\n")
    sys.stdout.flush()


def _namespace(environ: Mapping[str, str], variable: str) -> str:
    name = environ.get(variable, "")
    if name and not _NAMESPACE.fullmatch(name):
        raise ConfigError(
            f"{variable}={name!r} is not a namespace name: "
            "use at most 63 lower-case letters, digits and dashes, with no dash at either end"
        )
    return name


if __name__ == "__main__":
    sys.exit(main())
