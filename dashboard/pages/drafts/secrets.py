"""Secrets, of which no draft is kept: the database is no place for their values."""

from __future__ import annotations

import re

RESOURCE = "secrets"
WORDS = "Drafts of Secrets are not kept: what you type here is nowhere but on this page until you save it."

_BETWEEN = r"""["']?\s*:\s*(?:[!&|>]\S*\s+|\#[^\n]*\n\s*)*["']?"""
"""From a key to its value, in YAML or JSON: quotes, and tags, anchors and comments before the value."""
_SECRET = re.compile(rf"\bkind{_BETWEEN}Secret(?:List)?(?![\w.-])")
_OUTERMOST = re.compile(rf"^[\"']?kind{_BETWEEN}(\w+)", re.MULTILINE)
_DOCUMENTS = re.compile(r"^---", re.MULTILINE)


def holds_secret(text: str) -> bool:
    """Whether a YAML or JSON text, also an unfinished one, makes a Secret in one of its documents.

    In doubt it does: only a document that begins a line with another kind may name a Secret further in, as a Gateway
    does with its certificates.
    """
    return "Secret" in text and any(map(_is_secret, _DOCUMENTS.split(text)))


def _is_secret(document: str) -> bool:
    if not _SECRET.search(document):
        return False
    kinds = _OUTERMOST.findall(document)
    return not kinds or any(kind == "Secret" or kind.endswith("List") for kind in kinds)
