"""Lists: which version a request asks for, pages with continue tokens, and the answer's JSON.

Guarantee: all pages of one list show the same version; a page whose version is no longer in the history is refused
with 410 and a token that goes on at the newest version. Source: apiserver's storage/etcd3/store.go and
apimachinery's internalversion/validation.
"""

from __future__ import annotations

import base64
import binascii
import json
from bisect import bisect_left
from dataclasses import dataclass

from devcluster.server.kinds import Kind
from devcluster.server.selectors import Selection
from devcluster.server.status import (
    Failure,
    FieldError,
    bad_request,
    expired,
    expired_continue,
    forbidden_field,
    invalid_options,
    not_supported,
    too_large_version,
)
from devcluster.server.store import Compacted, Key, Record, Store

_MATCHES = ("Exact", "NotOlderThan")


@dataclass(frozen=True)
class ListQuery:
    """A list request's parameters, checked."""

    version: str = ""
    match: str = ""
    limit: int = 0
    token: str = ""


def checked_query(version: str, match: str, limit: int, token: str) -> ListQuery:
    """Raises Failure (422, 400) for what the real server refuses."""
    errors: list[FieldError] = []
    field = "resourceVersionMatch"
    if match and not version:
        errors.append(forbidden_field(field, f"{field} is forbidden unless resourceVersion is provided"))
    if match and token:
        errors.append(forbidden_field(field, f"{field} is forbidden when continue is provided"))
    if match and match not in _MATCHES:
        errors.append(not_supported(field, match, (*_MATCHES, "")))
    if match == "Exact" and version == "0":
        errors.append(forbidden_field(field, f'{field} "exact" is forbidden for resourceVersion "0"'))
    if errors:
        raise invalid_options("ListOptions", errors)
    if not token:
        parse_version(version)
    return ListQuery(version, match, max(limit, 0), token)


def parse_version(text: str) -> int:
    """A resourceVersion as a number; empty is 0. Raises Failure (400)."""
    if not text:
        return 0
    if not text.isascii() or not text.isdigit():
        why = f'resourceVersion: Invalid value: "{text}": strconv.ParseUint: parsing "{text}": invalid syntax'
        raise bad_request(f"invalid resource version: {why}")
    return int(text)


@dataclass(frozen=True)
class Page:
    """Part of a list, in key order, as it was at `revision`."""

    revision: int
    records: list[Record]
    token: str = ""
    remaining: int | None = None


def list_page(store: Store, kind: Kind, query: ListQuery, selection: Selection) -> Page:
    """The page asked for. Raises Failure: 410 for versions out of the window, 504 for versions to come."""
    start = ""
    if query.token:
        revision, start = _parse_token(query.token)
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
    exact = query.match == "Exact" or (wanted > 0 and query.limit > 0 and query.match == "")
    return wanted if exact else store.revision


def _records_at(store: Store, kind: Kind, revision: int) -> dict[Key, Record]:
    if revision == store.revision:
        return store.records(kind.key)
    try:
        return store.at(kind.key, revision)
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
    if selection.selects:
        return Page(revision, chosen, token)
    remaining = sum(1 for key in rest if selection.matches(records[key]))
    return Page(revision, chosen, token, remaining)


def _token(revision: int, start: str) -> str:
    text = json.dumps({"v": "meta.k8s.io/v1", "rv": revision, "start": start}, separators=(",", ":"))
    return base64.urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _parse_token(token: str) -> tuple[int, str]:
    text = b""
    try:
        text = base64.urlsafe_b64decode(token + "=" * (-len(token) % 4))
        decoded = json.loads(text)
        return int(decoded["rv"]), str(decoded["start"])
    except (binascii.Error, ValueError, KeyError, TypeError):
        why = f"invalid character '{text[:1].decode('latin-1')}' looking for beginning of value"
        raise bad_request(f"invalid continue token: continue key is not valid: {why}") from None


def list_body(kind: Kind, page: Page) -> bytes:
    """The list's JSON. Items of built-in kinds come without kind and apiVersion, as from the real server."""
    if kind.custom:
        items = b",".join(record.raw for record in page.records)
    else:
        cut = len(kind.head)
        items = b",".join(b"{" + record.raw[cut:] for record in page.records)
    metadata = list_metadata(page, custom=kind.custom)
    name = kind.list_kind or f"{kind.kind}List"
    head = json.dumps({"kind": name, "apiVersion": kind.api_version, "metadata": metadata}, separators=(",", ":"))
    return b'%b,"items":[%b]}' % (head[:-1].encode(), items)


def list_metadata(page: Page, *, custom: bool) -> dict[str, str | int]:
    """A list's metadata; those of custom resources always have a continue token, if only an empty one."""
    metadata: dict[str, str | int] = {"resourceVersion": str(page.revision)}
    if page.token or custom:
        metadata["continue"] = page.token
    if page.remaining is not None:
        metadata["remainingItemCount"] = page.remaining
    return metadata
