"""A whole Deltaboard in a process of its own, whose users a proxy names and whose cluster does not answer."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from tests.support.program import Program

USER_HEADER = "X-Test-User"


@contextmanager
def web_program(folder: Path, **settings: str) -> Iterator[str]:
    """Its address, while it runs with these settings. Its files are in `folder`."""
    kubeconfig = folder / "kubeconfig"
    server = {"name": "c", "cluster": {"server": "https://127.0.0.1:1"}}
    context = {"name": "c", "context": {"cluster": "c", "user": "u"}}
    user = {"name": "u", "user": {"token": "none"}}
    kubeconfig.write_text(
        json.dumps({"clusters": [server], "contexts": [context], "users": [user], "current-context": "c"})
    )
    env = {
        "KUBECONFIG": str(kubeconfig),
        "REDIS_URL": "",
        "DELTABOARD_VAR": str(folder),
        "DATABASE_URL": f"sqlite:///{folder / 'deltaboard.sqlite3'}",
        "DELTABOARD_TRUST_PROXY_USER": USER_HEADER,
        "DELTABOARD_RIGHTS": "account",
        **settings,
    }
    with Program("manage.py", "deltaboard", "--port", "0", env=env) as program:
        program.wait_for(lambda: "Deltaboard is at" in program.output)
        found = re.search(r"http://127\.0\.0\.1:\d+", program.output)
        assert found
        yield found[0]
