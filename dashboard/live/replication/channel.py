"""The little of a Channels layer that the feed relies on: sends that never raise nor hang, and a lasting inbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

from channels.exceptions import ChannelFull

from informerd.clock import Clock

logger = logging.getLogger(__name__)

SEND_LIMIT = 5.0
"""Seconds after which a send counts as failed: a layer may hang on a lost Redis."""
REJOIN = 5.0
"""Seconds between two joins of a group."""
TRY_AGAIN = 0.1
"""Seconds between two tries of the first join."""
RETRY = 1.0
"""Seconds to wait after the layer failed to give a message."""


class Layer(Protocol):
    """A Channels layer, in memory or Redis. It may drop, and after a fault reorder or double, any message."""

    async def send(self, channel: str, message: dict[str, Any]) -> None: ...

    async def receive(self, channel: str) -> dict[str, Any]: ...

    async def new_channel(self) -> str: ...

    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...

    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...


class Trouble:
    """What is wrong with the layer, if anything; its coming and going is one line in the log each."""

    def __init__(self) -> None:
        self.problem = ""
        """Why the last use failed; empty after a good one."""

    def failed(self, error: Exception) -> None:
        """A use of the layer failed."""
        nameless = "it did not answer in time" if isinstance(error, TimeoutError) else type(error).__name__
        problem = " ".join(str(error).split()) or nameless
        if not self.problem:
            logger.warning("the channel layer cannot be used, trying again: %s", problem)
        self.problem = problem

    def worked(self) -> None:
        """A use of the layer went well."""
        if self.problem:
            logger.warning("the channel layer can be used again")
        self.problem = ""


class Sender:
    """Sends over a layer; a failure is never raised.

    A lost message needs no more than that: every stream has sequence numbers, and who misses one asks again.
    """

    def __init__(self, layer: Layer, trouble: Trouble) -> None:
        self._layer = layer
        self._trouble = trouble

    async def to_group(self, group: str, message: dict[str, Any]) -> bool:
        """Whether the layer took the message for everyone in the group."""
        return await self._guarded(self._layer.group_send(group, message))

    async def to_channel(self, channel: str, message: dict[str, Any]) -> bool:
        """Whether the layer took the message for one channel."""
        return await self._guarded(self._layer.send(channel, message))

    async def _guarded(self, sending: Awaitable[None]) -> bool:
        try:
            async with asyncio.timeout(SEND_LIMIT):
                await sending
        except ChannelFull:
            return False
        except Exception as error:  # noqa: BLE001 - layers raise what their client library raises
            self._trouble.failed(error)
            return False
        self._trouble.worked()
        return True


class Inbox:
    """A channel of this process's own in a group, kept there through whatever befalls the layer.

    Joining is repeated every REJOIN seconds: layers forget members after a day, and the in-memory one drops a member
    whose messages lay unread for a minute, which is what a suspended laptop looks like.
    """

    def __init__(self, layer: Layer, group: str, clock: Clock, trouble: Trouble) -> None:
        self.channel = ""
        """Answers may be sent here; empty while the layer gives none."""
        self.joined = False
        """Whether the group's messages come in, as far as is known."""
        self._layer = layer
        self._group = group
        self._clock = clock
        self._trouble = trouble

    async def run(self, take: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """Hand each message to `take`, one after the other, until cancelled."""
        joining = asyncio.create_task(self._keep_joined())
        try:
            while True:
                message = await self._received()
                if message is not None:
                    await take(message)
        finally:
            joining.cancel()
            await asyncio.gather(joining, return_exceptions=True)

    async def _received(self) -> dict[str, Any] | None:
        """The next message; None, after a pause, where the layer fails: it may have forgotten the channel then."""
        try:
            if not self.channel:
                self.channel = await self._layer.new_channel()
            return await self._layer.receive(self.channel)
        except Exception as error:  # noqa: BLE001 - see Sender
            self._trouble.failed(error)
            self.channel, self.joined = "", False
            await self._clock.sleep(RETRY)
            return None

    async def _keep_joined(self) -> None:
        while True:
            if self.channel:
                self.joined = await self._joined(self.channel)
            await self._clock.sleep(REJOIN if self.joined else TRY_AGAIN)

    async def _joined(self, channel: str) -> bool:
        try:
            async with asyncio.timeout(SEND_LIMIT):
                await self._layer.group_add(self._group, channel)
        except Exception as error:  # noqa: BLE001 - see Sender
            self._trouble.failed(error)
            return False
        self._trouble.worked()
        return channel == self.channel
