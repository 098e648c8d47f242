"""Checks of `doctor`: whether cluster, rights, metrics API, database, history and Redis can be used, as sentences."""

from __future__ import annotations

import asyncio
import os
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from asgiref.sync import sync_to_async
from django.conf import settings
from django.core.exceptions import ImproperlyConfigured
from django.db import DEFAULT_DB_ALIAS, DatabaseError, connections
from redis.asyncio import Redis
from redis.exceptions import RedisError

from dashboard.cluster.access_reviews import ResourceAttributes, is_allowed
from dashboard.cluster.choice import ClusterChoice
from dashboard.cluster.connection import USER_AGENT
from dashboard.cluster.impersonation_check import WORDS, impersonation_form
from dashboard.live.history.cluster_identity import FIRST_NAMESPACE, NAMESPACES
from dashboard.live.history.part import HistoryUnavailable
from dashboard.live.usage.metrics_api import NODE_METRICS, is_served
from dashboard.management.exit_message import one_line
from dashboard.management.pending_migrations import pending_migrations
from dashboard.objects.kinds.catalog import KindInfo, parse_kinds
from dashboard.runtime.project_files import COMMAND
from dashboard.server.wiring.history import build_parts
from informerd.errors import ApiError, ConfigError, Forbidden, InformerdError, NotFound, Unauthorized, UnknownResource
from informerd.resource import Resource
from informerd.rest.client import Client
from informerd.rest.discovery import Discovery
from informerd.rest.load_config import ClusterConfig

Verdict = Literal["works", "limited", "fails"]
"""limited: the dashboard runs, and its pages say what they do not show."""
TIMEOUT = 10.0
"""Seconds for one check of the cluster, and for one question to Redis."""
_QUESTION = " Is the server running"
"""With which PostgreSQL's client goes on after the reason."""
_PODS = Resource(group="", version="v1", plural="pods", kind="Pod")


@dataclass(frozen=True, slots=True)
class Finding:
    """What one check found."""

    about: str
    verdict: Verdict
    sentence: str


NO_METRICS_API = Finding(
    "usage", "limited", "The cluster has no metrics API, so pages have no usage: install metrics-server."
)


async def examine(context: str = "") -> AsyncIterator[Finding]:
    """Yield each finding as soon as it is known. Whatever does not answer is a finding, and no error."""
    async with _client(context) as (client, finding):
        yield finding
        if client is not None:
            async for each in _examine_cluster(client):
                yield each
    yield await sync_to_async(_database)()
    yield await sync_to_async(_history)()
    yield await _redis()


@asynccontextmanager
async def _client(context: str) -> AsyncIterator[tuple[Client | None, Finding]]:
    """A client of the configured cluster, where it answers, and what is to be said about it."""
    choice = ClusterChoice(
        environ=settings.CLUSTER_ENVIRON,
        home=Path.home(),
        context=context or settings.DELTABOARD_CONTEXT,
        is_demo_asked=settings.DELTABOARD_CLUSTER == "demo",
        demo_allowed=not settings.REDIS_URL,
    )
    try:
        config = choice.load()
    except ConfigError as error:
        yield None, Finding("cluster", "fails", _sentence(error))
        return
    if config is None:
        yield None, Finding("cluster", "works", f"Deltaboard will start its demo cluster. Why: {choice.demo_reason}.")
        return
    async with Client(config, user_agent=USER_AGENT) as client:
        finding = await _version(client, config)
        yield (client if finding.verdict == "works" else None), finding


async def _version(client: Client, config: ClusterConfig) -> Finding:
    where = f"{config.name} at {config.server}"
    began = time.monotonic()
    try:
        async with asyncio.timeout(TIMEOUT):
            version = await client.version()
    except (InformerdError, TimeoutError) as error:
        advice = " They may have expired: sign in again, as for kubectl." if isinstance(error, Unauthorized) else ""
        reason = "The credentials are not accepted." if advice else _sentence(error)
        told = f"{where} cannot be used: {reason}{advice} Chosen because: {config.why}."
        return Finding("cluster", "fails", told)
    took = (time.monotonic() - began) * 1000
    answered = f"{where} is Kubernetes {version} and answered in {took:.0f} ms. Chosen because: {config.why}."
    return Finding("cluster", "works", answered)


