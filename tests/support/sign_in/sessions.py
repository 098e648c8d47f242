"""Sessions of tests, and registries over one database as web processes have them."""

from __future__ import annotations

import secrets
from typing import Any

from dashboard.access.person import Person
from dashboard.access.sessions.session import Lifetime, Session
from dashboard.live.replication.channel_layer import ChannelLayer
from dashboard.pages.sessions.registry import SessionRegistry
from dashboard.runtime.database_executor import DatabaseExecutor
from informerd.clock import Clock

LIFETIME = Lifetime(longest=86_400.0, idle=28_800.0)


def session(name: str = "", now: float = 1_000.0, **changes: Any) -> Session:
    """A session that begins now, of somebody whom no other test knows."""
    values: dict[str, Any] = {
        "id": secrets.token_hex(32),
        "person": Person(name or f"person-{secrets.token_hex(4)}", ("dev", "ops"), "7"),
        "issuer": "main",
        "subject": f"sub-{secrets.token_hex(4)}",
        "sid": secrets.token_hex(4),
        "device": "Firefox on Linux",
        "created": now,
        "last_used": now,
        "expires": now + LIFETIME.longest,
    }
    return Session(**{**values, **changes})


def registry(alias: str, layer: ChannelLayer, clock: Clock) -> SessionRegistry:
    database = DatabaseExecutor(clock, alias=alias, time_limit=60, content="sessions")
    return SessionRegistry(layer, clock, LIFETIME, database=database)


async def begun(process: SessionRegistry, name: str = "", *, sid: str = "", subject: str = "") -> str:
    """The cookie of a new session."""
    person = Person(name or f"person-{secrets.token_hex(4)}", ("dev",))
    return await process.begin(
        person, issuer="main", subject=subject or secrets.token_hex(8), sid=sid, device="Firefox on Linux"
    )
