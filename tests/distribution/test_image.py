"""Tests of the image: built by `make image` on a base of Debian, and run as its user."""

from __future__ import annotations

import json
import os
import re
import shutil
import signal
import subprocess
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import pytest

from informerd.version import VERSION
from tests.distribution.test_deltaboard_wheel import get
from tests.support.program import ROOT
from tests.support.wait import until

pytestmark = [pytest.mark.program, pytest.mark.long, pytest.mark.timeout(1800)]

LARGEST = 180
"""MB that the image may take, unpacked."""
ENVIRON = {**os.environ, "BUILDAH_ISOLATION": "chroot", "STORAGE_DRIVER": "vfs"}


class Buildah(NamedTuple):
    """`buildah` with a storage of its own."""

    command: tuple[str, ...]

    def __call__(self, *arguments: str) -> str:
        return run(*self.command, *arguments)


@pytest.fixture(scope="module")
def buildah(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Buildah]:
    if shutil.which("buildah") is None or os.geteuid():
        pytest.skip("needs buildah, and root: apt-get install buildah debootstrap")
    folder = tmp_path_factory.mktemp("buildah")
    own = Buildah(("buildah", "--root", str(folder / "storage"), "--runroot", str(folder / "run")))
    yield own
    own("rm", "--all")
    own("rmi", "--all", "--force")


@pytest.fixture(scope="module")
def base(buildah: Buildah, tmp_path_factory: pytest.TempPathFactory) -> str:
    """An image with Python: that of IMAGE_BASE, or a Debian that debootstrap makes from the mirror of apt."""
    if named := os.environ.get("IMAGE_BASE"):
        return named
    if shutil.which("debootstrap") is None:
        pytest.skip("needs debootstrap, or an image with Python in IMAGE_BASE")
    folder = tmp_path_factory.mktemp("base")
    targets = run("apt-get", "indextargets", "--format", "$(REPO_URI) $(RELEASE)", "Created-By: Packages").split("\n")
    mirror, release = next(line.split() for line in targets if line and "-" not in line.split()[1])
    packages = "--include=python3-minimal,python3-venv,ca-certificates,binutils"
    run("debootstrap", "--variant=minbase", packages, release, str(folder / "rootfs"), mirror)
    run("tar", "--numeric-owner", "-C", str(folder / "rootfs"), "-cf", str(folder / "rootfs.tar"), ".")
    shutil.rmtree(folder / "rootfs")
    (folder / "Containerfile").write_text("FROM scratch\nADD rootfs.tar /\n")
    buildah("build", "--tag", "localhost/base", str(folder))
    return "localhost/base"


@pytest.fixture(scope="module")
def image(buildah: Buildah, request: pytest.FixtureRequest) -> str:
    """The image of the release whose folder DELTABOARD_WHEELS names, else one that is built now."""
    if released := os.environ.get("DELTABOARD_WHEELS"):
        archive = Path(released) / f"deltaboard-{VERSION}-image.tar"
        if not archive.exists():
            pytest.skip("this release was made without an image")
        return buildah("pull", "--quiet", f"oci-archive:{archive}").strip()
    make = ["make", "image", f"BUILDAH={' '.join(buildah.command)}", f"BASE={request.getfixturevalue('base')}"]
    run(*make, f"BUILD={' '.join(pip_of_this_machine())}")
    return "localhost/deltaboard"


@pytest.fixture(scope="module")
def container(buildah: Buildah, image: str) -> str:
    return buildah("from", image).strip()


def pip_of_this_machine() -> Iterator[str]:
    """Options with which the build finds packages where pip finds them here: its settings, and folders they name."""
    folders = {Path("/etc/ssl/certs"), Path.home() / ".config" / "pip"}
    for line in run(".venv/bin/python", "-m", "pip", "config", "list").split("\n"):
        folders |= {folder for path in re.findall(r"/[^\s',:]+", line) if (folder := Path(path)).is_dir()}
    if certificates := os.environ.get("PIP_CERT"):
        yield f"--build-arg PIP_CERT={certificates}"
    if links := os.environ.get("PIP_FIND_LINKS"):
        folders.add(Path(links))
    folders = {each.parent if each.name == "simple" else each for each in folders}  # files lie beside their index
    yield from (f"--volume {folder}:{folder}:ro" for folder in folders if folder.exists())


def run(*command: str) -> str:
    done = subprocess.run(command, cwd=ROOT, env=ENVIRON, capture_output=True, text=True, check=False)
    assert done.returncode == 0, f"{' '.join(command)}\n{done.stdout}{done.stderr}"
    return done.stdout


def test_it_is_small_and_has_no_shell(buildah: Buildah, image: str, container: str) -> None:
    root = Path(buildah("mount", container).strip())
    size = sum(each.lstat().st_size for each in root.rglob("*") if each.is_file() and not each.is_symlink())
    assert size <= LARGEST * 1e6
    assert not {"sh", "bash", "dash", "apt-get", "pip"} & {each.name for each in root.rglob("bin/*")}
    (config,) = [json.loads(buildah("inspect", "--type", "image", image))["OCIv1"]["config"]]
    assert config["User"] == "65532:65532"


def test_it_runs_as_its_user_and_ends_within_ten_seconds(buildah: Buildah, container: str, tmp_path: Path) -> None:
    log = tmp_path / "log"
    words = [*buildah.command, "run", container, "--", "deltaboard", "--no-browser", "--port", "0"]
    with log.open("w") as output:
        program = subprocess.Popen(words, env=ENVIRON, stdout=output, stderr=output, start_new_session=True)
    try:
        address, token = until(lambda: re.findall(r"(http://127\.0\.0\.1:\d+/)\?token=(\S+)", log.read_text()))[0]
        until(lambda: "alpha" in get(f"{address}resources/mydemos/", token))
        pid = process_of("deltaboard", "--no-browser")
        assert f"Uid:\t{65532}\t" in Path(f"/proc/{pid}/status").read_text()
        os.kill(pid, signal.SIGTERM)
        assert program.wait(60) == 0, log.read_text()  # after 10 s the process's watchdog would end it with 70
    finally:
        if program.poll() is None:
            os.killpg(program.pid, signal.SIGKILL)


def process_of(*words: str) -> int:
    """Id of the container's process with these words on its command line. It is in no namespace of its own."""
    for folder in Path("/proc").glob("[0-9]*"):
        try:
            line = (folder / "cmdline").read_bytes().decode().split("\0")
            is_inside = (folder / "root").readlink() != Path("/")
        except OSError:
            continue
        if is_inside and all(any(part.endswith(word) for part in line) for word in words) and "python" in line[0]:
            return int(folder.name)
    raise AssertionError(f"no process of the container has {words} on its command line")


@pytest.mark.parametrize("command", [("informerd", "--help"), ("migrate", "--help"), ("history", "sizes")])
def test_it_has_the_other_commands(buildah: Buildah, container: str, command: tuple[str, ...]) -> None:
    assert buildah("run", container, "--", "deltaboard", "manage", *command)


def test_it_has_the_web_server(buildah: Buildah, container: str) -> None:
    assert "usage: daphne" in buildah("run", container, "--", "daphne", "--help")
