"""Static files that go to the browser as one: a page that has nothing yet waits for each file it asks for.

Thirty small files are as few bytes as three large ones, but the browser, the network and this server handle each of
them, and that comes before the first paint. Scripts are joined where none of them is a module.
"""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

JOINED: Mapping[str, tuple[str, ...]] = MappingProxyType(
    {
        "css/page.css": ("css/deltaboard.css", "css/parts.css", "css/frame.css", "css/pages.css"),
        "css/editor.css": ("css/edits.css", "css/edit_form.css"),
        "js/page.js": (
            "vendor/htmx.org/htmx.min.js",
            "vendor/htmx.org/hx-ws.min.js",
            "js/place.js",
            "js/theme.js",
            "js/copy.js",
            "js/keys.js",
            "js/hold.js",
            "js/aloud.js",
            "js/palette.js",
            "js/moments.js",
            "js/freshness.js",
            "js/navigation.js",
            "js/namespaces.js",
        ),
        "js/list.js": (
            "js/filter.js",
            "js/steady.js",
            "js/drawer.js",
            "js/columns.js",
            "js/complete.js",
            "js/selection.js",
            "js/repeat.js",
        ),
    }
)
"""By the name under which they go, the files in the order in which a page needs them."""


def joined(contents: Mapping[str, bytes]) -> dict[str, bytes]:
    """Each of JOINED whose files are all in `contents`."""
    return {
        name: b"\n".join(_part(part, contents[part]) for part in parts)
        for name, parts in JOINED.items()
        if all(part in contents for part in parts)
    }


def _part(name: str, content: bytes) -> bytes:
    """A script that fails while it is loaded is told of and leaves those after it alone, as if it went by itself.

    In a block, so what it declares for others is a `var`, as htmx does.
    """
    return b"try {\n" + content + b"\n} catch (error) { reportError(error); }" if name.endswith(".js") else content
