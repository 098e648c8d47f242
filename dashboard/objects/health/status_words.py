"""Words of phases and states whose meaning does not depend on the kind. Any other word has no verdict."""

from __future__ import annotations

import re

from dashboard.objects.fields.text_limit import limit_text
from dashboard.objects.health.health import Health
from dashboard.objects.kinds.row import Row, Tone

MAX_REASON = 80
"""Most characters of a reason beside a status word."""

_BY_TONE: dict[Tone, str] = {
    "ok": "active applied attached available bound connected deployed enabled established healthy installed normal ok "
    "online operational provisioned ready running serving synced up",
    "idle": "complete completed disabled done finished hibernated inactive paused stopped succeeded success suspended "
    "terminated",
    "busy": "bootstrapping creating deleting deploying inprogress initializing installing issuing joining pending "
    "processing progressing provisioning queued reconciling restarting restoring rollingout scaling scalingdown "
    "scalingup scheduled starting stopping syncing terminating uninstalling updating upgrading waiting",
    "warn": "outofsync partial partiallyready unknown unstable warning",
    "bad": "aborted crashed crashloopbackoff degraded denied down error errored failed failing failure invalid lost "
    "missing notready offline rejected stalled timedout timeout unavailable unhealthy",
}
_TONES: dict[str, Tone] = {word: tone for tone, words in _BY_TONE.items() for word in words.split()}
WORD = re.compile(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+|[0-9]+")
"""One word of a name such as ``NotReady``."""
_SEPARATORS = str.maketrans("", "", " -_")


def tone_of_word(word: str) -> Tone | None:
    """The tone of a word such as ``Running`` or ``NOT_READY``, in upper or lower case; None where it is not known."""
    return _TONES.get(word.translate(_SEPARATORS).lower()) if len(word) <= 32 else None


def unsaid_reason(word: str, tone: Tone, reason: str) -> str:
    """The reason of an unhealthy object whose status word says that all is well: of a pod that is Running and not
    ready. Empty where the word says that something is wrong, and of healthy objects.
    """
    return reason if tone in ("warn", "bad") and tone_of_word(word) in ("ok", "idle") else ""


def status_text(row: Row) -> str:
    """Its status word, with the reason where the word does not say it: ``Running, not ready: app is not ready``."""
    reason = unsaid_reason(row.status, row.tone, row.reason)
    return f"{row.status}, {limit_text(reason, MAX_REASON)}" if reason else row.status


def judge_word(word: str, message: str = "", since: float | None = None) -> Health | None:
    """The health that a phase or state says; None where the word is not known."""
    tone = tone_of_word(word)
    if tone is None:
        return None
    if tone in ("ok", "idle"):
        return Health(word, tone)
    says = f"{word.lower()}: {message}" if message else word.lower() if tone in ("warn", "bad") else ""
    return Health(word, tone, says, since)


def spaced(name: str) -> str:
    """``NotReady`` as ``not ready``; names of more than 80 characters stay as they are."""
    return " ".join(WORD.findall(name)).lower() if len(name) <= 80 else name
