"""Addresses of static files: each begins with the version of all files, so that a browser may cache it for ever.

`/static/<version>/bundles/page_bundle.css`. The version is a hash of the names and bytes of every static file, so the
same address never means two different contents, and what files name each other by (`../editor/editor.js`) stays within
one version.
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

CACHE_FOREVER = "public, max-age=31536000, immutable"
"""Cache-Control of a file under its own version."""
NO_STORE = "no-store"
"""Cache-Control of a file that was requested under another version, and of a missing one."""
REVALIDATE = "public, max-age=0"
"""Cache-Control of an address without a version."""
_VERSIONED = re.compile(r"(?P<version>[0-9a-f]{16})/(?P<name>.+)")


class VersionedStorage(StaticFilesStorage):
    """Makes the addresses, and keeps the files as they were when this process first needed one of them.

    With WHITENOISE_AUTOREFRESH, which is DEBUG, addresses have no version: files change while the process runs.

    A manifest storage puts a hash into the name of each file. Here it would need `collectstatic` before the first page.
    During an update, a page whose files are requested from a process of the other version would have neither styles
    nor scripts.
    """

    def url(self, name: str | None) -> str:
        if name is None or settings.WHITENOISE_AUTOREFRESH:
            return super().url(name)
        return super().url(f"{self.version}/{name}")

    @cached_property
    def contents(self) -> Mapping[str, bytes]:
        """Every file that the finders know, by name.

        Each is read once, so that the sent bytes are those of the version.
        """
        files: dict[str, bytes] = {}
        for finder in finders.get_finders():
            for path, storage in finder.list(None):
                name = "/".join(filter(None, (getattr(storage, "prefix", None), path.replace("\\", "/"))))
                if name not in files:
                    files[name] = Path(storage.path(path)).read_bytes()
        return MappingProxyType(files)

    @cached_property
    def version(self) -> str:
        """Sixteen hexadecimal digits, the same in every process that has the same files."""
        digest = hashlib.sha256()
        for name, content in sorted(self.contents.items()):
            digest.update(f"{len(name)} {name} {len(content)} ".encode() + content)
        return digest.hexdigest()[:16]


def versioned_storage() -> VersionedStorage:
    """The storage that templates use."""
    return cast("VersionedStorage", staticfiles_storage)


def split_version(name: str) -> tuple[str, str]:
    """The file name in an address below STATIC_URL, and the Cache-Control of its response.

    During an update a page and its files can come from processes of two versions. A file requested under another
    version is answered with this process's file, which is better than a page without styles, and is not cached.
    """
    match = _VERSIONED.fullmatch(name)
    if match is None:
        return name, REVALIDATE
    own = not settings.WHITENOISE_AUTOREFRESH and match["version"] == versioned_storage().version
    return match["name"], CACHE_FOREVER if own else NO_STORE
