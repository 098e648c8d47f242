"""Samples that projects ship, read from a folder of YAML files (DELTABOARD_SAMPLES), by API group and kind.

The folder is looked at for each page, and a file is read again when it has changed: ConfigMaps are replaced while
Deltaboard runs.
"""

from __future__ import annotations

import logging
import os
import stat
import threading
from collections.abc import Collection, Iterator
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from dashboard.objects.fields.field_access import ABSENT, put
from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.manifests.rewrite_in_place import rewrite
from dashboard.objects.manifests.yaml_writer import to_yaml
from dashboard.pages.create.many.manifests import Manifest, manifests_in, split_text
from informerd.resource import Resource

logger = logging.getLogger(__name__)

MAX_FILES = 500
"""Maximum files of the folder, those below it included; the first by name count."""
MAX_FILE_BYTES = 256 * 1024
MAX_TOTAL_BYTES = 8 * 1024 * 1024
"""Maximum bytes of all files; those beyond it are left out."""
MAX_OBJECTS = 50
"""Maximum objects of one file: its documents, and the items of those that are lists."""
MAX_OFFERED = 20
"""Maximum samples that a page offers."""
SUFFIXES = (".yaml", ".yml", ".json")

_Version = tuple[int, int, int]


@dataclass(frozen=True, slots=True)
class SampleFile:
    """One object of a file."""

    name: str
    """``issuer.yaml``, ``acme/issuer.yaml#2`` for the second object: what the page says and its address has."""
    group: str
    kind: str
    api_version: str
    text: str

    def text_for(self, resource: Resource, namespace: str, allowed: Collection[str] = ()) -> str:
        """The text for a page of the kind: with the version that is served there, and in this namespace (empty: in
        none), or in its own, where that is one of those `allowed`. Comments stay.
        """
        document = parse(self.text)
        value = put(document.value, ("apiVersion",), resource.api_version)
        metadata = value.get("metadata")
        if isinstance(metadata, dict) or namespace:
            inside = metadata if isinstance(metadata, dict) else {}
            own = inside.get("namespace")
            namespace = own if isinstance(own, str) and own in allowed else namespace
            value = put(value, ("metadata",), put(inside, ("namespace",), namespace or ABSENT))
        return rewrite(document, value)


@dataclass(frozen=True, slots=True)
class _ReadFile:
    version: _Version
    samples: tuple[SampleFile, ...]


class SampleFolder:
    """The samples of one folder. May be used by several threads."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._lock = threading.Lock()
        self._read: dict[str, _ReadFile] = {}
        self._logged: dict[str, tuple[_Version | None, str]] = {}

    def samples_of(self, resource: Resource) -> tuple[SampleFile, ...]:
        """The samples of a kind, those of its own version first, at most MAX_OFFERED. Never raises: a file that cannot
        be used is left out, and named in the log, once until it changes.
        """
        with self._lock:
            self._refresh()
            found = [
                sample
                for file in self._read.values()
                for sample in file.samples
                if (sample.group, sample.kind) == (resource.group, resource.kind)
            ]
        return tuple(sorted(found, key=lambda each: each.api_version != resource.api_version)[:MAX_OFFERED])

    def _refresh(self) -> None:
        read: dict[str, _ReadFile] = {}
        total = 0
        for path in self._paths():
            name = path.relative_to(self._folder).as_posix()
            try:
                status = path.stat()
                version = (status.st_mtime_ns, status.st_size, status.st_ino)
                total += status.st_size
                if not stat.S_ISREG(status.st_mode):
                    self._log(name, version, "is no file")
                elif status.st_size > MAX_FILE_BYTES or total > MAX_TOTAL_BYTES:
                    self._log(name, version, f"is beyond the limits: {MAX_FILE_BYTES} bytes, {MAX_TOTAL_BYTES} in all")
                else:
                    before = self._read.get(name)
                    is_same = before is not None and before.version == version
                    read[name] = before if before is not None and is_same else self._read_file(path, name, version)
            except OSError as error:
                self._log(name, None, f"cannot be read: {error.strerror}")
        self._read = read

    def _paths(self) -> list[Path]:
        """The files, by name; hidden ones are those by which a ConfigMap is replaced at once."""
        paths: list[Path] = []

        def fail(error: OSError) -> None:
            self._log(str(error.filename), None, f"cannot be read: {error.strerror}")

        for folder, folders, files in os.walk(self._folder, onerror=fail):
            folders[:] = sorted(name for name in folders if not name.startswith("."))
            names = (name for name in sorted(files) if name.endswith(SUFFIXES) and not name.startswith("."))
            paths += [Path(folder, name) for name in names]
            if len(paths) > MAX_FILES:
                self._log(str(self._folder), None, f"has more than {MAX_FILES} files: the others are left out")
                break
        return paths[:MAX_FILES]

    def _read_file(self, path: Path, name: str, version: _Version) -> _ReadFile:
        samples: list[SampleFile] = []
        left_out: list[str] = []
        number = 0
        try:
            with path.open("rb") as file:
                text = file.read(MAX_FILE_BYTES + 1)[:MAX_FILE_BYTES].decode()
            for number, manifest in enumerate(_manifests(text), 1):
                if number > MAX_OBJECTS:
                    left_out.append(f"has more than {MAX_OBJECTS} objects: the others are left out")
                    break
                sample = _sample(f"{name}#{number}" if number > 1 else name, manifest)
                if isinstance(sample, SampleFile):
                    samples.append(sample)
                else:
                    left_out.append(f"object {number}, from line {manifest.line}, is left out: {sample}")
        except (DocumentError, UnicodeDecodeError, RecursionError) as error:
            left_out.append(f"is left out from object {number + 1} on: {error}")
        if left_out:
            self._log(name, version, "; ".join(left_out))
        return _ReadFile(version, tuple(samples))

    def _log(self, name: str, version: _Version | None, words: str) -> None:
        if self._logged.get(name) != (version, words):
            self._logged[name] = (version, words)
            logger.warning("DELTABOARD_SAMPLES: %s %s", name, words)


@lru_cache(maxsize=8)
def sample_folder(folder: str) -> SampleFolder:
    """The folder's samples, kept between pages."""
    return SampleFolder(Path(folder))


def _manifests(text: str) -> Iterator[Manifest]:
    for offset, chunk in split_text(text.replace("\r\n", "\n")):
        yield from manifests_in(chunk, offset)


def _sample(name: str, manifest: Manifest) -> SampleFile | str:
    """The sample, or why the object is none."""
    if manifest.refusal is not None:
        return " ".join(problem.words for problem in manifest.refusal.problems)
    value = manifest.value
    api_version, kind = value.get("apiVersion"), value.get("kind")
    if not isinstance(api_version, str) or not isinstance(kind, str):
        return "it has no apiVersion and kind"
    if manifest.document is None or manifest.path:
        text = to_yaml(value)
    else:
        text = manifest.document.text.removeprefix("---\n").strip("\n") + "\n"
    return SampleFile(name, api_version.rpartition("/")[0], kind, api_version, text)
