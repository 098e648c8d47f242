"""Author of a version: the field manager that wrote it, as metadata.managedFields tells.

An entry of managedFields has the second of its manager's last write, so that the newest one is the author. Two cases
need more: the subresource scale, beside which the API server notes no time, and managers that wrote in one second.
Of each change only the entries are decoded; their fields are where these two cases need them.
"""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from dashboard.objects.fields.managed_fields import owned_fields_differ


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
    except (msgspec.MsgspecError, RecursionError):  # fields of a form that is not known, or too deep
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
    return [each for each in entries if owned_fields_differ(msgspec.json.decode(each.fields), was, now)]
