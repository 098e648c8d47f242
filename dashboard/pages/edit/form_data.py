"""What a page of the editor sends back: text, base, answers to conflicts, and the mark that it was reviewed."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping

from django.core import signing
from django.utils.crypto import constant_time_compare

from dashboard.edits.beside import Beside
from dashboard.edits.editable import Base, Target, fingerprint
from dashboard.edits.fields import ItemKey, Path, Segment
from dashboard.edits.json_text import read_json
from dashboard.edits.loop import off_loop
from dashboard.edits.merge import Side
from dashboard.edits.outcomes import Draft

CHOICE = "choice."
_SIGNER = signing.Signer(salt="dashboard.edits.reviewed")


def draft_of(post: Mapping[str, str]) -> Draft | None:
    """The draft that was sent; None where it lacks what it began with, so that nothing can be compared."""
    base = _base(post)
    if base is None:
        return None
    return Draft(text_of(post), base, _choices(post), post.get("seen", ""))


async def sent_draft(post: Mapping[str, str]) -> Draft | None:
    """As `draft_of`, without holding up the event loop for an object that is large."""
    return await off_loop(draft_of, post, size=len(post.get("base", "")))


def text_of(post: Mapping[str, str]) -> str:
    """The YAML as it was typed, with LF line breaks."""
    return post.get("yaml", "").replace("\r\n", "\n").replace("\r", "\n")


def base_json(base: Base) -> str:
    """What `draft_of` reads in ``base``."""
    return json.dumps(base.value, separators=(",", ":"), ensure_ascii=True)


def base_of(uid: str, version: str, text: str) -> Base | None:
    """The base that `base_json` wrote; None where it is none."""
    return _base({"base_uid": uid, "base_version": version, "base": text})


def choice_name(path: Path) -> str:
    """The name of a conflict's inputs: letters and digits only, because browsers change quotes in names."""
    text = json.dumps([{"key": segment.fields} if isinstance(segment, ItemKey) else segment for segment in path])
    return CHOICE + urlsafe_b64encode(text.encode()).decode().rstrip("=")


def reviewed_mark(target: Target, draft: Draft, purpose: str, beside: Beside) -> str:
    """Says that this very text was shown compared with this very state, and what would be stored `beside` it."""
    return _SIGNER.sign_object([_what(target, draft, purpose), dict(beside)], compress=True)


def seen_beside(target: Target, draft: Draft, purpose: str, mark: str) -> Beside | None:
    """What a review showed beside the text; None where `mark` was not made by `reviewed_mark` for the same things."""
    try:
        what, beside = _SIGNER.unsign_object(mark)
    except (signing.BadSignature, ValueError):
        return None
    return dict(beside) if constant_time_compare(what, _what(target, draft, purpose)) else None


def _what(target: Target, draft: Draft, purpose: str) -> str:
    return fingerprint([purpose, target.edit_href, draft.text, draft.base.uid, draft.base.fingerprint])


def _base(post: Mapping[str, str]) -> Base | None:
    uid, version = post.get("base_uid", ""), post.get("base_version", "")
    found = read_json(post.get("base", ""))
    if not uid or not version or found is None or not isinstance(found[0], dict):
        return None
    return Base(uid, version, found[0])


def _choices(post: Mapping[str, str]) -> dict[Path, Side]:
    found: dict[Path, Side] = {}
    for name, side in post.items():
        path = _path(name.removeprefix(CHOICE)) if name.startswith(CHOICE) else None
        if path is not None and side in ("theirs", "mine"):
            found[path] = "theirs" if side == "theirs" else "mine"
    return found


def _path(text: str) -> Path | None:
    try:
        segments = json.loads(urlsafe_b64decode(text + "=" * (-len(text) % 4)))
        return tuple(map(_segment, segments)) if isinstance(segments, list) else None
    except (ValueError, TypeError, KeyError, RecursionError):
        return None


def _segment(value: object) -> Segment:
    if isinstance(value, str | int):
        return value
    if isinstance(value, dict):
        fields = tuple((str(name), key) for name, key in value["key"])
        if not any(isinstance(key, dict | list) for _, key in fields):
            return ItemKey(fields)
    raise ValueError(value)
