"""LIST responses: resource versions, pages with continue tokens, and their JSON.

Guarantee: all pages of one list show the same version; a page whose version is no longer in the history is refused with
410 and a token that continues at the newest version. Source: apiserver's storage/etcd3/store.go and apimachinery's
internalversion/validation.
"""

from __future__ import annotations

import base64
import json
from bisect import bisect_left
from collections.abc import Mapping
from dataclasses import dataclass

from devcluster.server import request_options as options
from devcluster.server.api_errors import (
    Failure,
    bad_request,
    expired,
    expired_continue,
    go_value,
    too_large_version,
)
from devcluster.server.kinds import Kind
from devcluster.server.storage.selectors import Selection
from devcluster.server.storage.store import Compacted, Key, Record, Store

_CONTINUE_FORM = "meta.k8s.io/v1"


@dataclass(frozen=True)
class ListQuery:
    """A list request's parameters, checked."""

    version: str = ""
    version_match: str = ""
    limit: int = 0
    continue_token: str = ""


def parse_list_query(query: Mapping[str, str]) -> ListQuery:
    """The query from a request's parameters. Raises Failure (422, 400) where the real server does."""
    limit = options.parse_integer(query, "limit")
    options.parse_integer(query, "timeoutSeconds")
    options.check_list_options(query)
    version, token = query.get("resourceVersion", ""), query.get("continue", "")
    if token:
        _parse_token(token)
    if token and version not in ("", "0"):
        raise bad_request("specifying resource version is not allowed when using continue")
    parse_version(version)
    return ListQuery(version, query.get("resourceVersionMatch", ""), max(limit, 0), token)


def parse_version(text: str) -> int:
    """A resourceVersion as a number; empty is 0. Raises Failure (400)."""
    if why := version_problem(text):
        raise bad_request(f"invalid resource version: {why}")
    return int(text or 0)


def version_problem(text: str) -> str:
    """The reason why a text is not a resourceVersion, in the real server's words, or ""."""
    if not text or (text.isascii() and text.isdigit() and int(text) < 2**64):
        return ""
    why = "value out of range" if text.isascii() and text.isdigit() else "invalid syntax"
    return f"resourceVersion: Invalid value: {go_value(text)}: strconv.ParseUint: parsing {go_value(text)}: {why}"


@dataclass(frozen=True)
class Page:
    """Part of a list, in key order, as it was at `revision`."""

    revision: int
    records: list[Record]
    continue_token: str = ""
    remaining: int | None = None


def list_page(store: Store, kind: Kind, query: ListQuery, selection: Selection) -> Page:
    """The page asked for. Raises Failure: 410 for versions out of the window, 504 for versions to come."""
    start = ""
    if query.continue_token:
        revision, start = _parse_token(query.continue_token)
        records = _records_of_token(store, kind, revision, start)
        revision = revision if revision > 0 else store.revision
    else:
        revision = _revision(store, query)
        records = _records_at(store, kind, revision)
    limit = 0 if query.version == "0" else query.limit
    return _cut(records, revision, start, limit, selection)


def _revision(store: Store, query: ListQuery) -> int:
    wanted = parse_version(query.version)
    if wanted > store.revision:
        raise too_large_version(wanted, store.revision)
    exact = query.version_match == "Exact" or (wanted > 0 and query.limit > 0 and query.version_match == "")
    return wanted if exact else store.revision


def _records_at(store: Store, kind: Kind, revision: int) -> dict[Key, Record]:
    if revision == store.revision:
        return store.records(kind.key)
    try:
        return store.records_at(kind.key, revision)
    except Compacted:
        raise expired() from None


def _records_of_token(store: Store, kind: Kind, revision: int, start: str) -> dict[Key, Record]:
    if revision <= 0:
        return store.records(kind.key)
    try:
        return _records_at(store, kind, revision)
    except Failure as failure:
        if failure.code != 410:
            raise
        raise expired_continue(_token(-1, start)) from None


def _path(key: Key) -> str:
    return f"/{key[0]}/{key[1]}" if key[0] else f"/{key[1]}"


def _cut(records: dict[Key, Record], revision: int, start: str, limit: int, selection: Selection) -> Page:
    keys = sorted(records, key=_path)
    if start:
        keys = keys[bisect_left(keys, start, key=_path) :]
    wanted = selection.predicate()
    chosen: list[Record] = []
    for position, key in enumerate(keys):
        if wanted is not None and not wanted(records[key]):
            continue
        if limit and len(chosen) == limit:
            return _partial(chosen, revision, keys[position:], records, selection)
        chosen.append(records[key])
    return Page(revision, chosen)


def _partial(
    chosen: list[Record], revision: int, rest: list[Key], records: dict[Key, Record], selection: Selection
) -> Page:
    token = _token(revision, _path(chosen[-1].key) + "\0")
    if selection.has_selector:
        return Page(revision, chosen, token)
    remaining = sum(1 for key in rest if selection.matches(records[key]))
    return Page(revision, chosen, token, remaining)


def _token(revision: int, start: str) -> str:
    text = json.dumps({"v": _CONTINUE_FORM, "rv": revision, "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, str]:
    """The version and the key that a token names. Source: apiserver's storage/continue.go."""
    try:
        text = base64.b64decode(token + "=" * (-len(token) % 4), altchars="-_", validate=True)
    except ValueError:
        raise _bad_token("illegal base64 data at input byte 0") from None
    try:
        decoded = json.loads(text)
        version, revision, start = (decoded.get(key) for key in ("v", "rv", "start"))
    except (ValueError, AttributeError, RecursionError):
        first = text[:1].decode("latin-1")
        raise _bad_token(f"invalid character '{first}' looking for beginning of value") from None
    if version != _CONTINUE_FORM:
        raise _bad_token(f"server does not recognize this encoded version {version or ''}")
    if not revision or not isinstance(revision, int):
        raise _bad_token(f"incorrect encoded start resourceVersion (version {_CONTINUE_FORM})")
    if not isinstance(start, str) or ".." in start.split("/"):
        raise _bad_token(str(start or ""))
    return revision, start


def _bad_token(why: str) -> Failure:
    return bad_request(f"invalid continue token: continue key is not valid: {why}")


def list_body(kind: Kind, page: Page) -> bytes:
    """The list's JSON. Items of built-in kinds come without kind and apiVersion, as from the real server."""
    if kind.custom:
        items = b",".join(record.raw for record in page.records)
    else:
        cut = len(kind.json_head)
        items = b",".join(b"{" + record.raw[cut:] for record in page.records)
    metadata = list_metadata(page, custom=kind.custom)
    name = kind.list_kind or f"{kind.kind}List"
    head = json.dumps({"kind": name, "apiVersion": kind.api_version, "metadata": metadata}, separators=(",", ":"))
    return b'%b,"items":[%b]}' % (head[:-1].encode(), items)


def list_metadata(page: Page, *, custom: bool) -> dict[str, str | int]:
    """A list's metadata; those of custom resources always have a continue token, if only an empty one."""
    metadata: dict[str, str | int] = {"resourceVersion": str(page.revision)}
    if page.continue_token or custom:
        metadata["continue"] = page.continue_token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    return metadata
