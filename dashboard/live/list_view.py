"""The view of a list: one kind, filtered, sorted and cut to a window of rows.

Templates see it as ``view``. Ids that frames aim at: ``#list`` carries data-view and data-seq; ``#total-<view.id>``
(text), ``#facets-<view.id>`` (resources/_facets.html, which has that element as its root), ``tbody#rows-<view.id>``
(resources/_row.html for each line, which sees ``line``), ``#pager-<view.id>`` (resources/_pager.html, root element).
"""

from __future__ import annotations


class ListView:
    """What `view` is in resources/list.html, _table.html, _row.html, _facets.html and _pager.html.

    id, seq · kind: KindInfo · head: tuple[Head, ...] · lines: tuple[Line, ...] · total: int (matching) · all: int (in
    the kind) · first, last: int (from 1; 0 where there are none) · facets: tuple[FacetCount, ...] · spread:
    tuple[Share, ...] · previous_href, next_href: str (empty at the ends) · query (text, problems, namespaces) ·
    namespaces: tuple[str, ...] that are in the query.
    """
