"""Detection of Secrets, which have no drafts: the database must not store their values."""

from __future__ import annotations

import re
from collections.abc import Iterator

from dashboard.objects.fields.field_access import Value
from dashboard.objects.manifests.document import DocumentError, parse

SECRETS = "secrets"
NOT_KEPT = "Secrets have no drafts: the text you type is only on this page until you save it."

_KINDS = ("Secret", "SecretList")
_WORD = re.compile(r"(?<![\w.-])Secret(?:List)?(?![\w.-])")
_ESCAPE = re.compile(r"\\[xuU\n]")
"""What may spell any letter in double quotes, or leave out a line break between two."""
_BASE64_TAG = "binary"
_MARKER = re.compile(r"^(?:---|\.\.\.)(?=\s|$)", re.MULTILINE)
_COMMENTS = re.compile(r"(?:[ \t]*(?:#.*)?\n)*[ \t]*(?:#.*)?")
_KIND_LINE = re.compile(r"^kind: +([A-Z]\w*) *$", re.MULTILINE)
_KIND_KEY = re.compile(r"\bkind[\"']? *:")
_DATA_KEY = re.compile(r"\b(?:data|stringData)[\"']? *:")


def holds_secret(text: str) -> bool:
    """Whether a YAML or JSON text, even an unfinished one, has a Secret in one of its documents.

    In doubt it has. A document of another kind may name a Secret further in, as a Gateway does with its certificates;
    one that cannot be read yet may do so where a line says its kind and no Secret's data can be inside.
    """
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    return _may_name_secret(text) and any(map(_is_secret, _MARKER.split(text)))


def _may_name_secret(text: str) -> bool:
    return _WORD.search(text) is not None or _can_hide_words(text)


def _can_hide_words(text: str) -> bool:
    return _ESCAPE.search(text) is not None or ("!" in text and _BASE64_TAG in text)


def _is_secret(document: str) -> bool:
    if not _may_name_secret(document) or _COMMENTS.fullmatch(document):
        return False
    try:
        value = parse(document).value
    except (DocumentError, RecursionError):
        return not _is_another_kind(document)
    kind = value.get("kind")
    if kind in _KINDS or not isinstance(kind, str):
        return True
    return any(kind.endswith("List") or "data" in each or "stringData" in each for each in _named_secrets(value))


def _is_another_kind(unread: str) -> bool:
    """Whether a document that cannot be read yet is surely of another kind, and no Secret is inside."""
    kinds = _KIND_LINE.findall(unread)
    if len(kinds) != 1 or kinds[0] in _KINDS or kinds[0].endswith("List") or _can_hide_words(unread):
        return False
    return len(_KIND_KEY.findall(unread)) == 1 or _DATA_KEY.search(unread) is None


def _named_secrets(value: Value) -> Iterator[dict[str, Value]]:
    """The maps in `value` that name the kind Secret."""
    waiting = [value]
    while waiting:
        each = waiting.pop()
        if isinstance(each, dict):
            if each.get("kind") in _KINDS:
                yield each
            waiting += each.values()
        elif isinstance(each, list):
            waiting += each
