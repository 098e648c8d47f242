"""Response of the API server, and the meaning of its headers."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from http import HTTPStatus
from typing import Any

import msgspec

from informerd.errors import UNREADABLE, ApiError, MalformedAnswer, Status, error_from_status

_WARNING = re.compile(r'(\d{3}) ([^ ,"]+) "((?:[^"\\]|\\.)*)"(?: "[^"]*")?\s*(?:,|$)')
_ESCAPE = re.compile(r"\\(.)")
_TEXT_LIMIT = 500
_BEGINNING = 100


@dataclass(frozen=True)
class Response:
    """A success (2xx, or the 304 that a conditional GET asked for) with its body, whole."""

    status: int
    body: bytes
    warnings: tuple[str, ...] = ()
    """The API server's warnings for people, such as of a deprecated version or an unknown field."""
    date: datetime | None = None
    """The API server's clock when it answered."""
    content_type: str = ""
    etag: str = ""
    """Names this very content, for a later If-None-Match."""

    def json(self) -> Any:
        """The body, decoded. Raises MalformedAnswer where it is no JSON."""
        return self.decode(Any)

    def object(self) -> dict[str, Any]:
        """The body as a Kubernetes object. Raises MalformedAnswer where it is none."""
        obj: dict[str, Any] = self.decode(dict[str, Any])
        return obj

    def decode(self, type_: Any) -> Any:
        """The body as a value of `type_`. Raises MalformedAnswer that shows how the body begins."""
        try:
            return msgspec.json.decode(self.body, type=type_)
        except UNREADABLE as error:
            raise MalformedAnswer(f"the response is not from an API server ({error}): {self._beginning}") from error

    @property
    def _beginning(self) -> str:
        text = self.body[:_BEGINNING].decode(errors="replace")
        words = " ".join("".join(each if each.isprintable() else " " for each in text).split())
        return f"{self.content_type or 'no content type'}, {words or 'empty'}"


_NO_SUCH_PATH = b"404 page not found"
"""kube-apiserver's response to a path that it does not serve, such as that of an undefined kind."""


class _Body(msgspec.Struct, frozen=True):
    kind: str = ""


def error_from_response(code: int, body: bytes, headers: Iterable[tuple[str, str]], *, now: float) -> ApiError:
    """The typed error for an unsuccessful response. A body that is not a Status, as proxies send, becomes its message.

    A 404 that is not in the API server's own words is no NotFound: it does not say that an object or a kind is gone.

    A Retry-After with a date counts from the response's own Date, whatever this machine's clock says; without one, from
    `now` (Unix seconds).
    """
    pairs = [(name.lower(), value) for name, value in headers]
    values = dict(pairs)
    date = http_date(values.get("date", ""))
    wait = retry_after(values.get("retry-after", ""), now=now if date is None else date.timestamp())
    warnings = warning_texts(value for name, value in pairs if name == "warning")
    status = _status(code, body)
    if code == 404 and not status.reason and not body.startswith(_NO_SUCH_PATH):
        return ApiError(status, retry_after=wait, warnings=warnings)
    return error_from_status(status, retry_after=wait, warnings=warnings)


def _status(code: int, body: bytes) -> Status:
    try:
        if msgspec.json.decode(body, type=_Body).kind == "Status":
            status = msgspec.json.decode(body, type=Status)
            return status if status.code else msgspec.structs.replace(status, code=code)
    except UNREADABLE:
        pass
    text = body[:_TEXT_LIMIT].decode(errors="replace").strip()
    words = f"HTTP {code} {_phrase(code)}".strip()
    return Status(code=code, message=f"{words}: {text}" if text and not text.startswith("<") else words)


def _phrase(code: int) -> str:
    try:
        return HTTPStatus(code).phrase
    except ValueError:
        return ""


def retry_after(value: str, *, now: float) -> float | None:
    """Seconds to wait by a Retry-After header (RFC 9110, 10.2.3: seconds or a date); None where it says nothing."""
    value = value.strip()
    if value.isdecimal():
        return float(value)
    date = http_date(value)
    return None if date is None else max(0.0, date.timestamp() - now)


def http_date(value: str) -> datetime | None:
    """A Date header's time in UTC, None where there is none."""
    try:
        date = parsedate_to_datetime(value)
        return (date if date.tzinfo else date.replace(tzinfo=UTC)).astimezone(UTC)  # it is GMT, said or not
    except (ValueError, OverflowError):
        return None


def warning_texts(values: Iterable[str]) -> tuple[str, ...]:
    """The texts of Warning headers with code 299, each once (RFC 7234, 5.5), without what could steer a terminal."""
    warnings = (match for value in values for match in _WARNING.finditer(value))
    texts = (_ESCAPE.sub(r"\1", text) for code, _agent, text in (m.groups() for m in warnings) if code == "299")
    return tuple(dict.fromkeys("".join(each if each.isprintable() else "�" for each in text) for text in texts))
