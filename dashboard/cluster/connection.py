"""Connection of the process to its cluster: made, checked, and replaced when the configuration changes."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial
from typing import Protocol

from dashboard.cluster.choice import ClusterChoice, Signature
from dashboard.cluster.kubectl_commands import kubectl_call
from dashboard.cluster.read_only_client import ReadOnlyClient
from dashboard.runtime.app_state import Key
from dashboard.runtime.background_tasks import cancel_all, keep_running
from informerd.clock import Clock
from informerd.errors import ApiError, ConfigError, InformerdError
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import ClusterConfig
from informerd.testing.demo_process import DemoProcess
from informerd.version import VERSION

logger = logging.getLogger(__name__)

CHECK_INTERVAL = 2.0
"""Seconds between two checks of the kubeconfig's files and the demo cluster's process."""
RETRY_INTERVAL = 5.0
"""Seconds between two attempts while the cluster does not answer or its configuration cannot be used."""
VERSION_INTERVAL = 60.0
"""Seconds between two version requests while all is well."""

USER_AGENT = f"deltaboard/{VERSION}"
"""Name in audit logs, and the field manager of edits (the part before the slash)."""

STARTING = ClusterConfig(name="starting", server="", why="the cluster is being chosen")
NO_CLUSTER = ClusterConfig(name="no cluster", server="", why="its configuration cannot be used")


class ClusterAccess(Protocol):
    """The cluster as pages use it; see Connection for the attributes."""

    @property
    def client(self) -> Client | None: ...
    @property
    def discovery(self) -> Discovery | None: ...
    @property
    def cluster(self) -> ClusterConfig: ...
    @property
    def version(self) -> str: ...
    @property
    def kubectl(self) -> str: ...
    @property
    def is_demo(self) -> bool: ...


def cluster_name(access: ClusterAccess) -> str:
    """The name of the cluster; empty while there is none."""
    return access.cluster.name if access.client is not None else ""


OnSwitch = Callable[[Client, Discovery], Awaitable[None]]


class Connection:
    """Client and discovery of the chosen cluster, or in `problem` why there is none.

    A configuration that cannot be used is read again as soon as its file changes, and every RETRY_INTERVAL seconds. A
    usable one that changes is applied only while the cluster does not answer, or where it still means the same context:
    running `kubectl config use-context` does not switch the cluster under open pages. With `read_only` the client is
    a ReadOnlyClient.
    """

    def __init__(
        self,
        choice: ClusterChoice,
        clock: Clock,
        *,
        on_switch: OnSwitch,
        demo: DemoProcess | None = None,
        read_only: bool = False,
    ) -> None:
        self.cluster = STARTING
        self.client: Client | None = None
        self.discovery: Discovery | None = None
        self.version = ""
        self.cluster_chosen = asyncio.Event()
        """Set once the first choice has been made, usable or not."""
        self._choice = choice
        self._clock = clock
        self._on_switch = on_switch
        self._demo = demo or DemoProcess(clock)
        self._client_class = ReadOnlyClient if read_only else Client
        self._config_problem = ""
        self._answer_problem = ""
        self._asking: list[asyncio.Task[None]] = []
        self._signature: Signature | None = None
        self._tried_at = float("-inf")

    @property
    def problem(self) -> str:
        """Why the cluster cannot be reached, as a sentence with what is being done about it."""
        return self._config_problem or self._answer_problem

    @property
    def is_demo(self) -> bool:
        """Whether the cluster is the built-in one, which serves this process alone."""
        return self._demo.is_running

    @property
    def kubectl(self) -> str:
        """The kubectl call for this cluster; empty where none names it, as in a pod or while no cluster is chosen."""
        if self.is_demo:
            return kubectl_call([self._demo.kubeconfig]) if self._demo.kubeconfig is not None else ""
        return kubectl_call(self._choice.kubeconfigs, self.cluster.context) if self.cluster.context else ""

    @property
    def summary(self) -> str:
        """The cluster and why it was chosen, or why there is none, in one line."""
        if self.client is None:
            return f"No cluster yet: {self.problem}"
        return f"Cluster {self.cluster.name} at {self.cluster.server}, because: {self.cluster.why}"

    async def run(self) -> None:
        """Choose, connect and check both until cancelled."""
        while True:
            await self.check()
            self.cluster_chosen.set()
            await self._clock.sleep(CHECK_INTERVAL)

    async def close(self) -> None:
        """Close the client and end the demo cluster."""
        client, self.client = self.client, None
        await cancel_all(self._asking)
        if client is not None:
            await client.close()
        await self._demo.stop()

    async def check(self) -> None:
        """Read the configuration again where it has changed or a retry is due, and connect."""
        signature = self._choice.signature()
        changed = signature != self._signature
        retry = self.client is None and self._clock.now() - self._tried_at >= RETRY_INTERVAL
        demo_ended = self.cluster.name == "demo" and self.client is not None and not self._demo.is_running
        if not (changed or retry or demo_ended):
            return
        self._signature, self._tried_at = signature, self._clock.now()
        try:
            config = self._choice.load()
            if config is None:
                config = self.cluster if self._demo.is_running else await self._demo.start(self._choice.demo_reason)
            await self._connect(config)
        except ConfigError as error:
            self._record_config_problem(error)

    async def _connect(self, config: ClusterConfig) -> None:
        if self.client is not None and config == self.cluster:
            self._config_problem = ""
            return
        if not self._may_switch_to(config):
            logger.warning(
                "the configuration now names %s at %s; this process stays with %s until it is restarted",
                config.name, config.server, self.cluster.name,
            )  # fmt: skip
            return
        client = self._client_class(config, clock=self._clock, user_agent=USER_AGENT)
        before, self.client = self.client, client
        self.cluster, self.discovery = config, Discovery(client, clock=self._clock)
        self.version, self._config_problem, self._answer_problem = "", "", ""
        # The first choice is what the command says on its own; any later one is news.
        level = logging.INFO if self.cluster_chosen.is_set() else logging.DEBUG
        logger.log(level, "cluster %s at %s: %s", config.name, config.server, config.why)
        await cancel_all(self._asking)
        asking = keep_running("asking the API server's version", partial(self._ask_version, client), self._clock)
        self._asking = [asyncio.create_task(asking, name="version")]
        await self._on_switch(client, self.discovery)
        if before is not None:
            await before.close()

    def _may_switch_to(self, config: ClusterConfig) -> bool:
        if self.client is None or self._answer_problem:
            return True
        return config.name == self.cluster.name

    def _record_config_problem(self, error: ConfigError) -> None:
        """Record that the configuration cannot be used. A working client stays."""
        if self.client is not None and self.cluster.name != "demo":
            logger.warning("the changed configuration cannot be used, the old one stays: %s", error)
            return
        problem = f"{_sentence(error)} It is read again when it changes, and every {RETRY_INTERVAL:g} s."
        if problem != self._config_problem:
            logger.warning("no cluster: %s", error)
        self._config_problem = problem
        if self.client is None:
            self.cluster = NO_CLUSTER

    async def _ask_version(self, client: Client) -> None:
        """Request the API server's version from `client` for ever, which shows whether the cluster answers."""
        cluster = self.cluster
        while True:
            try:
                version = await client.version()
            except InformerdError as error:
                self._unanswered(cluster, error)
            else:
                self._answered(cluster, version)
            await self._clock.sleep(RETRY_INTERVAL if self._answer_problem else VERSION_INTERVAL)

    def _answered(self, cluster: ClusterConfig, version: str) -> None:
        if self._answer_problem:
            logger.info("cluster %s answers again", cluster.name)
        self.version, self._answer_problem = version, ""

    def _unanswered(self, cluster: ClusterConfig, error: InformerdError) -> None:
        what = "refuses us" if isinstance(error, ApiError) else "cannot be reached"
        then = f"Deltaboard tries again every {RETRY_INTERVAL:g} s."
        problem = f"{cluster.name} at {cluster.server} {what}: {_sentence(error)} {then}"
        if not self._answer_problem:
            logger.warning("cluster %s at %s %s: %s", cluster.name, cluster.server, what, error)
        self._answer_problem = problem


def _sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."


class ConnectionWithClient:
    """The cluster of `connection` with another client, such as one that acts for somebody."""

    def __init__(self, connection: ClusterAccess, client: Callable[[], Client | None]) -> None:
        self._connection = connection
        self._client = client

    @property
    def client(self) -> Client | None:
        return self._client()

    @property
    def discovery(self) -> Discovery | None:
        """The account's own: everybody who is signed in may read it."""
        return self._connection.discovery

    @property
    def cluster(self) -> ClusterConfig:
        return self._connection.cluster

    @property
    def version(self) -> str:
        return self._connection.version

    @property
    def kubectl(self) -> str:
        return self._connection.kubectl

    @property
    def is_demo(self) -> bool:
        return self._connection.is_demo


CONNECTION: Key[ClusterAccess] = Key("connection")
