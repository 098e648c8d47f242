"""Addresses of static files: each begins with the version of all of them, so that a browser may keep what it has got.

`/static/<version>/css/parts.css`. The version is made of the names and bytes of every static file, so the same address
never means two different contents, and what files name each other by (`./live/page.js`) stays within one version.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from functools import cached_property
from pathlib import Path
from types import MappingProxyType
from typing import cast

from django.conf import settings
from django.contrib.staticfiles import finders
from django.contrib.staticfiles.storage import StaticFilesStorage, staticfiles_storage

from dashboard.access.joined_files import joined

FOR_GOOD = "public, max-age=31536000, immutable"
"""Of a file under the version that it belongs to."""
NOT_AT_ALL = "no-store"
"""Of a file that was asked for under another version, and of what there is none of."""
ASKED_EACH_TIME = "public, max-age=0"
"""Of an address without a version."""
_VERSIONED = re.compile(r"(?P<version>[0-9a-f]{16})/(?P<name>.+)")


class VersionedStorage(StaticFilesStorage):
    """Gives the addresses, and the files as they were when this process first needed one of them.

    With WHITENOISE_AUTOREFRESH, which is DEBUG, addresses have no version: files change while the process runs.
    """

    def url(self, name: str | None) -> str:
        if name is None or settings.WHITENOISE_AUTOREFRESH:
            return super().url(name)
        return super().url(f"{self.version}/{name}")

    @cached_property
    def contents(self) -> Mapping[str, bytes]:
        """Every file that the finders know, and what is joined of them, by name.

        Each is read once: what is sent is what the version was made of.
        """
        found: dict[str, bytes] = {}
        for finder in finders.get_finders():
            for path, storage in finder.list(None):
                name = "/".join(filter(None, (getattr(storage, "prefix", None), path.replace("\\", "/"))))
                if name not in found:
                    found[name] = Path(storage.path(path)).read_bytes()
        return MappingProxyType(found | joined(found))

    @cached_property
    def version(self) -> str:
        """Sixteen hexadecimal digits, the same in every process that has the same files."""
        made = hashlib.sha256()
        for name, content in sorted(self.contents.items()):
            made.update(f"{len(name)} {name} {len(content)} ".encode() + content)
        return made.hexdigest()[:16]


def versioned_storage() -> VersionedStorage:
    """The one that templates ask."""
    return cast("VersionedStorage", staticfiles_storage)


def parted(name: str) -> tuple[str, str]:
    """An address behind STATIC_URL as the name of a file, and for how long an answer may be kept.

    A page and its files can come from processes of two versions while one gives way to the other. A file asked for
    under another version is the one that is here: better than a page without styles. It is kept by nobody.
    """
    found = _VERSIONED.fullmatch(name)
    if found is None:
        return name, ASKED_EACH_TIME
    own = not settings.WHITENOISE_AUTOREFRESH and found["version"] == versioned_storage().version
    return found["name"], FOR_GOOD if own else NOT_AT_ALL
