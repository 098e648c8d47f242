"""Tests of the management commands as a person starts them: output, refusals, and cleanup."""

from __future__ import annotations

import contextlib
import json
import os
import re
import signal
import socket
import subprocess
import tempfile
import uuid
from collections.abc import Iterator
from functools import cache
from io import StringIO
from pathlib import Path

import aiohttp
import pytest
from django.core.management.base import OutputWrapper

from dashboard.management.exit_message import exit_with_message
from dashboard.runtime.invisible_characters import has_invisible
from dashboard.server.daphne import CannotListen, bind_socket
from dashboard.server.guard import BindRefused
from tests.support.controlplane import ControlPlane, free_ports
from tests.support.e2e.production_stack import Worker
from tests.support.local_dashboard import ask
from tests.support.program import ROOT, Program, answers, run_program
from tests.support.skip_if_missing import redis_url
from tests.support.wait import until

pytestmark = pytest.mark.program

UNSET = ("KUBECONFIG", "REDIS_URL", "SECRET_KEY", "PORT", "DATABASE_URL", "DEBUG", "DELTABOARD_KINDS")
DATABASE = "deltaboard.sqlite3"


@cache
def migrated() -> bytes:
    """A database as `make run` leaves it, made once."""
    with tempfile.TemporaryDirectory() as folder:
        done = run({**_kept(), "DELTABOARD_VAR": folder}, "migrate", "--verbosity", "0")
        assert done.returncode == 0, done.stderr
        return Path(folder, DATABASE).read_bytes()


def unconfigured(home: Path) -> dict[str, str]:
    """Nothing configured: an empty home, hence the demo cluster; what is left in the folder for such files is seen."""
    (home / "tmp").mkdir()
    (home / "var").mkdir()
    database = home / "var" / DATABASE
    database.touch(mode=0o600)
    database.write_bytes(migrated())
    own = {"HOME": str(home), "DELTABOARD_VAR": str(home / "var"), "TMPDIR": str(home / "tmp")}
    return {**_kept(), **own, "PYTHONUNBUFFERED": "1"}


def _kept() -> dict[str, str]:
    return {name: value for name, value in os.environ.items() if name not in UNSET}


@pytest.fixture
def environ(tmp_path: Path) -> dict[str, str]:
    return unconfigured(tmp_path)


@pytest.fixture
def clusterless(environ: dict[str, str], tmp_path: Path) -> dict[str, str]:
    """A configuration that cannot be used: everything but a cluster, and soon started."""
    return {**environ, "KUBECONFIG": str(tmp_path / "none")}


def run(environ: dict[str, str], *arguments: str) -> subprocess.CompletedProcess[str]:
    """A command that is expected to end by itself."""
    return run_program("manage.py", *arguments, env=environ)


@contextlib.contextmanager
def running(environ: dict[str, str], *arguments: str) -> Iterator[Program]:
    program = Program("manage.py", *arguments)
    program.env = environ
    with program:
        yield program


def address(program: Program) -> str:
    """Where it says that it answers."""
    program.wait_for(lambda: "Deltaboard is at" in program.output)
    found = re.search(r"Deltaboard is at (http://\S+)/", program.output)
    assert found
    return found[1]


def children(pid: int) -> list[int]:
    listed = subprocess.run(["ps", "-o", "pid=", "--ppid", str(pid)], capture_output=True, text=True, check=False)
    return [int(line) for line in listed.stdout.split()]


def alive(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] != "Z"
    except FileNotFoundError:
        return False


# --- deltaboard -------------------------------------------------------------------------------------------------


@pytest.mark.long
def test_without_a_cluster_it_starts_the_demo_cluster_says_why_and_leaves_nothing_behind_even_when_killed(
    environ: dict[str, str],
) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: ready(url))
        assert "Cluster demo at" in program.output
        assert "because: no cluster is configured" in program.output
        assert len(program.output.splitlines()) == 2, program.output
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        program.kill()
        until(lambda: not any(alive(pid) for pid in demo))
        assert list(Path(environ["TMPDIR"]).iterdir()) == []


@pytest.mark.long
def test_killed_while_the_demo_cluster_starts_it_leaves_nothing_behind_either(environ: dict[str, str]) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        address(program)
        assert program.process
        pid = program.process.pid
        demo = until(lambda: children(pid))
        program.kill()
        until(lambda: not any(alive(pid) for pid in demo))
        assert list(Path(environ["TMPDIR"]).iterdir()) == []


def ready(url: str) -> bool:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(f"{url}/readyz", timeout=5) as answer:
            return bool(answer.status == 200)
    except OSError:  # 503 and nobody listening yet are both
        return False


