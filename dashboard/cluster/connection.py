"""The process's connection to its cluster: chosen, made, looked after, made anew when its configuration is mended."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from functools import partial

from dashboard.cluster_choice import ClusterChoice, Signature
from dashboard.live.tasks import cancelled, kept_running
from informerd.clock import Clock
from informerd.errors import ApiError, ConfigError, InformerdError
from informerd.rest.client import Client
from informerd.rest.cluster import ClusterConfig
from informerd.rest.discovery import Discovery
from informerd.testing.demo_process import DemoProcess
from informerd.version import VERSION

logger = logging.getLogger(__name__)

LOOK = 2.0
"""Seconds between two looks at the kubeconfig's files and the demo cluster's process."""
RETRY = 5.0
"""Seconds between two tries while the cluster does not answer or its configuration cannot be used."""
CALM = 60.0
"""Seconds between two questions for the version while all is well."""

USER_AGENT = f"deltaboard/{VERSION}"
"""What audit logs show, and whose fields edits are (the part before the slash)."""

STARTING = ClusterConfig(name="starting", server="", why="the cluster is being chosen")
NO_CLUSTER = ClusterConfig(name="no cluster", server="", why="its configuration cannot be used")

OnSwitch = Callable[[Client, Discovery], Awaitable[None]]


class Connection:
    """Holds client and discovery for the cluster that was chosen, or says in `problem` why there is none.

    A configuration that cannot be used is read again as soon as its file changes, and every RETRY seconds. A usable one
    that changes is taken over only while the cluster does not answer, or where it still means the same context:
    nobody is moved to another cluster in mid-sight because someone ran `kubectl config use-context`.
    """

    def __init__(
        self, choice: ClusterChoice, clock: Clock, *, on_switch: OnSwitch, demo: DemoProcess | None = None
    ) -> None:
        self.cluster = STARTING
        self.client: Client | None = None
        self.discovery: Discovery | None = None
        self.version = ""
        self.chosen = asyncio.Event()
        """Set once the first choice has been made, for better or worse."""
        self._choice = choice
        self._clock = clock
        self._on_switch = on_switch
        self._demo = demo or DemoProcess(clock)
        self._config_problem = ""
        self._answer_problem = ""
        self._asking: list[asyncio.Task[None]] = []
        self._signature: Signature | None = None
        self._tried = float("-inf")

    @property
    def problem(self) -> str:
        """What keeps us from the cluster, as a sentence, with what is being done about it."""
        return self._config_problem or self._answer_problem

    @property
    def is_demo(self) -> bool:
        """Whether the cluster is the built-in one, which serves this process alone."""
        return self._demo.running

    @property
    def kubeconfig(self) -> str:
        """Path of the kubeconfig without which kubectl does not find this cluster; empty where it needs none."""
        return str(self._demo.kubeconfig or "") if self.is_demo else ""

    @property
    def said(self) -> str:
        """Which cluster this is and why, or why there is none, in one line."""
        if self.client is None:
            return f"No cluster yet: {self.problem}"
        return f"Cluster {self.cluster.name} at {self.cluster.server}, because: {self.cluster.why}"

    async def run(self) -> None:
        """Choose, connect and look after both until cancelled."""
        while True:
            await self.look()
            self.chosen.set()
            await self._clock.sleep(LOOK)

    async def close(self) -> None:
        """Close the client and end the demo cluster."""
        client, self.client = self.client, None
        await cancelled(self._asking)
        if client is not None:
            await client.close()
        await self._demo.stop()

    async def look(self) -> None:
        """Read the configuration where there is reason to, and connect to what it says."""
        signature = self._choice.signature()
        changed = signature != self._signature
        retry = self.client is None and self._clock.now() - self._tried >= RETRY
        demo_ended = self.cluster.name == "demo" and self.client is not None and not self._demo.running
        if not (changed or retry or demo_ended):
            return
        self._signature, self._tried = signature, self._clock.now()
        try:
            config = self._choice.load()
            if config is None:
                config = self.cluster if self._demo.running else await self._demo.start(self._choice.why_demo)
            await self._connect(config)
        except ConfigError as error:
            self._refused(error)

    async def _connect(self, config: ClusterConfig) -> None:
        if self.client is not None and config == self.cluster:
            self._config_problem = ""
            return
        if not self._may_switch_to(config):
            logger.warning(
                "the configuration now says %s at %s; this process stays with %s until it is started again",
                config.name, config.server, self.cluster.name,
            )  # fmt: skip
            return
        client = Client(config, clock=self._clock, user_agent=USER_AGENT)
        before, self.client = self.client, client
        self.cluster, self.discovery = config, Discovery(client, clock=self._clock)
        self.version, self._config_problem, self._answer_problem = "", "", ""
        # The first choice is what the command says on its own; any later one is news.
        level = logging.INFO if self.chosen.is_set() else logging.DEBUG
        logger.log(level, "cluster %s at %s: %s", config.name, config.server, config.why)
        await cancelled(self._asking)
        asking = kept_running("asking the API server's version", partial(self._ask_version, client), self._clock)
        self._asking = [asyncio.create_task(asking, name="version")]
        await self._on_switch(client, self.discovery)
        if before is not None:
            await before.close()

    def _may_switch_to(self, config: ClusterConfig) -> bool:
        if self.client is None or self._answer_problem:
            return True
        return config.name == self.cluster.name

    def _refused(self, error: ConfigError) -> None:
        """The configuration cannot be used. With a client that works, the old one stays."""
        if self.client is not None and self.cluster.name != "demo":
            logger.warning("the changed configuration cannot be used, the old one stays: %s", error)
            return
        problem = f"{_sentence(error)} It is read again when it changes, and every {RETRY:g} s."
        if problem != self._config_problem:
            logger.warning("no cluster: %s", error)
        self._config_problem = problem
        if self.client is None:
            self.cluster = NO_CLUSTER

    async def _ask_version(self, client: Client) -> None:
        """Ask `client` for the API server's version for ever: it shows whether the cluster answers us at all."""
        cluster = self.cluster
        while True:
            try:
                version = await client.version()
            except InformerdError as error:
                self._unanswered(cluster, error)
            else:
                self._answered(cluster, version)
            await self._clock.sleep(RETRY if self._answer_problem else CALM)

    def _answered(self, cluster: ClusterConfig, version: str) -> None:
        if self._answer_problem:
            logger.info("cluster %s answers again", cluster.name)
        self.version, self._answer_problem = version, ""

    def _unanswered(self, cluster: ClusterConfig, error: InformerdError) -> None:
        what = "refuses us" if isinstance(error, ApiError) else "cannot be reached"
        problem = f"{cluster.name} at {cluster.server} {what}: {_sentence(error)} Tried again every {RETRY:g} s."
        if not self._answer_problem:
            logger.warning("cluster %s at %s %s: %s", cluster.name, cluster.server, what, error)
        self._answer_problem = problem


def _sentence(error: Exception) -> str:
    text = str(error).strip() or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
