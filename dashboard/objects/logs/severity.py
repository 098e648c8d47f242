"""Severity of a log line, found in the forms that loggers write: JSON and logfmt fields, klog, words in capitals."""

from __future__ import annotations

import re
from collections.abc import Iterable

import re2

SEVERITIES = ("none", "trace", "debug", "info", "warn", "error", "fatal")
"""By number: a greater one is worse. ``none``: the line does not say."""
NONE, TRACE, DEBUG, INFO, WARN, ERROR, FATAL = range(7)
MAX_JUDGED_BYTES = 512
"""Bytes of a line in which its severity is looked for; a field may stand further back in a line of JSON."""

_WORDS = {
    "trace": TRACE, "finest": TRACE, "finer": TRACE, "verbose": TRACE,
    "debug": DEBUG, "dbg": DEBUG, "fine": DEBUG,
    "info": INFO, "information": INFO, "informational": INFO, "notice": INFO, "log": INFO,
    "warn": WARN, "warning": WARN, "wrn": WARN,
    "error": ERROR, "err": ERROR, "severe": ERROR, "eror": ERROR,
    "fatal": FATAL, "critical": FATAL, "crit": FATAL, "alert": FATAL, "emerg": FATAL, "emergency": FATAL,
    "panic": FATAL, "dpanic": FATAL,
}  # fmt: skip
_KLOG = {b"I": INFO, b"W": WARN, b"E": ERROR, b"F": FATAL}
_PINO = ((60, FATAL), (50, ERROR), (40, WARN), (30, INFO), (20, DEBUG), (10, TRACE))
"""Numbers of pino and bunyan: at least so much."""
_FIELD = r'(?:level|severity|lvl|loglevel|log\.level|levelname|log_level|@level)"?'


def _compiled(pattern: str) -> re2._Regexp:
    options = re2.Options()
    options.log_errors = False
    return re2.compile(pattern.encode(), options)


_FORMS = _compiled(
    r"^([IWEF])\d{4} \d\d:\d\d:\d\d"  # klog
    rf'|(?i:(?:^|[\s{{,"]){_FIELD}\s*[:=]\s*"?([a-z]+|\d+))'  # JSON and logfmt
    r"|(?:^|[\s\[(<|])(TRACE|FINEST|FINER|VERBOSE|DEBUG|DBG|FINE|INFO|NOTICE|WARN|WARNING|WRN|ERROR|ERR|SEVERE|FATAL"
    r"|CRITICAL|CRIT|ALERT|EMERG|PANIC)(?:$|[\s\])>|:,])"
    r"|\[ *(trace|debug|info|notice|warn|warning|error|crit|alert|emerg|fatal) *\]"  # nginx and others
    r"|^(?:\S+ ){0,3}?(?i:(warning|error|fatal|panic)):"
    r"|^(Traceback \(most recent call last\)|Exception in thread|[\w.]+(?:Error|Exception):)"
)
WORDS_OF_SEVERE_LINES = (
    r"warn|wrn|err|eror|severe|fatal|crit|alert|emerg|panic|exception|traceback"
    r"|(?:level\w*|severity|lvl)\W{1,5}(?:[4-9]\d|\d{3,})|(?m:^\S+ (?:\x1b\[[0-9;]*m)*[wef]\d{4} )"
)
"""Expression that is found in every line whose severity is WARN or worse, where case does not matter."""
_ESCAPES = re.compile(rb"\x1b\[[0-9;]*m")
_CONTINUES = (b" ", b"\t", b"Caused by:", b"...", b"}", b")")


def severity_of(text: bytes) -> int:
    """The severity that a line's text says; NONE where it says none."""
    text = text[:MAX_JUDGED_BYTES]
    if b"\x1b" in text:
        text = _ESCAPES.sub(b"", text)
    found = _FORMS.search(text)
    if found is None:
        return NONE
    klog, field, *words, raised = found.groups()
    if klog is not None:
        return _KLOG[klog]
    if raised is not None:
        return ERROR
    word = next((each for each in (field, *words) if each is not None), b"").decode("ascii", "replace").lower()
    if word.isdecimal():
        return next((severity for least, severity in _PINO if int(word) >= least), NONE)
    return _WORDS.get(word, NONE)


def severities_of(texts: Iterable[bytes], before: int = NONE) -> list[int]:
    """The severity of each line of one container, in their order; `before` is that of the line before them.

    A line that continues the one before it, as those of a stack trace do, has the severity of that one.
    """
    found = []
    for text in texts:
        severity = severity_of(text)
        if severity == NONE and before >= WARN and text.startswith(_CONTINUES):
            severity = before
        found.append(severity)
        before = severity
    return found


def severity_named(word: str) -> int | None:
    """The severity of a word such as ``warn`` or ``Warning``; None for another word."""
    return NONE if word.lower() == "none" else _WORDS.get(word.lower())