async def _examine_cluster(client: Client) -> AsyncIterator[Finding]:
    for about, check in _CLUSTER_CHECKS.items():
        try:
            async with asyncio.timeout(TIMEOUT):
                finding = await check(client)
        except (InformerdError, TimeoutError, ImproperlyConfigured) as error:
            finding = Finding(about, "fails", _sentence(error))
        if finding is not None:
            yield finding


async def _followed_kinds(client: Client) -> Finding:
    discovery = Discovery(client)
    missing, denied = list[str](), list[str]()
    kinds = _kinds()
    for kind in kinds:
        try:
            await discovery.resolve(kind.key)
        except UnknownResource:
            missing.append(kind.key)
            continue
        if not await _may(client, kind, "list", "watch"):
            denied.append(kind.key)
    if not missing and not denied:
        return Finding("rights", "works", f"Lists and watches {_names([kind.key for kind in kinds])}.")
    parts = []
    if missing:
        parts.append(f"The cluster does not have {_names(missing)}: they appear when their definitions are there.")
    if denied:
        parts.append(
            f"The account may not list and watch {_names(denied)} in all namespaces. Those that it may list are "
            "looked for in each; DELTABOARD_NAMESPACES names them."
        )
    return Finding("rights", "limited", " ".join(parts))


def _kinds() -> tuple[KindInfo, ...]:
    try:
        return parse_kinds(settings.DELTABOARD_KINDS)
    except ValueError as error:
        raise ImproperlyConfigured(f"DELTABOARD_KINDS: {error}") from None


async def _may(client: Client, kind: KindInfo, *verbs: str) -> bool:
    """Whether the account may do all of it: everywhere, or in each of the namespaces that are shown."""
    namespaces = settings.DELTABOARD_NAMESPACES if kind.resource.namespaced else ()
    asked = [ResourceAttributes(verb, kind.resource, name) for name in namespaces or ("",) for verb in verbs]
    return all([await is_allowed(client, each) for each in asked])


async def _writes(client: Client) -> Finding | None:
    if settings.DELTABOARD_READ_ONLY:
        return Finding("writes", "works", "Nothing is written to the cluster (DELTABOARD_READ_ONLY).")
    if settings.DELTABOARD_RIGHTS == "person":
        return None
    kinds = _kinds()
    denied = [kind.key for kind in kinds if not await _may(client, kind, "update")]
    if denied:
        return Finding("writes", "limited", f"The account may not edit {_names(denied)} (update): their pages say so.")
    return Finding("writes", "works", f"The account may edit {_names([kind.key for kind in kinds])}.")


async def _logs(client: Client) -> Finding | None:
    if settings.DELTABOARD_RIGHTS == "person":
        return None
    denied = [
        what
        for what, right in (
            ("read logs (get pods/log)", ResourceAttributes("get", _PODS, subresource="log")),
            ("open terminals (create pods/exec)", ResourceAttributes("create", _PODS, subresource="exec")),
        )
        if not await is_allowed(client, right)
    ]
    if denied:
        return Finding("logs", "limited", f"The account may not {' or '.join(denied)} in all namespaces.")
    return Finding("logs", "works", "The account may read logs and open terminals.")


async def _identity(client: Client) -> Finding:
    if await is_allowed(client, ResourceAttributes("get", NAMESPACES, name=FIRST_NAMESPACE)):
        return Finding("identity", "works", f"History knows the cluster by its namespace {FIRST_NAMESPACE}.")
    return Finding(
        "identity",
        "limited",
        f"The account may not get the namespace {FIRST_NAMESPACE}: history knows the cluster by its address, and "
        "begins anew under another one.",
    )


async def _impersonation(client: Client) -> Finding | None:
    if settings.DELTABOARD_RIGHTS != "person":
        return None
    form = await impersonation_form(client)
    verdict: dict[str, Verdict] = {"constrained": "works", "plain": "limited", "none": "fails"}
    return Finding("people", verdict[form], WORDS[form])


