"""A shell of the demo cluster: it says that it is a demo, and answers a few commands from what the pod's object says.

It edits a line as a terminal driver does: echo, backspace, Ctrl-C, Ctrl-U and Ctrl-D.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Callable, Mapping, Sequence
from datetime import UTC, datetime
from typing import Any

BANNER = (
    "This is a terminal of Deltaboard's demo cluster. No container runs behind it.\r\n"
    "A few commands are answered from the pod's object: type help.\r\n"
)
SHELLS = frozenset({"sh", "bash", "ash", "dash", "/bin/sh", "/bin/bash", "/bin/ash"})
NOT_FOUND = 127
_INTERRUPTED = 130
_KEYS = re.compile(r"\x1b(\[[0-9;]*[A-Za-z~]|O[A-Z])")
"""Arrow and function keys, as a terminal sends them."""
_MAX_LINE = 4_096
COMMANDS = ("cat", "clear", "date", "echo", "env", "exit", "help", "hostname", "ls", "ps", "pwd", "whoami")
_FILES = ("bin", "dev", "etc", "home", "proc", "root", "tmp", "usr", "var")


class DemoShell:
    """One session; `feed` it what is typed. `exit_code` is None until it has ended."""

    def __init__(self, pod: Mapping[str, Any], container: str, now: Callable[[], float]) -> None:
        self.exit_code: int | None = None
        self._pod = pod
        self._container: Mapping[str, Any] = next(
            (each for each in pod["spec"].get("containers") or () if each["name"] == container), {}
        )
        self._now = now
        self._line = ""
        self._last_code = 0

    def begin(self) -> str:
        """What it shows before anything is typed."""
        return f"{BANNER}{self._prompt}"

    def feed(self, text: str) -> str:
        """What it shows for what is typed."""
        shown = ""
        for character in _KEYS.sub("", text):
            if self.exit_code is not None:
                break
            shown += self._key(character)
        return shown

    def run(self, arguments: Sequence[str]) -> tuple[str, int]:
        """Output and exit code of one command; lines end with a line feed alone."""
        if not arguments:
            return "", self._last_code
        name, rest = arguments[0], list(arguments[1:])
        if name == "echo":
            return f"{self._last_code if rest == ['$?'] else ' '.join(rest)}\n", 0
        if name == "cat" and rest != ["/etc/hostname"]:
            return f"cat: can't open '{' '.join(rest)}': No such file or directory\n", 1
        output = self._outputs().get(name)
        if output is None:
            return f"sh: {name}: not found (this is the demo cluster: type help)\n", NOT_FOUND
        return output, 0

    def _outputs(self) -> dict[str, str]:
        """What commands write whose arguments do not matter."""
        name = f"{self._pod['metadata']['name']}\n"
        program = str(self._container.get("image") or "app").rpartition("/")[2].partition(":")[0]
        return {
            "cat": name,  # of /etc/hostname
            "clear": "\x1b[H\x1b[2J",
            "date": f"{datetime.fromtimestamp(self._now(), UTC):%a %b %e %H:%M:%S UTC %Y}\n",
            "env": "".join(f"{name}={value}\n" for name, value in self._environment().items()),
            "help": f"This demo answers: {' '.join(COMMANDS)}\nOn a real cluster this is the container's own shell.\n",
            "hostname": name,
            "ls": f"{'  '.join(_FILES)}\n",
            "ps": f"PID   USER     COMMAND\n    1 app      /{program}\n   42 root     sh\n",
            "pwd": "/\n",
            "whoami": "root\n",
        }

    def _environment(self) -> dict[str, str]:
        own = {each["name"]: each.get("value", "") for each in self._container.get("env") or ()}
        return {"HOSTNAME": self._pod["metadata"]["name"], "PWD": "/", "TERM": "xterm-256color", **own}

    @property
    def _prompt(self) -> str:
        return f"{self._pod['metadata']['name']}:/# "

    def _key(self, character: str) -> str:
        if character in "\r\n":
            line, self._line = self._line, ""
            return f"\r\n{self._enter(line)}"
        if character == "\x03":
            self._line, self._last_code = "", _INTERRUPTED
            return f"^C\r\n{self._prompt}"
        if character == "\x04":
            return self._enter("exit") if not self._line else ""
        if character in "\x7f\b":
            had, self._line = self._line, self._line[:-1]
            return "\b \b" if had else ""
        if character == "\x15":
            had, self._line = self._line, ""
            return "\b \b" * len(had)
        if not character.isprintable() or len(self._line) >= _MAX_LINE:
            return ""
        self._line += character
        return character

    def _enter(self, line: str) -> str:
        try:
            arguments = shlex.split(line)
        except ValueError:
            return f"sh: a quote does not end\r\n{self._prompt}"
        if arguments[:1] == ["exit"]:
            code = arguments[1] if len(arguments) > 1 else str(self._last_code)
            self.exit_code = int(code) % 256 if code.isdecimal() else 2
            return "exit\r\n"
        output, self._last_code = self.run(arguments)
        return output.replace("\n", "\r\n") + self._prompt
