"""Shells that a terminal offers, as commands for a container."""

from __future__ import annotations

import shlex
from collections.abc import Mapping
from types import MappingProxyType

DEFAULT_SHELL = "auto"
OTHER = "other"
"""The choice of a command that somebody types."""
MAX_COMMAND = 2_000
"""Most characters of a typed command."""
_TERM = "TERM=xterm-256color; export TERM; "
SHELLS: Mapping[str, tuple[str, tuple[str, ...]]] = MappingProxyType({
    DEFAULT_SHELL: ("bash, else sh", ("sh", "-c", f"{_TERM}command -v bash >/dev/null && exec bash; exec sh")),
    "bash": ("bash", ("bash",)),
    "sh": ("sh", ("sh",)),
    "powershell": ("PowerShell", ("powershell.exe",)),
    "cmd": ("cmd.exe", ("cmd.exe",)),
})  # fmt: skip
"""By its name, a shell's title and command."""


class BadCommand(ValueError):
    """The command cannot be started; the message is a sentence for users."""


def command_of(shell: str, typed: str = "") -> tuple[str, ...]:
    """The command of a choice. Raises BadCommand for an unknown shell, and for a typed command that is empty, too long,
    or has a quote that does not end.
    """
    if shell in SHELLS:
        return SHELLS[shell][1]
    if shell != OTHER:
        raise BadCommand(f"There is no shell “{shell[:40]}”. Choose one from the list.")
    if len(typed) > MAX_COMMAND:
        raise BadCommand(f"The command is longer than {MAX_COMMAND:,} characters. Start a shell, and paste it there.")
    try:
        words = tuple(shlex.split(typed))
    except ValueError:
        raise BadCommand("The command has a quote that does not end. Close it, or leave it out.") from None
    if not words:
        raise BadCommand("Type a command, such as: redis-cli ping")
    return words
