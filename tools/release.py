"""Files of a release: both wheels, image, chart, kustomize folder, bill of materials, notes and checksums.

``python -m tools.release FOLDER`` (`make release`) writes them beside the wheels that `make wheels` has put into
FOLDER, then tests what is in it: installed into empty environments, by hash. docs/releasing.md has the whole order.

It refuses to begin where something would be missing or would not agree: files that are not committed, a version that
the wheels, the chart and CHANGELOG.md do not share, a changelog without "### Upgrading", a missing helm or buildah.
``--candidate`` makes one of "Unreleased" and of files that are not committed, to be tried and thrown away.
"""

from __future__ import annotations

import argparse
import hashlib
import os
import re
import shutil
import subprocess
import sys
import tarfile
from collections.abc import Iterator
from pathlib import Path

from informerd.version import VERSION
from tools import sbom
from tools.chart_files import CHART, KUSTOMIZE, ROOT, helm_program

SUMS = "SHA256SUMS"
TESTS = ("tests/distribution", "tests/deploy/test_chart.py")
"""What tests a release; those of tests/distribution install the wheels of the folder that DELTABOARD_WHEELS names."""
NAMESPACE = "deltaboard"
"""Of the signature: ssh-keygen asks for the same one when it is verified."""


class ReleaseError(Exception):
    """Why there is no release, and what to do."""


def main(arguments: list[str]) -> None:
    """Make a release; exits with 1 and the reason where there is none."""
    parser = argparse.ArgumentParser(prog="python -m tools.release", description="Make the files of a release.")
    parser.add_argument("folder", type=Path, help="with the wheels of `make wheels`; all files are put there")
    parser.add_argument(
        "--candidate", action="store_true", help="of what is not committed or described yet, to be tried"
    )
    parser.add_argument("--no-image", action="store_true", help="without the image, where there is no buildah")
    parser.add_argument("--key", type=Path, help=f"SSH key that signs {SUMS}")
    options = parser.parse_args(arguments)
    try:
        make(options.folder, is_candidate=options.candidate, has_image=not options.no_image, key=options.key)
    except ReleaseError as error:
        sys.exit(str(error))
    except subprocess.CalledProcessError as error:
        sys.exit(f"There is no release: {' '.join(map(str, error.cmd))} ended with {error.returncode}.")


def make(folder: Path, *, is_candidate: bool, has_image: bool, key: Path | None) -> None:
    """Make and test all files of a release; ReleaseError where something is missing or does not agree."""
    text = (ROOT / "CHANGELOG.md").read_text()
    notes = section(text, "Unreleased" if is_candidate else VERSION)
    if not is_candidate:
        check_notes(notes)
        check_source()
    check_versions((CHART / "Chart.yaml").read_text())
    helm = helm_program()
    if helm is None:
        raise ReleaseError("There is no helm: set HELM to its path (.ci/run fetches it).")
    if has_image and shutil.which("buildah") is None:
        raise ReleaseError("There is no buildah for the image: install it, or say --no-image.")
    wheels = sorted(folder.glob("*.whl"))
    if [wheel.name.split("-")[:2] for wheel in wheels] != [["deltaboard", VERSION], ["informerd", VERSION]]:
        raise ReleaseError(f"{folder} does not have the two wheels of {VERSION} alone: call `make release`.")

    step("requirements with the hashes of both wheels")
    (folder / f"deltaboard-{VERSION}.requirements.txt").write_text(requirements(wheels))
    step("chart and kustomize folder")
    subprocess.run([helm, "package", "--destination", folder, CHART], check=True, stdout=subprocess.DEVNULL)
    pack(KUSTOMIZE, folder / f"deltaboard-{VERSION}-kustomize.tar.xz")
    step("bill of materials and licences")
    sbom.main(folder)
    if has_image:
        step("image")
        image = f"deltaboard:{VERSION}"
        subprocess.run(["make", "--old-file=wheels", "image", f"IMAGE={image}"], cwd=ROOT, check=True)
        archive = folder.absolute() / f"deltaboard-{VERSION}-image.tar"
        subprocess.run(["buildah", "push", "--quiet", image, f"oci-archive:{archive}:{image}"], check=True)
    (folder / "RELEASE_NOTES.md").write_text(f"# Deltaboard {VERSION}\n\n{notes}")
    step("checksums")
    (folder / SUMS).write_text("".join(checksums(folder)))
    if key is not None:
        (folder / f"{SUMS}.sig").unlink(missing_ok=True)
        subprocess.run(["ssh-keygen", "-Y", "sign", "-q", "-f", key, "-n", NAMESPACE, folder / SUMS], check=True)
    step("tests of what is in the folder")
    environ = {**os.environ, "DELTABOARD_WHEELS": str(folder.absolute()), "LONG": "1"}
    subprocess.run(
        [sys.executable, "-m", "pytest", "-q", "-o", "faulthandler_timeout=0", *TESTS],
        cwd=ROOT,
        env=environ,
        check=True,
    )
    for path in sorted(folder.iterdir()):
        print(f"{path.stat().st_size / 1e6:9.2f} MB  {path.name}")
    if is_candidate:
        print("This is a candidate: do not publish it.")
    elif key is None:
        print(f"{SUMS} is not signed: say KEY=…, or sign it before it is published.")


