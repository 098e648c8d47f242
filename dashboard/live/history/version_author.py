"""Author of a version: the field manager that made it of the version before, by metadata.managedFields.

An entry of managedFields has the second of its manager's last write, so that the newest one is the author. Two cases
need more: the subresource scale, beside which the API server notes no time, and managers that wrote in one second.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

import msgspec


class _Entry(msgspec.Struct, gc=False):
    """An entry of managedFields, of which the fields themselves are not decoded."""

    manager: str = ""
    operation: str = ""
    time: str = ""
    subresource: str = ""
    fields: msgspec.Raw = msgspec.field(name="fieldsV1", default=msgspec.Raw(b"{}"))

    @property
    def key(self) -> tuple[str, str, str]:
        """What the API server tells entries apart by, but for the version of the API."""
        return self.manager, self.operation, self.subresource


SCALE = b'"subresource":"scale"'
_entries = msgspec.json.Decoder(list[_Entry])


def version_author(managed: bytes, managed_before: bytes, before: bytes | None, after: bytes) -> str:
    """The field manager that made the JSON `after` of `before`; empty where managedFields does not say.

    `managed` and `managed_before` are the JSON of managedFields of both; of the version before, empty and None stand
    for one that is not known.
    """
    try:
        entries = _entries.decode(managed) if managed else []
    except msgspec.MsgspecError:
        entries = []
    if not entries:
        return ""
    newest = max(each.time for each in entries)
    writers = [each for each in entries if each.time == newest]
    try:
        if before is not None and SCALE in managed:
            scaled = [each for each in entries if each.subresource == "scale" and not each.time]
            writers = _changed_own(scaled, before, after) or writers
        if before is not None and managed_before and len({each.manager for each in writers}) > 1:
            writers = _of_one_second(writers, _entries.decode(managed_before), before, after) or writers
    except msgspec.MsgspecError:  # fields of a form that is not known
        pass
    return writers[0].manager


def _of_one_second(writers: list[_Entry], entries_before: list[_Entry], before: bytes, after: bytes) -> list[_Entry]:
    """Of managers that wrote in one second, those that may have written last."""
    known = {each.key: each for each in entries_before}
    later = [each for each in writers if each.key not in known or known[each.key].time != each.time]
    if len(later) == 1:
        return later
    writers = later or writers
    owned = {each.key: bytes(known[each.key].fields) if each.key in known else b"" for each in writers}
    grown = {len(bytes(each.fields)) - len(owned[each.key]): each for each in reversed(writers)}
    most = max(grown)
    if most > 0:
        return [grown[most]]
    return [each for each in writers if bytes(each.fields) != owned[each.key]] or _changed_own(writers, before, after)


def _changed_own(entries: Iterable[_Entry], before: bytes, after: bytes) -> list[_Entry]:
    """Those of which a field differs between two versions."""
    was, now = msgspec.json.decode(before), msgspec.json.decode(after)
    return [each for each in entries if _differ(msgspec.json.decode(each.fields), was, now, is_own=False)]


def _differ(fields: Any, was: Any, now: Any, *, is_own: bool = True) -> bool:
    """Whether one of these fields, a FieldsV1, differs. `is_own`: without inner ones the value itself is one."""
    if not isinstance(fields, dict) or not fields:
        return is_own and bool(was != now)
    return any(
        (was is None) != (now is None) if name == "." else _differ(inner, _member(was, name), _member(now, name))
        for name, inner in fields.items()
    )


def _member(value: Any, name: str) -> Any:
    """The field or item that a name of FieldsV1 stands for; None where there is none."""
    sort, _, text = name.partition(":")
    if sort == "f":
        return value.get(text) if isinstance(value, dict) else None
    if not isinstance(value, list):
        return None
    if sort == "k":
        keys: Mapping[str, Any] = msgspec.json.decode(text, type=dict[str, Any])
        return next((item for item in value if isinstance(item, dict) and keys.items() <= _plain(item)), None)
    if sort == "v":
        return msgspec.json.decode(text) in value
    return None


def _plain(item: Mapping[str, Any]) -> Any:
    """Members of an item that can be keys of it."""
    return {name: value for name, value in item.items() if isinstance(value, str | int | float | bool)}.items()
