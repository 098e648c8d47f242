"""Verification of a part: whether every version can be read, and is what its row says."""

from __future__ import annotations

from dataclasses import dataclass, field

import msgspec

from dashboard.live.history.part import HistoryUnavailable, Part, Parts
from dashboard.live.history.part_reader import PartReader
from dashboard.live.history.version import Version
from dashboard.live.history.version_codec import DamagedVersion

MAX_PROBLEMS = 20


class _Metadata(msgspec.Struct, rename="camel"):
    name: str = ""
    namespace: str = ""
    uid: str = ""
    resource_version: str = ""


class _Object(msgspec.Struct):
    metadata: _Metadata = msgspec.field(default_factory=_Metadata)


_decoder = msgspec.json.Decoder(_Object)


@dataclass
class Report:
    """What was verified of a part."""

    objects: int = 0
    versions: int = 0
    is_complete: bool = False
    """Whether the part has all that existed when it began; it is copied in steps."""
    problems: list[str] = field(default_factory=list)
    """The first MAX_PROBLEMS, each a sentence."""

    def add(self, problem: str) -> None:
        if len(self.problems) < MAX_PROBLEMS:
            self.problems.append(problem)


def verify_part(parts: Parts, part: Part) -> Report:
    """Read every version of a part. Raises HistoryUnavailable where the part cannot be read at all."""
    report = Report()
    connection = parts.connect(part)
    try:
        for problem in connection.check():
            report.add(problem)
        if not report.problems:
            _verify(PartReader(connection), report)
    except HistoryUnavailable as error:
        report.add(f"The part cannot be read further: {error}")
    finally:
        connection.close()
    return report


def _verify(reader: PartReader, report: Report) -> None:
    report.is_complete = reader.is_complete
    orphans = "SELECT COUNT(*) FROM {version} v LEFT JOIN {object} o ON o.id = v.object WHERE o.id IS NULL"
    if number := reader.connection.query(orphans)[0][0]:
        report.add(f"{number} versions belong to no object.")
    for since, until in reader.connection.query("SELECT since, until FROM {span} WHERE since > until"):
        report.add(f"A span ends before it begins: {since} to {until}.")
    for problem in reader.wrong_counts():
        report.add(problem)
    for number in reader.object_ids("1 = 1"):
        report.objects += 1
        depth_before = -1
        for version, depth, json, error in reader.chain(number):
            report.versions += 1
            if problem := _problem(version, depth, depth_before, json, error):
                what = version.object
                report.add(f"{what.kind} {what.namespace}/{what.name} at {version.time}: {problem}.")
            depth_before = depth


def _problem(version: Version, depth: int, depth_before: int, json: bytes | None, error: DamagedVersion | None) -> str:
    if json is None:
        return f"the version is damaged ({error})"
    if depth not in (0, depth_before + 1):
        return f"it is difference {depth} after {depth_before}"
    try:
        meta = _decoder.decode(json).metadata
    except msgspec.MsgspecError as invalid:
        return f"it is no object ({invalid})"
    name = version.object
    if (meta.namespace, meta.name) != (name.namespace, name.name):
        return f"it is {meta.namespace}/{meta.name}"
    if meta.uid not in ("", name.uid):
        return f"it has the uid {meta.uid}, not {name.uid}"
    if meta.resource_version not in ("", version.resource_version):
        return f"it has the version {meta.resource_version}, not {version.resource_version}"
    return ""