def step(what: str) -> None:
    """Say what is made next."""
    print(f"Release {VERSION}: {what}", flush=True)


def section(changelog: str, title: str) -> str:
    """The text of a version in the changelog; ReleaseError where it has none."""
    found = re.search(rf"^## {re.escape(title)}(?: [^\n]*)?\n(.*?)(?=^## |\Z)", changelog, re.MULTILINE | re.DOTALL)
    if found is None or not found[1].strip():
        raise ReleaseError(f'CHANGELOG.md has nothing under "## {title}": name what is under "Unreleased" so.')
    return found[1].strip() + "\n"


def check_notes(notes: str) -> None:
    """ReleaseError where a version's text does not say what to do when one upgrades."""
    if not re.search(r"^### Upgrading\n+\S", notes, re.MULTILINE):
        raise ReleaseError(
            'CHANGELOG.md does not say what to do when one upgrades: add "### Upgrading", also for "nothing".'
        )


def check_source() -> None:
    """ReleaseError where the files are not those of a commit, or the version's tag is of another one."""
    if changed := output("git", "status", "--porcelain"):
        raise ReleaseError(f"These files are not committed:\n{changed}")
    tags = output("git", "tag", "--list", f"v{VERSION}")
    if tags and output("git", "rev-list", "-n1", f"v{VERSION}") != output("git", "rev-parse", "HEAD"):
        raise ReleaseError(f"v{VERSION} is the tag of another commit: raise VERSION in informerd/version.py.")


def check_versions(chart: str) -> None:
    """ReleaseError where the chart has another version than the wheels."""
    for name in ("version", "appVersion"):
        found = re.search(rf'^{name}: "?([^"\s]+)"?$', chart, re.MULTILINE)
        if found is None or found[1] != VERSION:
            raise ReleaseError(
                f"{name} of the chart is {found[1] if found else 'missing'}, and that of the wheels {VERSION}: "
                "change deploy/helm/deltaboard/Chart.yaml or informerd/version.py, then call `make chart`."
            )


def requirements(wheels: list[Path]) -> str:
    """All that is installed with the wheels, in the versions of requirements.txt, and the wheels, each with its hash.

    The wheels are looked for beside it. What requirements.txt has for the extras is left out.
    """
    uv = Path(sys.executable).with_name("uv")
    command: list[str | Path] = [
        uv,
        "pip",
        "compile",
        "--quiet",
        "--universal",
        "--python-version=3.11",
        "--generate-hashes",
    ]
    command += ["--no-emit-index-url", "--no-emit-find-links", "--no-header", "--no-annotate"]
    pinned = output(*command, "--constraints=requirements.txt", "--no-emit-package=informerd", "pyproject.toml")
    return pinned + "\n" + "".join(f"./{wheel.name} --hash=sha256:{digest(wheel)}\n" for wheel in wheels)


def pack(source: Path, archive: Path) -> None:
    """Pack the committed files of a folder: the same bytes for the same files."""
    names = output("git", "ls-files", "-z", str(source)).split("\0")
    with tarfile.open(archive, "w:xz") as packed:
        for name in sorted(filter(None, names)):
            packed.add(ROOT / name, str((ROOT / name).relative_to(source.parent)), filter=_without_owner)


def _without_owner(member: tarfile.TarInfo) -> tarfile.TarInfo:
    member.mtime = member.uid = member.gid = 0
    member.uname = member.gname = ""
    return member


def checksums(folder: Path) -> Iterator[str]:
    """The lines of SHA256SUMS, as `sha256sum --check` reads them."""
    for path in sorted(folder.iterdir()):
        if not path.name.startswith(SUMS):
            yield f"{digest(path)}  {path.name}\n"


def digest(path: Path) -> str:
    """SHA-256 of a file, in hex."""
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()


def output(*command: str | Path) -> str:
    """What a command prints, in the project's folder."""
    return subprocess.run(command, cwd=ROOT, check=True, capture_output=True, text=True).stdout.strip()


if __name__ == "__main__":
    main(sys.argv[1:])
