"""What the containers of the demo cluster write, by their image: each program has a form and a few things to say."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from datetime import UTC, datetime
from types import MappingProxyType

Message = tuple[int, str, str]
"""Weight, level, and the text with its fields: ``{ms}`` and others, see `_fill`."""

_FIELD = re.compile(r"\{(\w+)\}")
_PATHS = ("/", "/items", "/items/{n}", "/cart", "/checkout", "/search?q=shoes", "/healthz", "/login", "/static/app.js")
_NAMES = ("alice", "bob", "chen", "dana", "emeka", "farah", "goran", "hana")
_ERRORS = ("connection refused", "context deadline exceeded", "i/o timeout", "no route to host", "EOF")


@dataclass(frozen=True)
class Voice:
    """A program's log."""

    write: Callable[[str, str, Mapping[str, str], datetime], str]
    """Makes a line of a level, a text, its fields and a time."""
    rate: float
    """Lines a second."""
    messages: tuple[Message, ...]
    trace: tuple[str, ...] = ()
    """What it writes before it ends with an error."""


def _json(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return json.dumps({"time": stamp, "level": level, "msg": text, **fields})


def _logfmt(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    stamp = moment.isoformat(timespec="milliseconds").replace("+00:00", "Z")
    said = " ".join(f"{name}={json.dumps(value) if ' ' in value else value}" for name, value in fields.items())
    return f'ts={stamp} level={level} msg="{text}" {said}'.rstrip()


def _java(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    said = f" [{', '.join(f'{name}={value}' for name, value in fields.items())}]" if fields else ""
    stamp = f"{moment:%Y-%m-%d %H:%M:%S},{moment.microsecond // 1000:03}"
    return f"{stamp} {level.upper():5} [worker-3] c.e.Service - {text}{said}"


def _redis(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:  # noqa: ARG001
    sign = {"warn": "#", "error": "#", "debug": "."}.get(level, "*")
    return f"1:M {moment:%d %b %Y %H:%M:%S}.{moment.microsecond // 1000:03} {sign} {text}"


def _klog(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    said = "".join(f" {name}={json.dumps(value)}" for name, value in fields.items())
    letter = {"warn": "W", "error": "E", "fatal": "F"}.get(level, "I")
    return f'{letter}{moment:%m%d %H:%M:%S}.{moment.microsecond:06}       1 handler.go:153] "{text}"{said}'


def _access(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    if "status" not in fields:
        return f"{moment:%Y/%m/%d %H:%M:%S} [{level}] 29#29: {text}"
    request = f'"GET {fields["path"]} HTTP/1.1" {fields["status"]} {fields["bytes"]}'
    return f'{fields["ip"]} - - [{moment:%d/%b/%Y:%H:%M:%S} +0000] {request} "-" "Mozilla/5.0" {fields["ms"]}ms'


def _python(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    said = "".join(f" {name}={value}" for name, value in fields.items())
    colour = {"warn": "33", "error": "31"}.get(level, "32")
    return f"\x1b[2m{moment:%H:%M:%S}\x1b[0m [\x1b[{colour}m{level:7}\x1b[0m] {text}{said}"


def _fluent(level: str, text: str, fields: Mapping[str, str], moment: datetime) -> str:
    said = "".join(f", {name}={value}" for name, value in fields.items())
    return f"[{moment:%Y/%m/%d %H:%M:%S}] [{level:>5}] [output:http:http.0] {text}{said}"


_GO_TRACE = (
    "panic: runtime error: invalid memory address or nil pointer dereference",
    "[signal SIGSEGV: segmentation violation code=0x1 addr=0x0 pc=0x8a2f1c]",
    "",
    "goroutine 1 [running]:",
    "main.(*Server).loadSettings(0x0)",
    "\t/src/cmd/server/settings.go:81 +0x1c",
    "main.main()",
    "\t/src/cmd/server/main.go:42 +0x2a5",
)
_PYTHON_TRACE = (
    "Traceback (most recent call last):",
    '  File "/app/main.py", line 118, in <module>',
    "    run(load_settings())",
    '  File "/app/settings.py", line 31, in load_settings',
    '    return Settings(database=environ["DATABASE_URL"])',
    "KeyError: 'DATABASE_URL'",
)
_JAVA_TRACE = (
    'Exception in thread "main" java.lang.IllegalStateException: ledger is locked by another writer',
    "\tat com.example.ledger.Store.open(Store.java:211)",
    "\tat com.example.ledger.Main.main(Main.java:37)",
    "Caused by: java.nio.channels.OverlappingFileLockException",
    "\t... 2 more",
)
_HTTP: tuple[Message, ...] = (
    (60, "info", "request served|path={path} status=200 ms={ms} bytes={bytes} ip={ip}"),
    (6, "info", "request served|path={path} status=304 ms={ms} bytes=0 ip={ip}"),
    (5, "warn", "request refused|path={path} status=404 ms={ms} bytes=153 ip={ip}"),
    (2, "error", "request failed|path={path} status=502 ms={slow} bytes=0 ip={ip}"),
)
_SHOP: tuple[Message, ...] = (
    *_HTTP,
    (20, "debug", "cache hit|key=item:{n}"),
    (6, "info", "order placed|order={id} user={user} items={few}"),
    (3, "warn", "slow query|ms={slow} table=items"),
    (1, "error", "upstream call failed|upstream=catalog error={error} attempt={few}"),
)
_DATA: tuple[Message, ...] = (
    (30, "info", "batch written|rows={n} ms={ms}"),
    (10, "info", "segment merged|segment=_{id} docs={n}"),
    (6, "debug", "checkpoint|position={n}"),
    (3, "warn", "write took long|ms={slow}"),
    (1, "error", "could not reach replica|replica=r-{few} error={error}"),
)

_VOICES: Mapping[str, Voice] = MappingProxyType({
    "web": Voice(_json, 1.6, _SHOP, _GO_TRACE),
    "cart": Voice(_logfmt, 1.1, _SHOP, _GO_TRACE),
    "checkout": Voice(_json, 1.3, _SHOP, _GO_TRACE),
    "catalog": Voice(_logfmt, 0.9, _SHOP, _GO_TRACE),
    "images": Voice(_access, 1.4, _HTTP),
    "recommendations": Voice(_python, 0.5, _DATA, _PYTHON_TRACE),
    "session-cache": Voice(_redis, 0.15, (
        (10, "info", "{n} changes in 300 seconds. Saving..."),
        (10, "info", "Background saving terminated with success"),
        (2, "warn", "Client id={n} scheduled to be closed for overcoming of output buffer limits"),
    )),
    "api": Voice(_json, 1.5, (
        *_HTTP, (8, "info", "payment authorised|payment={id} amount={n} user={user}"),
        (2, "warn", "payment needs a second factor|payment={id} user={user}"),
        (1, "error", "provider did not answer|provider=bank-{few} error={error} ms={slow}"),
    ), _GO_TRACE),
    "ledger": Voice(_java, 0.7, _DATA, _JAVA_TRACE),
    "fraud-scorer": Voice(_python, 0.6, (
        (30, "info", "scored|payment={id} score=0.{few}{few}"),
        (2, "warn", "score is high|payment={id} score=0.9{few}"),
        (1, "error", "model answered late|ms={slow}"),
    ), _PYTHON_TRACE),
    "gateway": Voice(_access, 2.2, _HTTP),
    "auth": Voice(_klog, 0.8, (
        (30, "info", "Token issued|user={user}"), (8, "info", "Session renewed|user={user} session={id}"),
        (3, "warn", "Sign-in failed|user={user} reason=wrong-password ip={ip}"),
        (1, "error", "Directory did not answer|error={error}"),
    )),
    "log-router": Voice(_fluent, 0.4, (
        (20, "info", "chunk flushed|records={n}"), (3, "warn", "retry in {few} seconds|task_id={n}"),
        (1, "error", "no upstream connections available|host=logs.example.com"),
    )),
    "reports": Voice(_python, 0.5, (
        (20, "info", "page rendered|report=r-{id} page={n}"), (6, "debug", "rows kept in memory|rows={n}"),
        (3, "warn", "memory is short|used={few}0Mi"),
    ), _PYTHON_TRACE),
    "hello": Voice(_access, 0.3, _HTTP),
    "mydemo-controller": Voice(_json, 0.2, (
        (20, "info", "reconciled|controller=mydemo namespace=default name=demo-{few} ms={ms}"),
        (1, "warn", "object has been modified, tried again|controller=mydemo name=demo-{few}"),
    )),
})  # fmt: skip
_OTHERS = Voice(_logfmt, 0.5, (*_DATA, (20, "info", "tick|seq={n}")), _GO_TRACE)


def voice_of(image: str) -> Voice:
    """The voice of an image, by its name alone."""
    name = image.rpartition("@")[0] or image
    name = name.rpartition("/")[2].partition(":")[0]
    return _VOICES.get(name) or _VOICES.get(name.removesuffix("-preview")) or _OTHERS


def write_line(voice: Voice, rng: random.Random, moment: float) -> str:
    """One line of a program at a moment, Unix seconds."""
    ((_, level, message),) = rng.choices(voice.messages, [weight for weight, _, _ in voice.messages])
    text, _, fields = _fill(message, rng).partition("|")
    pairs = (each.partition("=") for each in re.split(r" (?=\w+=)", fields) if each)
    return voice.write(level, text, {name: value for name, _, value in pairs}, datetime.fromtimestamp(moment, UTC))


_VALUES: Mapping[str, Callable[[random.Random], str]] = MappingProxyType({
    "ms": lambda rng: f"{rng.lognormvariate(2.5, 0.8):.0f}",
    "slow": lambda rng: f"{rng.uniform(800, 5000):.0f}",
    "n": lambda rng: str(rng.randrange(10, 50_000)),
    "few": lambda rng: str(rng.randrange(1, 9)),
    "bytes": lambda rng: str(rng.randrange(200, 90_000)),
    "id": lambda rng: f"{rng.getrandbits(32):08x}",
    "ip": lambda rng: f"10.{rng.randrange(256)}.{rng.randrange(256)}.{rng.randrange(1, 255)}",
    "user": lambda rng: rng.choice(_NAMES),
    "error": lambda rng: rng.choice(_ERRORS),
    "path": lambda rng: _fill(rng.choice(_PATHS), rng),
})  # fmt: skip


def _fill(template: str, rng: random.Random) -> str:
    """The text with a value for each field. Raises KeyError for one that there is not."""
    return _FIELD.sub(lambda field: _VALUES[field[1]](rng), template)
