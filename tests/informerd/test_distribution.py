"""Tests of the distribution informerd: built, installed into an empty environment, and used there."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tomllib
import venv
import zipfile
from pathlib import Path
from textwrap import dedent

import pytest

from informerd.version import VERSION
from tests.support.controlplane import ControlPlane
from tests.support.program import ROOT
from tests.support.skip_if_missing import missing

pytestmark = [pytest.mark.program, pytest.mark.timeout(600)]  # it fetches what is installed

PROJECT = ROOT / "informerd"
IMPORTS = """
import importlib, pkgutil, sys
import informerd, informerd.testing

without_extras = []
for module in pkgutil.walk_packages(informerd.__path__, "informerd."):
    try:
        importlib.import_module(module.name)
    except informerd.MissingExtra as error:
        without_extras.append(f"{module.name}: {error}")
for name in ("django", "kubernetes", "prometheus_client"):
    assert importlib.util.find_spec(name) is None, name
print(*without_extras, sep="\\n")
"""
USE = """
import asyncio, os, sys
from pathlib import Path
from informerd import Client, DynamicClient, SharedInformerFactory, current_cluster, load_cluster, resources


async def use(config):
    async with Client(config) as client, SharedInformerFactory(client) as factory:
        namespaces = factory.informer(resources.NAMESPACES)
        factory.start()
        default = await namespaces.wait_until(lambda lister: lister.get("default"), 60)
        found = await DynamicClient(client).resource("ns").wait_until("default", lambda each: each["status"]["phase"])
        assert default.metadata.uid == found["metadata"]["uid"]
        return config.user


def pod(folder, address):
    host, _, port = address.removeprefix("https://").partition(":")
    environ = {"KUBERNETES_SERVICE_HOST": host, "KUBERNETES_SERVICE_PORT": port}
    return load_cluster(environ=environ, home=Path("/nonexistent"), in_cluster_dir=Path(folder))


config = current_cluster()
for each in (config, current_cluster("plugin"), pod(sys.argv[1], config.server)):
    print(asyncio.run(use(each)))
"""
TYPED = """
from informerd import Client, Object, SharedInformerFactory, current_cluster, resources


class Pod(Object, frozen=True):
    phase: str = ""


async def phases() -> list[str]:
    async with Client(current_cluster()) as client, SharedInformerFactory(client) as factory:
        pods = factory.informer(resources.PODS, Pod)
        factory.start()
        web = await pods.wait_until(lambda lister: lister.list(label_selector="app=web"), timeout=60)
        reveal_type(web)
        async for line in client.logs(web[0].metadata.name, "default", follow=True):
            reveal_type(line.text)
        return [pod.phase + 1 for pod in web]
"""


def run(*command: object, cwd: Path | None = None, env: dict[str, str] | None = None) -> str:
    """What a command prints; it must succeed."""
    done = subprocess.run(
        [str(each) for each in command], cwd=cwd, env=env, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, f"{command}\n{done.stdout}\n{done.stderr}"
    return done.stdout


def install(environment: Path, *requirements: object) -> None:
    """Install into an environment by the pip of this one, from the index that is configured."""
    pip = (sys.executable, "-m", "pip", "--python", python_of(environment), "install", "--quiet", "--no-compile")
    command = [str(each) for each in (*pip, *requirements)]
    done = subprocess.run(command, capture_output=True, text=True, check=False)
    if done.returncode:
        missing("a package index", done.stderr.strip().splitlines()[-1])


def empty_environment(folder: Path) -> Path:
    venv.create(folder, symlinks=True)
    return folder


def python_of(environment: Path) -> Path:
    return environment / "bin" / "python"


@pytest.fixture(scope="module")
def built(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with the sdist, and the wheel that was built from what is in it."""
    folder = tmp_path_factory.mktemp("built")
    builder = empty_environment(folder / "builder")
    install(builder, *tomllib.loads((PROJECT / "pyproject.toml").read_text())["build-system"]["requires"])
    # -P: else the modules of the folder would stand for those of Python with the same names
    hatchling = (python_of(builder), "-P", "-m", "hatchling", "build", "-d", folder)
    run(*hatchling, "-t", "sdist", cwd=PROJECT)
    run("tar", "-xzf", folder / f"informerd-{VERSION}.tar.gz", "-C", folder)
    run(*hatchling, "-t", "wheel", cwd=folder / f"informerd-{VERSION}")
    return folder


