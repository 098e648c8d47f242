"""Dashboard of two workers and three web processes that goes to another version, process by process, and back."""

from __future__ import annotations

import os
import subprocess
import sys
import venv
from collections.abc import Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from pathlib import Path

from tests.support.controlplane import ControlPlane
from tests.support.e2e.cpu_starvation import Waited
from tests.support.e2e.form_editor import SAVED, FormEditor
from tests.support.e2e.pods_and_mydemos import mydemo, mydemos
from tests.support.e2e.postgresql_database import Database
from tests.support.e2e.production_stack import WITHIN, Web, Worker, is_ready
from tests.support.e2e.ready_proxy import ReadyProxy
from tests.support.e2e.redis_server import RedisServer
from tests.support.program import ROOT, Program, answers
from tests.support.wait import until

WORKERS, WEBS = 2, 3


def last_version() -> str:
    """The newest tag; where there is none, what was a hundred commits ago."""
    found = git("describe", "--tags", "--abbrev=0", "HEAD^")
    return found.stdout.strip() if found.returncode == 0 else "HEAD~100"


def git(*arguments: str) -> subprocess.CompletedProcess[str]:
    """The end of a git command in the project's folder."""
    return subprocess.run(["git", *arguments], cwd=ROOT, capture_output=True, text=True, check=False)


class Checkout:
    """Files of a commit, and an environment with what they require: that of this process where it requires the same.

    Raises ValueError where there is no such commit.
    """

    def __init__(self, commit: str, folder: Path) -> None:
        found = git("rev-parse", "--verify", "--quiet", f"{commit}^{{commit}}")
        if found.returncode:
            raise ValueError(f"There is no commit {commit} here: fetch the whole history.")
        self.commit = found.stdout.strip()
        self.root = folder / "checkout"
        made = git("worktree", "add", "--detach", str(self.root), self.commit)
        assert made.returncode == 0, made.stderr
        self.python = Path(sys.executable)
        requirements = self.root / "requirements.txt"
        if requirements.read_bytes() != (ROOT / "requirements.txt").read_bytes():
            venv.create(folder / "env", with_pip=True)
            self.python = folder / "env" / "bin" / "python"
            pip = [str(self.python), "-m", "pip", "--quiet", "--disable-pip-version-check", "install"]
            subprocess.run([*pip, "--require-hashes", "-r", str(requirements)], check=True)

    def remove(self) -> None:
        """Take the files away."""
        git("worktree", "remove", "--force", str(self.root))


@dataclass
class Edits:
    """Edits of one Mydemo by its form, each checked in the API server."""

    made: int = 0
    refused: list[str] = field(default_factory=list)
    """Those that were answered with something else than that they are saved, and wrote nothing."""
    lost: list[str] = field(default_factory=list)
    """Those that were answered with success, and are not there; and those that were refused, and are."""


