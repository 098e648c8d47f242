"""Printers, which turn an object of each kind into a row of a list.

There is one module for each family of kinds; `registry` finds the right one by key. This module names the public parts.
"""

from dashboard.objects.printers.change_text import ChangeText, change_text
from dashboard.objects.printers.events import event_subject
from dashboard.objects.printers.printer import Column, Printer
from dashboard.objects.printers.printer_columns import printer_from_columns
from dashboard.objects.printers.registry import (
    build_row,
    columns_for,
    default_sort,
    list_columns,
    needs_columns,
    projection_for,
    register_columns,
)
from dashboard.objects.printers.secret_redaction import mask_secret
from dashboard.objects.printers.unhealthy import is_unhealthy, unhealthy_span
from dashboard.objects.printers.usage_columns import MEASURED_KINDS, NO_CELL, USAGE_KINDS, IndexedColumns

__all__ = [
    "MEASURED_KINDS",
    "NO_CELL",
    "USAGE_KINDS",
    "ChangeText",
    "Column",
    "IndexedColumns",
    "Printer",
    "build_row",
    "change_text",
    "columns_for",
    "default_sort",
    "event_subject",
    "is_unhealthy",
    "list_columns",
    "mask_secret",
    "needs_columns",
    "printer_from_columns",
    "projection_for",
    "register_columns",
    "unhealthy_span",
]
