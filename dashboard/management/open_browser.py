"""Opening of an address in the user's browser, where the machine has a display."""

from __future__ import annotations

import os
import sys
import threading
import webbrowser
from collections.abc import Mapping


def open_browser(address: str, environ: Mapping[str, str] = os.environ) -> bool:
    """Open `address` in the user's browser, without waiting for it. Returns whether there is one.

    Without a display none is started: `webbrowser` would take the terminal for one that shows text. BROWSER names
    another one, as for other programs.
    """
    has_display = sys.platform in ("win32", "darwin") or environ.get("DISPLAY") or environ.get("WAYLAND_DISPLAY")
    if not (has_display or environ.get("BROWSER")):
        return False
    try:
        browser = webbrowser.get()
    except webbrowser.Error:
        return False
    threading.Thread(target=browser.open, args=(address,), name="browser", daemon=True).start()
    return True