@pytest.fixture(scope="module")
def environment(built: Path, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An environment with nothing but informerd and what it needs."""
    environment = empty_environment(tmp_path_factory.mktemp("environment"))
    install(environment, wheel_of(built))
    return environment


def wheel_of(built: Path) -> Path:
    return built / f"informerd-{VERSION}-py3-none-any.whl"


def test_the_wheel_has_the_package_and_its_licence_and_nothing_else(built: Path) -> None:
    with zipfile.ZipFile(wheel_of(built)) as wheel:
        names = set(wheel.namelist())
        metadata = wheel.read(f"informerd-{VERSION}.dist-info/METADATA").decode()
        licence = wheel.read(f"informerd-{VERSION}.dist-info/licenses/LICENSE")
    sources = {f"informerd/{path.relative_to(PROJECT).as_posix()}" for path in PROJECT.rglob("*.py")}
    infos = {f"informerd-{VERSION}.dist-info/{name}" for name in ("METADATA", "WHEEL", "RECORD", "licenses/LICENSE")}
    assert names == sources | {"informerd/py.typed"} | infos
    assert licence == (ROOT / "LICENSE").read_bytes()
    assert "License-Expression: Apache-2.0" in metadata
    assert (PROJECT / "README.md").read_text() in metadata


def test_it_runs_where_there_is_nothing_else(environment: Path, controlplane: ControlPlane, tmp_path: Path) -> None:
    """By a token, by an exec plugin, and as in a pod, without Django, kubernetes and prometheus_client."""
    said = run(python_of(environment), "-I", "-W", "error", "-c", IMPORTS)
    assert said == (
        "informerd.metrics: informerd.metrics needs a package that is not installed: pip install 'informerd[metrics]'\n"
    )
    check_use(environment, controlplane, tmp_path)


def check_use(environment: Path, controlplane: ControlPlane, tmp_path: Path) -> None:
    """Run USE there, with each kind of credentials."""
    (tmp_path / "token").write_text("admin-token")
    (tmp_path / "ca.crt").write_bytes(controlplane.ca_file.read_bytes())
    kubeconfig = write_kubeconfig(controlplane, tmp_path)
    said = run(
        python_of(environment), "-I", "-W", "error", "-c", USE, tmp_path, env={**os.environ, "KUBECONFIG": kubeconfig}
    )
    assert said.splitlines() == ["admin (token)", "plugin (exec plugin plugin)", "the pod's service account"]


def test_it_says_that_it_has_no_demo_cluster(environment: Path) -> None:
    program = """
import asyncio
from informerd import ConfigError
from informerd.testing import DemoCluster

try:
    asyncio.run(DemoCluster().__aenter__())
except ConfigError as error:
    print(error)
"""
    said = run(python_of(environment), "-I", "-W", "error", "-c", program)
    assert said == "there is no demo cluster: informerd alone does not have it, Deltaboard's repository does\n"


def write_kubeconfig(controlplane: ControlPlane, folder: Path) -> str:
    """Two files, as KUBECONFIG lists them: the administrator's, and one with a user of an exec plugin."""
    plugin = folder / "plugin"
    credential = {"apiVersion": "client.authentication.k8s.io/v1", "kind": "ExecCredential"}
    plugin.write_text(f"#!/bin/sh\necho '{json.dumps({**credential, 'status': {'token': 'admin-token'}})}'\n")
    plugin.chmod(0o755)
    command = {"apiVersion": credential["apiVersion"], "command": str(plugin), "interactiveMode": "Never"}
    (folder / "more").write_text(
        json.dumps(
            {
                "contexts": [{"name": "plugin", "context": {"cluster": "local", "user": "plugin"}}],
                "users": [{"name": "plugin", "user": {"exec": command}}],
            }
        )
    )
    return f"{controlplane.kubeconfig}{os.pathsep}{folder / 'more'}"


@pytest.mark.long
@pytest.mark.parametrize("minor", [12, 13])
def test_it_runs_on_newer_pythons(minor: int, built: Path, controlplane: ControlPlane, tmp_path: Path) -> None:
    python = next((each for each in candidates(minor) if each.exists()), None)
    if python is None:
        pytest.skip(f"needs python3.{minor}")
    environment = tmp_path / "environment"
    run(python, "-m", "venv", "--without-pip", environment)
    install(environment, wheel_of(built))
    check_use(environment, controlplane, tmp_path)


def candidates(minor: int) -> list[Path]:
    """Where Python 3.`minor` may be: among those of pyenv, whose names in PATH may lead nowhere, or in PATH."""
    found = shutil.which(f"python3.{minor}")
    versions = Path(os.environ.get("PYENV_ROOT") or Path.home() / ".pyenv") / "versions"
    return [*(each / "bin" / "python" for each in versions.glob(f"3.{minor}.*")), *([Path(found)] if found else [])]


@pytest.mark.long
def test_a_program_of_a_user_is_checked_by_its_types(environment: Path, tmp_path: Path) -> None:
    (tmp_path / "program.py").write_text(dedent(TYPED))
    mypy = (sys.executable, "-m", "mypy", "--strict", "--config-file=", f"--cache-dir={tmp_path / 'cache'}")
    command = [*mypy, "--python-executable", str(python_of(environment)), "program.py"]
    done = subprocess.run(command, cwd=tmp_path, capture_output=True, text=True, check=False)
    said = [line.partition(" ")[2] for line in done.stdout.splitlines()]
    assert said == [
        'note: Revealed type is "list[program.Pod]"',
        'note: Revealed type is "str"',
        'error: Unsupported operand types for + ("str" and "int")  [operator]',
        "1 error in 1 file (checked 1 source file)",
    ]


@pytest.mark.long
def test_the_extras_bring_what_their_parts_need(built: Path, tmp_path: Path) -> None:
    environment = empty_environment(tmp_path)
    install(environment, f"{wheel_of(built)}[kubernetes,metrics]")
    program = (
        "import informerd.metrics; from informerd import to_body, to_model;"
        "from kubernetes.aio.client.models import V1Pod;"
        "print(to_body(to_model(V1Pod, {'metadata': {'name': 'a'}})))"
    )
    assert run(python_of(environment), "-I", "-c", program) == "{'metadata': {'name': 'a'}}\n"