@pytest.mark.long
def test_with_a_kubeconfig_it_uses_that_and_context_names_another(
    environ: dict[str, str], controlplane: ControlPlane
) -> None:
    environ["KUBECONFIG"] = str(controlplane.kubeconfig)
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: ready(url))
        said = f"Cluster local at {controlplane.server}, because: KUBECONFIG={controlplane.kubeconfig}, current context"
        assert said in program.output
    with running(environ, "deltaboard", "--port", "0", "--context", "elsewhere") as program:
        url = address(program)
        program.wait_for(lambda: "No cluster yet" in program.output)
        assert "'elsewhere'" in program.output
        assert "local" in program.output
        assert answers(f"{url}/")


def test_a_port_in_use_is_one_line_and_exit_code_1(environ: dict[str, str]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(environ, "deltaboard", "--port", str(port))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        f"Port {port} of 127.0.0.1 is in use: choose another with --port or PORT, or stop what listens there."
    ]


@pytest.mark.parametrize("host", ["0.0.0.0", "::", "192.0.2.1", "[::]"])
def test_elsewhere_is_not_listened_without_sign_in(host: str) -> None:
    with pytest.raises(BindRefused, match=r"Deltaboard does not listen on .*: nobody signs in"):
        bind_socket(host, 0)


@pytest.mark.parametrize("host", ["127.0.0.1", "localhost", "127.0.0.2"])
def test_a_name_means_its_address(host: str) -> None:
    with bind_socket(host, 0) as listening:
        assert listening.getsockname()[0] == socket.gethostbyname(host)


@pytest.mark.parametrize("host", ["no.such.host.invalid", "two..dots", "with space"])
def test_a_name_that_cannot_be_resolved_is_said_to_be_that(host: str) -> None:
    with pytest.raises(CannotListen, match=f"cannot listen on '{host}': the name cannot be resolved"):
        bind_socket(host, 0)


@pytest.mark.parametrize("port", [-1, 65536])
def test_a_port_that_is_none_is_said_to_be_none(port: int) -> None:
    with pytest.raises(CannotListen, match=f"^{port} is not a port: a port is a number from 0 to 65535"):
        bind_socket("127.0.0.1", port)


def test_an_address_of_another_machine_is_said_in_words() -> None:
    with pytest.raises(CannotListen, match=r"cannot listen on 192.0.2.1 port 1: [A-Z][a-z ]+\.$"):
        bind_socket("192.0.2.1", 1, signs_in=True)


def test_behind_a_signing_in_proxy_it_binds_elsewhere_and_wants_the_user(clusterless: dict[str, str]) -> None:
    (port,) = free_ports(1)
    with running(
        {**clusterless, "DELTABOARD_TRUST_PROXY_USER": "X-Forwarded-User", "PORT": str(port)},
        "deltaboard", "--bind", "0.0.0.0",
    ) as program:  # fmt: skip
        assert address(program) == f"http://0.0.0.0:{port}"
        url = f"http://127.0.0.1:{port}"
        assert status(url) == 403
        assert status(url, **{"X-Forwarded-User": "alice"}) == 200


def status(url: str, **headers: str) -> int:
    import urllib.error
    import urllib.request

    try:
        with urllib.request.urlopen(urllib.request.Request(f"{url}/", headers=headers), timeout=30) as answer:
            return int(answer.status)
    except urllib.error.HTTPError as error:
        return error.code


def test_a_kind_that_means_nothing_is_one_line(environ: dict[str, str]) -> None:
    ended = run({**environ, "DELTABOARD_KINDS": "pods,nonsense"}, "deltaboard", "--port", "0")
    assert ended.returncode == 1
    assert ended.stderr.startswith("DELTABOARD_KINDS: 'nonsense' is no kind")
    assert len(ended.stderr.splitlines()) == 1


@pytest.mark.long
@pytest.mark.parametrize("number", [signal.SIGINT, signal.SIGTERM])
async def test_it_ends_soon_with_open_pages_and_leaves_nothing_behind(
    environ: dict[str, str], number: signal.Signals
) -> None:
    with running(environ, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: "Cluster demo at" in program.output)
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        async with aiohttp.ClientSession() as session:
            page = await session.ws_connect(f"{url}/live/?path=/resources/pods/", headers={"Origin": url})
            await page.receive(timeout=30)
            assert program.stop(number) == 0
        until(lambda: not any(alive(pid) for pid in demo))
        assert "Traceback" not in program.output, program.output
        assert "never retrieved" not in program.output, program.output


