"""kubectl command lines that a person copies into a shell: how kubectl is called for this cluster, and what follows.

Names in them are written by others. Each is quoted for a POSIX shell, is never taken for an option, and has no
character that a terminal obeys or that nobody sees.
"""

from __future__ import annotations

import os
import re
import shlex
from collections.abc import Iterable, Sequence
from pathlib import Path

from dashboard.runtime.invisible_characters import INVISIBLE

UNBOUND = "kubectl"
"""The call where none names the cluster: kubectl takes the context that is current in the person's shell."""
_TO_ESCAPE = re.compile(f"[\t\n{INVISIBLE}]")
_NOT_AS_IT_IS = re.compile(f"[\t\n\\\\'!{INVISIBLE}]")
"""Characters that ``$'…'`` writes as bytes; the exclamation mark is history to some shells."""


def kubectl_call(kubeconfigs: Sequence[Path] = (), context: str = "") -> str:
    """``kubectl`` with the files and the context of a cluster; no files mean those that kubectl reads anyway."""
    paths = [os.path.abspath(path) for path in kubeconfigs]  # noqa: PTH100 -- links stay, as in the person's own files
    words = ["--kubeconfig", *paths] if len(paths) == 1 else []
    words += ["--context", context] if context else []
    # --kubeconfig takes one file, the variable takes several
    variable = f"KUBECONFIG={shell_word(os.pathsep.join(paths))} " if len(paths) > 1 else ""
    return f"{variable}kubectl{''.join(f' {shell_word(word)}' for word in words)}"


def kubectl_arguments(
    *words: str, names: Sequence[str] = (), namespace: str = "", options: Sequence[str] = (), pairs: Sequence[str] = ()
) -> str:
    """What follows ``kubectl``: verb and kind, names of objects, the namespace, options, and pairs such as ``a=b``.

    Where a name begins with a dash, all options come first, and ``--`` ends them.
    """
    flags = [*(["-n", namespace] if namespace else []), *options]
    if any(name.startswith("-") for name in names):
        return shell_line([*words, *flags, "--", *names, *pairs])
    return shell_line([*words, *names, *flags, *pairs])


def shell_line(words: Iterable[str]) -> str:
    """The words as one line of a POSIX shell."""
    return " ".join(map(shell_word, words))


def shell_word(text: str) -> str:
    r"""`text` quoted for a POSIX shell, on one line: ``'a b'``, or ``$'a\033b'`` where it has invisible characters."""
    if _TO_ESCAPE.search(text) is None:
        return shlex.quote(text)
    return f"$'{_NOT_AS_IT_IS.sub(_as_bytes, text)}'"


def _as_bytes(match: re.Match[str]) -> str:
    if match[0] in "\n\t":
        return "\\n" if match[0] == "\n" else "\\t"
    return "".join(f"\\{byte:03o}" for byte in match[0].encode(errors="replace"))
