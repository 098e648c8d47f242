"""Wiring of the channel layer, from the settings."""

from __future__ import annotations

from channels.layers import get_channel_layer
from django.conf import settings

from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.live.replication.encrypted_channel_layer import EncryptedChannelLayer
from dashboard.live.replication.message_cipher import MessageCipher
from dashboard.live.replication.rejected_messages import RejectedMessages


def build_channel_layer(rejected: RejectedMessages) -> ChannelLayer:
    """The layer of this process: in memory, or through Redis and encrypted. `rejected` gets what it drops."""
    layer: ChannelLayer = get_channel_layer()
    if not settings.REDIS_URL:
        return layer
    secrets = settings.DELTABOARD_FEED_KEY or [settings.SECRET_KEY]
    return EncryptedChannelLayer(
        layer, MessageCipher(secrets, installation=settings.DELTABOARD_CHANNEL_PREFIX), rejected
    )
