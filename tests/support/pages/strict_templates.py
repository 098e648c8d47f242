"""Strict templates: a name that a template reads and that no object has fails the test.

Django renders such a name as nothing, and ``{% if %}`` takes it for false: an attribute that was renamed in Python and
not in a template would go unnoticed.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType, SimpleNamespace
from typing import Any

from django.template import VariableDoesNotExist
from django.template.base import Variable
from django.template.context import BaseContext

OPTIONAL = MappingProxyType(
    {
        "base.html": {
            "budgets",
            "changed",
            "confirmation",
            "drawer",
            "is_unreviewed",
            "moved",
            "notices",
            "problem",
            "redirects",
            "refusal",
            "title",
        },
        "bulk/_item_name.html": {"after"},
        "bulk/_progress.html": {"can_retry", "changed", "drifted", "failed", "gone", "refused", "same", "typed_name"},
        "delete/_dependents.html": {"includes_unwatched", "unwatched_contents"},
        "delete/_dry_run.html": {"dry_run_refusal"},
        "delete/_used_by.html": {"search_note"},
        "edit/_their_changes.html": {"is_gone"},
        "error.html": {"exception", "request", "text", "too_long", "too_much"},
        "feed/_burst.html": {"is_nested"},
        "feed/_entry.html": {"is_nested"},
        "lists/_drawer.html": {"drawer"},
        "lists/_filter_problems.html": {"applied_filter", "is_fragment"},
        "lists/_list.html": {"columns", "sorts"},
        "writes/_problems.html": {"draft", "refusal", "typing"},
        "writes/_retry_countdown.html": {"text"},
        "writes/_scripts.html": {"compare"},
        "writes/_yaml_editor.html": {"checked", "schema_refusal", "several", "target", "title"},
    }
)
"""Names that only some of the contexts of a template have; those of its pages stand with base.html."""
unresolved: list[str] = []
"""Names that templates of this process have not found, with the template."""
_Variable: Any = Variable
_resolve_lookup = _Variable._resolve_lookup


def record_unresolved_names() -> None:
    """Have every failed lookup of a template in this process added to `unresolved`."""

    def resolve(self: Variable, context: Any) -> Any:
        try:
            return _resolve_lookup(self, context)
        except VariableDoesNotExist as error:
            name, holder = error.params
            template = context.render_context.template.name
            if not _may_be_absent(template, str(name), holder):
                unresolved.append(f"{template}: {self.var} ({type(holder).__name__})")
            raise

    _Variable._resolve_lookup = resolve


def _may_be_absent(template: str, name: str, holder: object) -> bool:
    """Whether a template may ask in vain: for an optional name, a key of a mapping, or an attribute of nothing.

    The samples of tests have some attributes only; they are SimpleNamespaces.
    """
    if isinstance(holder, BaseContext):
        return name in OPTIONAL.get(template, ())
    return holder is None or isinstance(holder, Mapping | SimpleNamespace)