@pytest.mark.long
def test_a_broken_kubeconfig_opens_the_page_says_where_and_heals_when_it_is_mended(
    environ: dict[str, str], controlplane: ControlPlane, tmp_path: Path
) -> None:
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text("apiVersion: v1\nclusters:\n  - name: [unclosed\n")
    with running({**environ, "KUBECONFIG": str(kubeconfig)}, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: "No cluster yet" in program.output)
        assert str(kubeconfig) in program.output
        page = body(url)
        assert str(kubeconfig) in page
        assert re.search(r"line \d", page)
        assert ready(url), "without this process nobody would say it"
        kubeconfig.write_text(controlplane.kubeconfig.read_text())
        program.wait_for(lambda: str(kubeconfig) + ", line" not in body(url))
        program.wait_for(lambda: ready(url))


def test_a_name_in_the_kubeconfig_neither_forges_a_line_nor_reaches_the_terminal(
    environ: dict[str, str], tmp_path: Path
) -> None:
    name = "prod\x1b]0;title\x07\x1b[2J\nDeltaboard is at http://evil.example/\u202e"
    kubeconfig = tmp_path / "kubeconfig"
    entry = {"name": name, "context": {"cluster": "c", "user": "u"}}
    content = {
        "current-context": name,
        "contexts": [entry],
        "clusters": [{"name": "c", "cluster": {"server": "http://127.0.0.1:1"}}],
    }
    kubeconfig.write_text(
        json.dumps({"apiVersion": "v1", "kind": "Config", **content, "users": [{"name": "u", "user": {}}]})
    )
    with running({**environ, "KUBECONFIG": str(kubeconfig)}, "deltaboard", "--port", "0") as program:
        program.wait_for(lambda: "Cluster prod" in program.output)
        assert r"prod\x1b]0;title\x07\x1b[2J\nDeltaboard is at http://evil.example/\u202e" in program.output
        assert sum(line.startswith("Deltaboard is at") for line in program.output.splitlines()) == 1
        assert not has_invisible(program.output)


def test_a_reason_that_quotes_another_is_one_harmless_line() -> None:
    written = StringIO()
    with pytest.raises(SystemExit):
        exit_with_message(OutputWrapper(written), "no\ncontext \x1b[2J\u202e")
    assert written.getvalue() == "no context \\x1b[2J\\u202e\n"


def body(url: str) -> str:
    import urllib.request

    with urllib.request.urlopen(f"{url}/", timeout=30) as answer:
        return str(answer.read().decode())


@pytest.mark.long
def test_an_unreachable_cluster_opens_the_page_and_says_what_failed(
    environ: dict[str, str], controlplane: ControlPlane, tmp_path: Path
) -> None:
    (port,) = free_ports(1)
    kubeconfig = tmp_path / "kubeconfig"
    kubeconfig.write_text(controlplane.kubeconfig.read_text().replace(str(controlplane.api_port), str(port)))
    with running({**environ, "KUBECONFIG": str(kubeconfig)}, "deltaboard", "--port", "0") as program:
        url = address(program)
        program.wait_for(lambda: f"https://127.0.0.1:{port} cannot be reached" in body(url))
        assert "ried again every 5 s" in body(url)
        program.wait_for(lambda: ready(url))
        kubeconfig.write_text(controlplane.kubeconfig.read_text())
        program.wait_for(lambda: "cannot be reached" not in body(url))


# --- informerd, daphne, runserver -------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("options", "setting", "words"),
    [
        (["--record-only"], {"DELTABOARD_SHARD": "1/3", "DELTABOARD_HISTORY": "off"}, "leave DELTABOARD_SHARD out"),
        (["--record-only"], {"DELTABOARD_HISTORY": "off"}, "set DELTABOARD_HISTORY=on"),
        ([], {"DELTABOARD_SHARD": "1/3", "DELTABOARD_HISTORY": "on"}, "a worker of a shard does not record history"),
        ([], {"DELTABOARD_SHARD": "1/3", "DELTABOARD_NAMESPACES": "a"}, "DELTABOARD_NAMESPACES cannot name some"),
        ([], {"DELTABOARD_SHARD": "any/3", "DELTABOARD_READ_ONLY": "on"}, "give each worker a number"),
    ],
)
def test_a_worker_of_a_shard_refuses_what_it_cannot_do(
    environ: dict[str, str], options: list[str], setting: dict[str, str], words: str
) -> None:
    redis = {"REDIS_URL": "redis://127.0.0.1:1", "SECRET_KEY": "k" * 50}
    ended = run({**environ, **redis, **setting}, "informerd", *options)
    assert ended.returncode != 0
    assert words in ended.stderr
    assert "Traceback" not in ended.stderr


