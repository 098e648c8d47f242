"""Limit of the files that this process may have open: each connection is one."""

from __future__ import annotations

import resource
from contextlib import suppress


def raise_open_files_limit() -> int:
    """Raise the limit as far as the system lets it be raised, and return it.

    The usual limit of 1,024 is for programs that call select(2) (systemd.exec(5), LimitNOFILE); nothing here does.
    """
    _, most = resource.getrlimit(resource.RLIMIT_NOFILE)
    with suppress(OSError, ValueError):  # some systems have a lower limit of their own
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, most))
    return resource.getrlimit(resource.RLIMIT_NOFILE)[0]
