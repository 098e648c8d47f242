"""Channel layers of a test on a real Redis, as our processes have them."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.live.replication.encrypted_channel_layer import EncryptedChannelLayer
from dashboard.live.replication.message_cipher import MessageCipher
from dashboard.live.replication.redis_channel_layer import RedisChannelLayer
from dashboard.live.replication.rejected_messages import RejectedMessages
from informerd.clock import SystemClock
from tests.support.skip_if_missing import redis_url

SECRET_KEY = "for this test only"


@asynccontextmanager
async def encrypted_redis_layer(
    prefix: str, *, secret: str = SECRET_KEY, rejected: RejectedMessages | None = None
) -> AsyncIterator[ChannelLayer]:
    """The layer of a process with this SECRET_KEY and DELTABOARD_CHANNEL_PREFIX."""
    redis = RedisChannelLayer(hosts=[redis_url()], prefix=prefix)
    cipher = MessageCipher([secret], installation=prefix)
    yield EncryptedChannelLayer(redis, cipher, rejected or RejectedMessages(SystemClock()))
    await redis.flush()
