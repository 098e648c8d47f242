"""Form data of an editor page: button, text, base, answers to conflicts,."""

from __future__ import annotations

import json
from base64 import urlsafe_b64decode, urlsafe_b64encode
from collections.abc import Mapping
from dataclasses import dataclass, replace
from enum import StrEnum

from dashboard.objects.fields.field_access import ItemKey, Path, Segment
from dashboard.objects.fields.json_input import read_json
from dashboard.objects.manifests.document import DocumentError, parse
from dashboard.objects.merge.three_way import Side
from dashboard.objects.problems.write_refusal import Refusal, unreadable_refusal
from dashboard.objects.schemas.schema import Schema
from dashboard.pages.forms import apply_form, input_names
from dashboard.pages.writes.editable_part import Base
from dashboard.pages.writes.outcomes import Refused, Submission
from dashboard.runtime.thread_pools import run_in_thread_if_large

CHOICE = "choice."
MAX_BASE = 8 * 1024 * 1024
"""Characters of an object in JSON with its escapes; the API server stores far smaller ones."""


class Button(StrEnum):
    """Names of the buttons, in the order in which they count where a form sends several."""

    SAVE = "save"
    CREATE = "create"
    REVIEW = "review"
    RECREATE = "recreate"
    TAKE_THEIRS = "take"
    ADOPT = "adopt"
    CHANGE = input_names.CHANGE
    """A button of the form: it adds or removes an item, or opens a field."""
    EDIT = "edit"
    """Back to the editor; also where a form sends none."""


@dataclass(frozen=True, slots=True)
class EditForm:
    """The posted form of an edit page."""

    button: Button
    text: str
    """The YAML, without the form's input."""
    submission: Submission | None
    """None where the base is missing, so that nothing can be compared."""


async def read_form(post: Mapping[str, str]) -> EditForm:
    """The posted form."""
    button = next((button for button in Button if button in post), Button.EDIT)
    return EditForm(button, submitted_text(post), await read_submission(post))


async def fill_text(draft: Submission, schema: Schema, fields: dict[str, str]) -> Submission | Refused:
    """The draft with the form's input written into its text."""
    try:
        document = await run_in_thread_if_large(parse, draft.text, size=len(draft.text))
        document, problems = await run_in_thread_if_large(apply_form, schema, document, fields, size=len(draft.text))
    except DocumentError as error:
        return Refused(draft, unreadable_refusal(error))
    filled = replace(draft, text=document.text)
    return Refused(filled, Refusal(problems, 422, "The form has errors")) if problems else filled


def submission_of(post: Mapping[str, str]) -> Submission | None:
    """The posted draft; None where its base is missing."""
    base = _base(post)
    if base is None:
        return None
    return Submission(submitted_text(post), base, _choices(post), post.get("seen", ""))


async def read_submission(post: Mapping[str, str]) -> Submission | None:
    """As `submission_of`, in a thread where the object is large."""
    return await run_in_thread_if_large(submission_of, post, size=len(post.get("base", "")))


def submitted_text(post: Mapping[str, str]) -> str:
    """The typed YAML, with LF line breaks."""
    return post.get("yaml", "").replace("\r\n", "\n").replace("\r", "\n")


def dump_base(base: Base) -> str:
    """The value of ``base`` that `submission_of` parses."""
    return json.dumps(base.value, separators=(",", ":"), ensure_ascii=True)


def parse_base(uid: str, version: str, text: str) -> Base | None:
    """The base from `dump_base`; None where it is malformed."""
    return _base({"base_uid": uid, "base_version": version, "base": text})


def choice_name(path: Path) -> str:
    """The name of a conflict's inputs: letters and digits only, because browsers change quotes in names."""
    text = json.dumps([{"key": segment.fields} if isinstance(segment, ItemKey) else segment for segment in path])
    return CHOICE + urlsafe_b64encode(text.encode()).decode().rstrip("=")


def _base(post: Mapping[str, str]) -> Base | None:
    uid, version = post.get("base_uid", ""), post.get("base_version", "")
    text = post.get("base", "")
    values = read_json(text) if len(text) <= MAX_BASE else None
    if not uid or not version or values is None or not isinstance(values[0], dict):
        return None
    return Base(uid, version, values[0])


def _choices(post: Mapping[str, str]) -> dict[Path, Side]:
    choices: dict[Path, Side] = {}
    for name, side in post.items():
        path = _path(name.removeprefix(CHOICE)) if name.startswith(CHOICE) else None
        if path is not None and side in ("theirs", "mine"):
            choices[path] = "theirs" if side == "theirs" else "mine"
    return choices


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
