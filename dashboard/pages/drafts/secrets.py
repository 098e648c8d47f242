"""Detection of Secrets, which have no drafts: the database must not store their values."""

from __future__ import annotations

import re

SECRETS = "secrets"
NOT_KEPT = "Secrets have no drafts: the text you type is only on this page until you save it."

_BETWEEN = r"""["']?\s*:\s*(?:[!&|>]\S*\s+|\#[^\n]*\n\s*)*["']?"""
"""Between a key and its value, in YAML or JSON: quotes, and tags, anchors and comments before the value."""
_SECRET = re.compile(rf"\bkind{_BETWEEN}Secret(?:List)?(?![\w.-])")
_OUTERMOST = re.compile(rf"^[\"']?kind{_BETWEEN}(\w+)", re.MULTILINE)
_DOCUMENTS = re.compile(r"^---", re.MULTILINE)


def holds_secret(text: str) -> bool:
    """Whether a YAML or JSON text, even an unfinished one, has a Secret in one of its documents.

    In doubt it has: only a document that starts a line with another kind may name a Secret further in, as a Gateway
    does with its certificates.
    """
    return "Secret" in text and any(map(_is_secret, _DOCUMENTS.split(text)))


def _is_secret(document: str) -> bool:
    if not _SECRET.search(document):
        return False
    kinds = _OUTERMOST.findall(document)
    return not kinds or any(kind == "Secret" or kind.endswith("List") for kind in kinds)