async def _metrics(client: Client) -> Finding:
    if not settings.DELTABOARD_USAGE_SECONDS:
        return Finding("usage", "works", "Usage is not asked for (DELTABOARD_USAGE_SECONDS=0).")
    try:
        answer = await client.list(NODE_METRICS)
    except NotFound:
        return NO_METRICS_API
    except ApiError as error:
        if isinstance(error, Forbidden) and not await is_served(Discovery(client)):
            return NO_METRICS_API
        return Finding("usage", "limited", f"The metrics API cannot be used: {_sentence(error)}")
    number = len(answer.object().get("items") or ())
    if not number:
        return Finding("usage", "limited", "The metrics API measures no node (yet): see the log of metrics-server.")
    return Finding("usage", "works", f"The metrics API measures {number} nodes.")


_CLUSTER_CHECKS = {
    "rights": _followed_kinds,
    "writes": _writes,
    "logs": _logs,
    "identity": _identity,
    "people": _impersonation,
    "usage": _metrics,
}


def _database() -> Finding:
    connection = connections[DEFAULT_DB_ALIAS]
    is_postgresql = connection.vendor == "postgresql"
    name = connection.settings_dict["NAME"]
    what = "PostgreSQL (DATABASE_URL)" if is_postgresql else f"SQLite, {name}"
    try:
        pending = len(pending_migrations())
        if is_postgresql and not _may_create_tables():
            wanted = f"Make it the owner: ALTER DATABASE {name} OWNER TO {connection.settings_dict['USER']}"
            return Finding("database", "fails", f"{what}: its account may not create tables. {wanted}.")
    except DatabaseError as error:
        return Finding(
            "database", "fails", f"{what} cannot be used: {_sentence(error)} Pages work, drafts are not kept."
        )
    finally:
        connection.close()
    if pending and connection.vendor == "sqlite":
        applied = "`deltaboard` and `make run` apply them when they start."
        return Finding("database", "limited", f"{what}: {pending} migrations are not applied yet. {applied}")
    if pending:
        return Finding("database", "fails", f"{what}: {pending} migrations are not applied. Run {COMMAND} migrate.")
    return Finding("database", "works", f"{what} can be used, and all migrations are applied.")


def _may_create_tables() -> bool:
    with connections[DEFAULT_DB_ALIAS].cursor() as cursor:
        cursor.execute("SELECT has_schema_privilege(current_schema(), 'CREATE')")
        return bool(cursor.fetchone()[0])


def _history() -> Finding:
    if not settings.DELTABOARD_HISTORY:
        return Finding("history", "works", "History is not recorded (DELTABOARD_HISTORY=off).")
    parts = build_parts()
    try:
        sizes = parts.sizes()
    except HistoryUnavailable as error:
        return Finding("history", "fails", f"History cannot be read: {_sentence(error)}")
    finally:
        parts.close()
    folder = settings.VAR_DIR / "history"
    if connections[DEFAULT_DB_ALIAS].vendor != "postgresql" and folder.exists() and not os.access(folder, os.W_OK):
        return Finding("history", "fails", f"History cannot be written: {folder} belongs to another account.")
    limit = f" of {settings.DELTABOARD_HISTORY_SIZE:,} MiB" if settings.DELTABOARD_HISTORY_SIZE else ""
    return Finding("history", "works", f"History takes {sum(sizes.values()) / 2**20:,.0f} MiB{limit}.")


async def _redis() -> Finding:
    if not settings.REDIS_URL:
        return Finding("Redis", "works", "Redis is not used: worker and web server are one process.")
    redis = Redis.from_url(settings.REDIS_URL, socket_timeout=TIMEOUT, socket_connect_timeout=TIMEOUT)
    try:
        began = time.monotonic()
        await redis.ping()
        took = (time.monotonic() - began) * 1000
        version = (await redis.info("server")).get("redis_version", "of an unknown version")
    except (RedisError, OSError) as error:
        return Finding("Redis", "fails", f"Redis (REDIS_URL) does not answer: {_sentence(error)}")
    finally:
        await redis.aclose()
    return Finding("Redis", "works", f"Redis {version} answered in {took:.0f} ms.")


def _names(names: list[str]) -> str:
    return " and ".join(filter(None, (", ".join(names[:-1]), names[-1])))


def _sentence(error: Exception) -> str:
    if isinstance(error, TimeoutError) and not str(error):
        return f"There was no answer within {TIMEOUT:g} s."
    text = one_line(error).partition(_QUESTION)[0] or type(error).__name__
    return text if text.endswith((".", "!", "?")) else f"{text}."