class TwoVersions:
    """`start` before use, with the old version; `upgrade` and `downgrade` yield the name of each step that is done."""

    def __init__(self, controlplane: ControlPlane, directory: Path, old: Checkout) -> None:
        directory.mkdir(parents=True, exist_ok=True)
        self.controlplane = controlplane
        self.redis = RedisServer(directory)
        self.database = Database()
        self.proxy = ReadyProxy()
        self.env = {
            "KUBECONFIG": str(controlplane.kubeconfig),
            "REDIS_URL": self.redis.url,
            "DATABASE_URL": self.database.url,
            "SECRET_KEY": os.urandom(20).hex(),
            "DELTABOARD_TOKEN": "off",
            "DELTABOARD_VAR": str(directory),
            "HOME": str(directory),
        }
        versions = {"old": {"root": old.root, "python": old.python}, "new": {"root": ROOT}}
        self.workers = {name: [Worker(self.env, **each) for _ in range(WORKERS)] for name, each in versions.items()}
        self.webs = {name: [Web(self.env, **each) for _ in range(WEBS)] for name, each in versions.items()}
        self._versions = versions
        self.waited = Waited([*self.workers["old"], *self.workers["new"]], [*self.webs["old"], *self.webs["new"]])
        self.edits = Edits()
        self._editor = FormEditor(self.proxy.url)
        self._edited = ""

    def start(self) -> None:
        """Start the old version and wait until its web processes have rows."""
        self.redis.run()
        self.database.create()
        self.proxy.start()
        self._migrate("old")
        for program in (*self.workers["old"], *self.webs["old"]):
            program.start()
        for web in self.webs["old"]:
            self._serve(web)
        self.waited.start()

    def stop(self) -> None:
        """End everything but the control plane."""
        self.waited.stop()
        self.proxy.stop()
        for programs in (self.workers, self.webs):
            for program in (*programs["old"], *programs["new"]):
                with suppress(AssertionError):  # it did not end by itself
                    program.__exit__()
        self.redis.kill()
        self.database.drop()

    def upgrade(self) -> Iterator[str]:
        """Migration, workers, web processes: the order of docs/install-in-cluster.md."""
        self._migrate("new")
        yield "tables migrated"
        yield from self._replace_workers("old", "new")
        yield from self._replace_webs("old", "new")

    def downgrade(self) -> Iterator[str]:
        """Web processes, then workers; the tables stay."""
        yield from self._replace_webs("new", "old")
        yield from self._replace_workers("new", "old")

    def kill_each(self) -> Iterator[str]:
        """Kill one process after the other, as a node does that goes, and start it again."""
        for number, worker in enumerate(self.workers["new"], 1):
            worker.kill()
            yield f"worker {number} killed"
            worker.start()
            worker.wait_for(lambda url=worker.url: answers(f"{url}/healthz"), within=WITHIN)  # type: ignore[misc]
            yield f"worker {number} back"
        for number, web in enumerate(self.webs["new"], 1):
            web.kill()
            self.proxy.remove(web.port)
            yield f"web process {number} killed"
            self._serve(web.start())
            yield f"web process {number} back"

    def _migrate(self, version: str) -> None:
        program = Program("manage.py", "migrate", "--verbosity", "0", env=self.env, **self._versions[version])
        with program.start():
            until(lambda: not program.running(), within=WITHIN, what="the tables are migrated")
            assert program.process is not None
            assert program.process.poll() == 0, program.output

    def _replace_workers(self, before: str, after: str) -> Iterator[str]:
        for number, (old, new) in enumerate(zip(self.workers[before], self.workers[after], strict=True), 1):
            new.start()
            new.wait_for(lambda url=new.url: answers(f"{url}/healthz"), within=WITHIN)  # type: ignore[misc]
            yield f"{after} worker {number} started"
            old.stop()
            yield f"{before} worker {number} ended"

    def _replace_webs(self, before: str, after: str) -> Iterator[str]:
        for number, (old, new) in enumerate(zip(self.webs[before], self.webs[after], strict=True), 1):
            self._serve(new.start())
            yield f"{after} web process {number} started"
            self.proxy.remove(old.port)
            old.stop()
            yield f"{before} web process {number} ended"

    def _serve(self, web: Web) -> None:
        web.wait_for(lambda: is_ready(web.url), within=WITHIN)
        self.proxy.add(web.port)
        until(lambda: web.port in self.proxy.ready, within=WITHIN, what=f"{web.url} gets connections")

    # --- edits ---

    def prepare_edits(self, namespace: str) -> None:
        """Create the Mydemo that `edit` changes."""
        self.controlplane.create(mydemos(namespace), mydemo("edited", port=10_000))
        self._edited = namespace
        address = self._editor.address(namespace, "edited")
        until(lambda: self._editor.open(address)[0] == 200, within=WITHIN, what="the form of the Mydemo")

    def edit(self) -> None:
        """Change the port of the Mydemo by its form, as a browser without scripts; each request is a connection."""
        edits, before = self.edits, self._port()
        port = before + 1
        try:
            answer = self._editor.change_port(self._edited, "edited", before, port)
        except (OSError, KeyError) as error:  # no connection, or a page without the form
            answer = repr(error)
        after = self._port()
        if answer == SAVED and after == port:
            edits.made += 1
        elif answer != SAVED and after == before:
            edits.refused.append(answer)
        else:
            edits.lost.append(f"{before} → {port} is {after}: {answer}")

    def _port(self) -> int:
        return int(self.controlplane.get(mydemos(self._edited, "edited"))["spec"]["port"])
