"""Limits of the bodies of requests, and an ASGI layer that enforces them under any server.

Daphne hands a request over once all of its body is there; `dashboard.server.daphne_request_limits` enforces the same
limits while it arrives.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import MutableMapping
from dataclasses import dataclass
from typing import Any

from dashboard.runtime.concurrency_limit import Limits, Owners
from dashboard.server.guard import Application, Receive, Scope, Send
from dashboard.server.request_quotas import refuse

MIB = 2**20
SMALL_BODY = 64 * 1024
"""Maximum bytes of a body where no text is posted."""
_TEXT_PATHS = (b"/new/", b"/drafts/", b"/resources/")
"""Beginnings of the addresses of editors, and of lists with their selections."""


class BodyTooLarge(Exception):
    """More was sent than the limit. The message is a sentence for the person."""


class NoRoomForBody(Exception):
    """Too much is being sent at the same time. The message is a sentence for the person."""


@dataclass(frozen=True, slots=True)
class BodyLimits:
    """Maximum bytes of one body, and of the bodies that are being received or worked on at the same time."""

    one: int
    together: Limits

    def of(self, method: bytes, path: bytes) -> int:
        """The maximum bytes of the body of a request."""
        return self.one if method.upper() == b"POST" and path.startswith(_TEXT_PATHS) else SMALL_BODY

    def check(self, method: bytes, path: bytes, size: int) -> None:
        """Raise BodyTooLarge where a body of `size` bytes is over the limit."""
        limit = self.of(method, path)
        if size > limit:
            shown = f"{limit // MIB} MiB" if limit >= MIB else f"{limit // 1024} KiB"
            raise BodyTooLarge(
                f"This request is larger than Deltaboard accepts here ({shown}), so it was not read and changed "
                "nothing. Your browser may still have what you typed: go back and copy it, then send less. The API "
                "server accepts objects of up to 3 MiB."
            )


class BodyRoom:
    """Bytes of the bodies that are being received or worked on, by their owners (`quota_owners`)."""

    def __init__(self, limits: Limits) -> None:
        self._limits = limits
        self._by_owner: Counter[str] = Counter()
        self._in_all = 0

    def take(self, owners: Owners, size: int) -> None:
        """Count `size` bytes more. Raises NoRoomForBody, and counts nothing, where that is too much."""
        most = max((self._by_owner[owner] for owner in owners), default=0)
        if most + size > self._limits.per_owner or self._in_all + size > self._limits.in_all:
            raise NoRoomForBody(
                "Too much is being sent to Deltaboard at the same time, so this request was not read and changed "
                "nothing. Go back and send it again in a few seconds."
            )
        self._by_owner.update(dict.fromkeys(owners, size))
        self._in_all += size

    def give_back(self, owners: Owners, size: int) -> None:
        """Forget `size` bytes that were counted."""
        self._in_all -= size
        self._by_owner.subtract(dict.fromkeys(owners, size))
        self._by_owner = +self._by_owner


class BodyLimitLayer:
    """Passes a request to `inner`; answers 413 where its body is, or turns out to be, over the limit."""

    def __init__(self, inner: Application, limits: BodyLimits) -> None:
        self._inner = inner
        self._limits = limits

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            await self._inner(scope, receive, send)
            return
        method, path, counted, answered = scope["method"].encode(), scope["path"].encode(), 0, False

        async def counting() -> MutableMapping[str, Any]:
            nonlocal counted
            message = await receive()
            counted += len(message.get("body", b""))
            self._limits.check(method, path, counted)
            return message

        async def sending(message: MutableMapping[str, Any]) -> None:
            nonlocal answered
            answered = True
            await send(message)

        announced = next((value for name, value in scope["headers"] if name.lower() == b"content-length"), b"0")
        try:
            self._limits.check(method, path, int(announced) if announced.isdigit() else 0)
            await self._inner(scope, counting, sending)
        except BodyTooLarge as error:
            if answered:
                raise
            await refuse(send, 413, str(error))
