"""The little of a Channels layer that the feed relies on, and sends that never raise nor hang."""

from __future__ import annotations

import asyncio
import logging
from typing import Any, Protocol

logger = logging.getLogger(__name__)

SEND_LIMIT = 5.0
"""Seconds after which a send counts as failed: a layer may hang on a lost Redis."""


class Layer(Protocol):
    """A Channels layer, in memory or Redis. It may drop, and after a fault reorder or double, any message."""

    async def send(self, channel: str, message: dict[str, Any]) -> None: ...

    async def receive(self, channel: str) -> dict[str, Any]: ...

    async def new_channel(self) -> str: ...

    async def group_add(self, group: str, channel: str) -> None: ...

    async def group_discard(self, group: str, channel: str) -> None: ...

    async def group_send(self, group: str, message: dict[str, Any]) -> None: ...


class Sender:
    """Sends over a layer; a failure is logged once until a send succeeds again, and never raised.

    A lost message needs no more than that: every stream has sequence numbers, and who misses one asks again.
    """

    def __init__(self, layer: Layer) -> None:
        self._layer = layer
        self.problem = ""
        """Why the last send failed; empty after a good one."""

    async def to_group(self, group: str, message: dict[str, Any]) -> bool:
        """Whether the layer took the message for everyone in the group."""
        return await self._guarded(self._layer.group_send(group, message))

    async def to_channel(self, channel: str, message: dict[str, Any]) -> bool:
        """Whether the layer took the message for one channel."""
        return await self._guarded(self._layer.send(channel, message))

    async def _guarded(self, sending: Any) -> bool:
        try:
            async with asyncio.timeout(SEND_LIMIT):
                await sending
        except Exception as error:  # noqa: BLE001 - layers raise what their client library raises
            problem = f"{type(error).__name__}: {error}" if str(error) else type(error).__name__
            if not self.problem:
                logger.warning("the channel layer takes no messages (%s), trying again with every one", problem)
            self.problem = problem
            return False
        if self.problem:
            logger.warning("the channel layer takes messages again")
            self.problem = ""
        return True


async def joined(layer: Layer, group: str, channel: str) -> bool:
    """Join `channel` to `group`, again if need be; False where the layer cannot be reached.

    Joining is repeated by whoever listens: layers forget members after a day, and the in-memory one drops a member
    whose messages lay unread for a minute, which is what a suspended laptop looks like.
    """
    try:
        async with asyncio.timeout(SEND_LIMIT):
            await layer.group_add(group, channel)
    except Exception as error:  # noqa: BLE001 - see Sender
        logger.debug("could not join %s: %s", group, error)
        return False
    return True
