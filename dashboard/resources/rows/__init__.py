"""Rows: how one object of each kind becomes a line of a list.

One module a family of kinds; `registry` finds the right one by key. What others use is named here.
"""

from dashboard.resources.rows.changes import Told, change_words
from dashboard.resources.rows.column import Column
from dashboard.resources.rows.events import about_of
from dashboard.resources.rows.printed import printed_shape
from dashboard.resources.rows.registry import (
    build_row,
    columns_for,
    default_sort,
    describe,
    needs_description,
    projection_for,
)
from dashboard.resources.rows.secrets import mask_secret
from dashboard.resources.rows.shape import Shape
from dashboard.resources.rows.wrong import is_wrong, wrong_span

__all__ = [
    "Column",
    "Shape",
    "Told",
    "about_of",
    "build_row",
    "change_words",
    "columns_for",
    "default_sort",
    "describe",
    "is_wrong",
    "mask_secret",
    "needs_description",
    "printed_shape",
    "projection_for",
    "wrong_span",
]