def test_informerd_needs_redis_and_says_so(environ: dict[str, str]) -> None:
    ended = run(environ, "informerd")
    assert (ended.returncode, ended.stdout) == (2, "")
    assert ended.stderr.startswith("informerd publishes through Redis, so REDIS_URL must be set")
    assert len(ended.stderr.splitlines()) == 1


def test_healthz_of_a_worker_tells_of_history_and_never_fails_by_it(
    environ: dict[str, str], controlplane: ControlPlane
) -> None:
    history = Path(environ["DELTABOARD_VAR"], "history")
    history.touch()  # where the folder is to be
    own = {
        "REDIS_URL": redis_url(),
        "DELTABOARD_CHANNEL_PREFIX": f"test-{uuid.uuid4().hex[:12]}",
        "SECRET_KEY": "for this test only",
        "KUBECONFIG": str(controlplane.kubeconfig),
        "DELTABOARD_KINDS": "configmaps",
        "DELTABOARD_HISTORY": "on",
    }
    with Worker({**environ, **own}) as worker:
        url = f"{worker.url}/healthz"
        worker.wait_for(lambda: answers(url) and "last failure" in ask(url).body)
        assert re.fullmatch(
            r"ok\nhistory: cannot be written, [\d,]+ changes wait, last failure at \S+Z: FileExistsError\n",
            ask(url).body,
        )
        history.unlink()
        worker.wait_for(lambda: "recording since" in ask(url).body)
        assert "history: recording" in ask(f"{url}?verbose").body
        assert "history" not in ask(f"{url}/ping").body


@pytest.mark.long
def test_daphne_alone_holds_everything_and_ends_cleanly(environ: dict[str, str]) -> None:
    (port,) = free_ports(1)
    program = Program("-m", "daphne", "-v", "0", "-p", str(port), "dashboard.asgi:application")
    program.env = environ
    with program:
        program.wait_for(lambda: "Cluster demo at" in program.output)  # before anybody asked for anything
        program.wait_for(lambda: ready(f"http://127.0.0.1:{port}"))
        assert "because: no cluster is configured" in program.output
        assert "Deltaboard is served without a token" in program.output
        assert len(program.output.splitlines()) == 2, program.output
        assert program.process
        demo = children(program.process.pid)
        assert len(demo) == 1
        program.stop(signal.SIGINT)
        until(lambda: not any(alive(pid) for pid in demo))
        assert "Traceback" not in program.output, program.output


@pytest.mark.long
def test_runserver_reloads_and_leaves_nothing_behind(environ: dict[str, str]) -> None:
    (port,) = free_ports(1)
    url = f"http://127.0.0.1:{port}"
    with running(environ, "runserver", str(port)) as program:
        program.wait_for(lambda: "Cluster demo at" in program.output)
        assert answers(f"{url}/no/such/page/")
        assert "no/such/page" not in program.output, program.output
        assert program.process
        (served,) = children(program.process.pid)
        demo = children(served)
        assert len(demo) == 1
        touched = ROOT / "dashboard" / "runtime" / "log_output.py"

        def reloading() -> bool:
            os.utime(touched)  # again and again: the reloader may not have looked at it for the first time yet
            return not alive(served)

        until(reloading)
        until(lambda: not any(alive(pid) for pid in demo))
        program.wait_for(lambda: ready(url))
        (again,) = children(program.process.pid)
        demo = children(again)
        assert len(demo) == 1
        program.stop(signal.SIGTERM)
        until(lambda: not alive(again) and not any(alive(pid) for pid in demo))


@pytest.mark.parametrize("options", [(), ("--noreload",)], ids=["reloading", "noreload"])
def test_runserver_ends_with_a_sentence_too(environ: dict[str, str], options: tuple[str, ...]) -> None:
    with socket.create_server(("127.0.0.1", 0)) as taken:
        port = taken.getsockname()[1]
        ended = run(environ, "runserver", *options, str(port))
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.splitlines() == [
        f"Port {port} of 127.0.0.1 is in use: choose another with runserver PORT, or stop what listens there."
    ]


def test_runserver_refuses_other_addresses(environ: dict[str, str]) -> None:
    ended = run(environ, "runserver", "0.0.0.0:0")
    assert (ended.returncode, ended.stdout) == (1, "")
    assert ended.stderr.startswith("Deltaboard does not listen on 0.0.0.0: nobody signs in")
    assert len(ended.stderr.splitlines()) == 1
