"""Worker and web process of this checkout as a release of the chart runs them: its accounts, its settings."""

from __future__ import annotations

import html
import json
import os
import re
from collections import deque
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import NamedTuple

import requests

from tests.support.controlplane import ControlPlane
from tests.support.e2e.postgresql_database import Database
from tests.support.e2e.production_stack import WITHIN, Web, Worker
from tests.support.e2e.redis_server import RedisServer
from tests.support.edit.form_inputs import Inputs
from tests.support.local_dashboard import ask
from tests.support.program import run_program
from tests.support.wait import until
from tools.chart_files import Json

LINK = re.compile(r'(?:href|hx-get)="(/[^"#]*)')
SERVER, MOUNTED = "https://kubernetes.default.svc", "/var/run/secrets/kubernetes.io/serviceaccount"
"""Where a pod finds the API server, and what is mounted for its account."""
NOT_FOLLOWED = re.compile(r"^/(static|accounts|theme)/|/export\.|\.(csv|json|yaml|ndjson|jsonl|txt)\b")


class Processes(NamedTuple):
    """Both processes, which are ready."""

    worker: Worker
    web: Web


@contextmanager
def release_processes(server: ControlPlane, made: list[Json], namespace: str, folder: Path) -> Iterator[Processes]:
    """One worker and one web process with what is in `made`, the objects of a release that is installed.

    Only where Redis, PostgreSQL and the API server are is said here: the pods' network is not there.
    """
    maps = [each["data"] for each in made if each["kind"] == "ConfigMap"]
    settings = next(data for data in maps if "ALLOWED_HOSTS" in data)
    named = next((data["kubeconfig"] for data in maps if "kubeconfig" in data), None)
    redis, database = RedisServer(folder), Database()
    redis.run()
    database.create()
    env = {
        **settings,
        "REDIS_URL": redis.url,
        "DATABASE_URL": database.url,
        "SECRET_KEY": os.urandom(20).hex(),
        "DELTABOARD_VAR": str(folder),
        "HOME": str(folder),
        "CSRF_TRUSTED_ORIGINS": "",  # there is no TLS
    }
    if "DELTABOARD_TRUST_PROXY_PEERS" in settings:
        env["DELTABOARD_TRUST_PROXY_PEERS"] = "127.0.0.1"

    def env_of(component: str) -> dict[str, str]:
        account = account_of(made, component)
        return {**env, "KUBECONFIG": str(_kubeconfig(server, named, namespace, account, folder / component))}

    worker, web = Worker(env_of("worker")), Web(env_of("web"))
    try:
        migrated = run_program("manage.py", "migrate", "--verbosity", "0", env=dict(web.env))
        assert migrated.returncode == 0, migrated.stderr
        with worker, web:
            until(lambda: ask_or_0(f"{worker.url}/readyz") == 200, within=WITHIN, what="the worker is ready")
            until(lambda: ask_or_0(f"{web.url}/readyz") == 200, within=WITHIN, what="the web process is ready")
            yield Processes(worker, web)
    finally:
        redis.kill()
        database.drop()


def account_of(made: list[Json], component: str) -> str:
    """Name of the service account of worker or web in a release."""
    (account,) = (
        each["spec"]["template"]["spec"]["serviceAccountName"]
        for each in made
        if each["kind"] == "Deployment" and each["metadata"]["labels"]["app.kubernetes.io/component"] == component
    )
    return str(account)


def ask_or_0(url: str) -> int:
    """The status of an answer; 0 where there is none."""
    try:
        return ask(url).status
    except OSError:
        return 0


def _kubeconfig(server: ControlPlane, named: str | None, namespace: str, account: str, mounted: Path) -> Path:
    """A kubeconfig with a token of the account: the one of the release, where it has one for the cluster's name."""
    path = f"/api/v1/namespaces/{namespace}/serviceaccounts/{account}/token"
    mounted.mkdir()
    (mounted / "token").write_text(server.create(path, {"spec": {"expirationSeconds": 3600}})["status"]["token"])
    (mounted / "ca.crt").write_bytes(server.ca_file.read_bytes())
    file = mounted / "kubeconfig"
    if named is not None:
        file.write_text(named.replace(SERVER, server.server).replace(MOUNTED, str(mounted)))
        return file
    text = json.loads(server.kubeconfig.read_text())
    text["users"] = [{"name": "admin", "user": {"tokenFile": str(mounted / "token")}}]
    text["contexts"][0]["context"]["namespace"] = namespace
    file.write_text(json.dumps(text))
    return file


class Visitor:
    """Somebody who opens pages and sends forms, with headers as a proxy sends them."""

    def __init__(self, url: str, headers: dict[str, str]) -> None:
        self._url = url
        self._http = requests.Session()
        self._http.trust_env = False
        self._http.headers.update({"Accept": "text/html", **headers})
        self.opened: list[str] = []

    def get(self, path: str) -> requests.Response:
        """The answer at `path`, redirects followed."""
        return self._http.get(f"{self._url}{path}", timeout=60)

    def crawl(self, *begin: str, most: int) -> None:
        """Open pages, and what they link to, each once, `most` in all."""
        waiting, known = deque(begin), set(begin)
        while waiting and len(self.opened) < most:
            path = waiting.popleft()
            answer = self.get(path)
            assert answer.status_code < 500, f"{path}: {answer.status_code} {answer.text[:500]}"
            self.opened.append(path)
            for link in map(html.unescape, LINK.findall(answer.text)):
                if link not in known and not NOT_FOLLOWED.search(link):
                    known.add(link)
                    waiting.append(link)

    def press(self, path: str, *buttons: str, **changed: str) -> requests.Response:
        """Open a page, change inputs, press a button, and the further `buttons` on the pages that follow."""
        answer = self.get(path)
        for button in buttons:
            inputs = Inputs()
            inputs.feed(answer.text)
            pressed = dict(inputs.presses).get(button)
            assert pressed is not None, f"no button {button} on {path}, but {inputs.buttons}"
            form = {**inputs.values, **changed, button: pressed}
            headers = {"Origin": self._url, "Referer": f"{self._url}{path}"}
            answer = self._http.post(f"{self._url}{inputs.action or path}", data=form, timeout=60, headers=headers)
            changed = {}
        return answer
