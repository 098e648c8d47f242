"""Settings with a Channels layer whose queues are tiny: a message that does not fit is dropped silently.

`DJANGO_SETTINGS_MODULE` names this module for the processes of a test. (The layer of dashboard.settings has no queues
that could be full: Redis disconnects clients that do not read.)
"""

from __future__ import annotations

from dashboard.settings import *  # noqa: F403
from dashboard.settings import DELTABOARD_CHANNEL_PREFIX, REDIS_URL

CAPACITY = 10
"""Messages. A heartbeat of each kind has to fit, they come at once."""

CHANNEL_LAYERS = {
    "default": {
        "BACKEND": "channels_redis.core.RedisChannelLayer",
        "CONFIG": {"hosts": [REDIS_URL], "prefix": DELTABOARD_CHANNEL_PREFIX, "capacity": CAPACITY},
    }
}
