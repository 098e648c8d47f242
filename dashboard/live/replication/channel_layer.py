"""The part of a Channels layer that the feed uses: sends that never raise nor hang, and a lasting inbox."""

from __future__ import annotations

import asyncio
import logging
from collections.abc import Awaitable, Callable
from typing import Any, Protocol

import msgspec
from channels.exceptions import ChannelFull

from informerd.clock import Clock

logger = logging.getLogger(__name__)

SEND_TIMEOUT = 5.0
"""Seconds after which a send counts as failed: a layer may hang on a lost Redis."""
REJOIN_INTERVAL = 5.0
"""Seconds between two joins of a group."""
JOIN_RETRY_DELAY = 0.1
"""Seconds between two tries of the first join."""
RECEIVE_RETRY_DELAY = 1.0
"""Seconds to wait after the layer failed to give a message."""
UNREADABLE = (KeyError, TypeError, UnicodeDecodeError, RecursionError, msgspec.MsgspecError)
"""What reading a message of a process of another version may raise."""


class ChannelLayer(Protocol):
    """A Channels layer, in memory or Redis. It may drop any message, and after a fault reorder or duplicate it."""

    async def send(self, channel: str, message: dict[str, Any]) -> None: ...

    async def receive(self, channel: str) -> dict[str, Any]: ...

    async def new_channel(self) -> str: ...

    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...

    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...


class ChannelLayerHealth:
    """Errors of the layer; the first error and the recovery are one log line each."""

    def __init__(self) -> None:
        self.problem = ""
        """Why the last use failed; empty after a good one."""

    def record_failure(self, error: Exception) -> None:
        """A use of the layer failed."""
        nameless = "it did not answer in time" if isinstance(error, TimeoutError) else type(error).__name__
        problem = " ".join(str(error).split()) or nameless
        if not self.problem:
            logger.warning("the channel layer cannot be used, trying again: %s", problem)
        self.problem = problem

    def record_success(self) -> None:
        """A use of the layer went well."""
        if self.problem:
            logger.warning("the channel layer can be used again")
        self.problem = ""


class Sender:
    """Sends over a layer; a failure is never raised.

    Lost messages need no handling here: every stream has sequence numbers, and a receiver that misses one asks again.
    """

    def __init__(self, channel_layer: ChannelLayer, layer_health: ChannelLayerHealth) -> None:
        self._layer = channel_layer
        self._layer_health = layer_health

    async def to_group(self, group: str, message: dict[str, Any]) -> bool:
        """Send to everyone in the group. Returns whether the layer accepted the message."""
        return await self._guarded(self._layer.group_send(group, message))

    async def to_channel(self, channel: str, message: dict[str, Any]) -> bool:
        """Send to one channel. Returns whether the layer accepted the message."""
        return await self._guarded(self._layer.send(channel, message))

    async def _guarded(self, sending: Awaitable[None]) -> bool:
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await sending
        except ChannelFull:
            return False
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            self._layer_health.record_failure(error)
            return False
        self._layer_health.record_success()
        return True


class SilentSender(Sender):
    """Sends nothing, and says that it was accepted: of a worker that publishes nothing."""

    async def to_group(self, group: str, message: dict[str, Any]) -> bool:  # noqa: ARG002 - as any other sender
        return True

    async def to_channel(self, channel: str, message: dict[str, Any]) -> bool:  # noqa: ARG002 - as any other sender
        return True


class GroupChannel:
    """A channel of this process in a group, which joins again after every fault of the layer.

    Joining is repeated every REJOIN_INTERVAL seconds: layers forget members after a day, and the in-memory one drops a
    member whose messages stay unread for a minute, as on a suspended laptop.
    """

    def __init__(self, channel_layer: ChannelLayer, group: str, clock: Clock, layer_health: ChannelLayerHealth) -> None:
        self.channel_name = ""
        """Address for answers; empty while the layer has given none."""
        self.is_joined = False
        """Whether the group's messages arrive, as far as is known."""
        self._layer = channel_layer
        self._group = group
        self._clock = clock
        self._layer_health = layer_health

    async def run(self, handle: Callable[[dict[str, Any]], Awaitable[None]]) -> None:
        """Pass each message to `handle`, one after the other, until cancelled."""
        joining = asyncio.create_task(self._keep_joined())
        try:
            while True:
                message = await self._received()
                if message is not None:
                    await handle(message)
        finally:
            joining.cancel()
            await asyncio.gather(joining, return_exceptions=True)

    async def _received(self) -> dict[str, Any] | None:
        """The next message; None, after a pause, where the layer fails: it may have forgotten the channel then."""
        try:
            if not self.channel_name:
                self.channel_name = await self._layer.new_channel()
            message = await self._layer.receive(self.channel_name)
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            self._layer_health.record_failure(error)
            self.channel_name, self.is_joined = "", False
            await self._clock.sleep(RECEIVE_RETRY_DELAY)
            return None
        self._layer_health.record_success()
        return message

    async def _keep_joined(self) -> None:
        while True:
            if self.channel_name:
                self.is_joined = await self._joined(self.channel_name)
            await self._clock.sleep(REJOIN_INTERVAL if self.is_joined else JOIN_RETRY_DELAY)

    async def _joined(self, channel: str) -> bool:
        try:
            async with asyncio.timeout(SEND_TIMEOUT):
                await self._layer.group_add(self._group, channel)
        except Exception as error:  # noqa: BLE001 - raised out of the loop's middle, it would leave tasks behind
            self._layer_health.record_failure(error)
            return False
        return channel == self.channel_name  # no success of the layer: for a member it has already, it does nothing
