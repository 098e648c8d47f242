"""Tests of releases: what keeps one from being made, and a candidate that is made and tested as a whole."""

from __future__ import annotations

import os
import subprocess
import sys
import tarfile
from pathlib import Path

import pytest

from informerd.version import VERSION
from tests.support.helm import helm_or_skip
from tests.support.program import ROOT
from tools import release
from tools.chart_files import CHART, KUSTOMIZE
from tools.release import ReleaseError

CHANGELOG = """# Changelog

## Unreleased

* New.

## 0.2.0 (2026-12-01)

### Upgrading

Nothing.

## 0.1.0

* First.
"""


def test_the_notes_are_the_section_of_the_version() -> None:
    assert release.section(CHANGELOG, "Unreleased") == "* New.\n"
    assert release.section(CHANGELOG, "0.2.0") == "### Upgrading\n\nNothing.\n"
    assert release.section(CHANGELOG, "0.1.0") == "* First.\n"
    with pytest.raises(ReleaseError, match=r'nothing under "## 0\.2"'):
        release.section(CHANGELOG, "0.2")


def test_a_version_says_what_to_do_when_one_upgrades() -> None:
    release.check_notes(release.section(CHANGELOG, "0.2.0"))
    with pytest.raises(ReleaseError, match="### Upgrading"):
        release.check_notes(release.section(CHANGELOG, "0.1.0"))


def test_the_chart_has_the_version_of_the_wheels() -> None:
    chart = (CHART / "Chart.yaml").read_text()
    release.check_versions(chart)
    with pytest.raises(ReleaseError, match=r"appVersion of the chart is 0\.0\.9"):
        release.check_versions(chart.replace(f"appVersion: {VERSION}", "appVersion: 0.0.9"))
    with pytest.raises(ReleaseError, match="version of the chart is missing"):
        release.check_versions("name: deltaboard\n")


@pytest.mark.program
def test_a_release_is_made_of_a_commit_that_has_its_tag(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def git(*arguments: str) -> None:
        author = ("-c", "user.name=a", "-c", "user.email=a@example.com")
        subprocess.run(["git", *author, *arguments], cwd=tmp_path, check=True, capture_output=True)

    monkeypatch.setattr(release, "ROOT", tmp_path)
    git("init")
    git("commit", "--allow-empty", "-m", "one")
    release.check_source()
    git("tag", f"v{VERSION}")
    release.check_source()
    git("commit", "--allow-empty", "-m", "two")
    with pytest.raises(ReleaseError, match="tag of another commit"):
        release.check_source()
    (tmp_path / "new").touch()
    with pytest.raises(ReleaseError, match=r"not committed:\n\?\? new"):
        release.check_source()


@pytest.mark.program
def test_an_archive_of_the_same_files_has_the_same_bytes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        release.pack(KUSTOMIZE, tmp_path / name)
    assert (tmp_path / "one").read_bytes() == (tmp_path / "two").read_bytes()
    with tarfile.open(tmp_path / "one") as archive:
        assert "kustomize/base/kustomization.yaml" in archive.getnames()


def test_a_folder_without_the_wheels_of_this_version_is_refused(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(release, "helm_program", lambda: "helm")
    (tmp_path / f"deltaboard-{VERSION}-py3-none-any.whl").touch()
    with pytest.raises(SystemExit, match="does not have the two wheels"):
        release.main(["--candidate", "--no-image", str(tmp_path)])
    assert capsys.readouterr().out == ""


@pytest.mark.long
@pytest.mark.program
@pytest.mark.timeout(1800)
def test_a_candidate_is_made_signed_and_tested(tmp_path: Path) -> None:
    helm_or_skip()
    key = tmp_path / "key"
    subprocess.run(["ssh-keygen", "-q", "-t", "ed25519", "-N", "", "-f", key], check=True)
    folder = tmp_path / "dist"
    wheels = (sys.executable, "-m", "pip", "--quiet", "wheel", "--no-deps", "--wheel-dir", folder, ".", "./informerd")
    subprocess.run(wheels, cwd=ROOT, check=True)
    command = (sys.executable, "-m", "tools.release", "--candidate", "--no-image", "--key", key, folder)
    done = subprocess.run(command, cwd=ROOT, env=os.environ, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stdout + done.stderr
    assert {path.name for path in folder.iterdir()} == {
        f"deltaboard-{VERSION}-py3-none-any.whl", f"informerd-{VERSION}-py3-none-any.whl",
        f"deltaboard-{VERSION}.requirements.txt", f"deltaboard-{VERSION}.tgz", f"deltaboard-{VERSION}-kustomize.tar.xz",
        "deltaboard.cdx.json", "licences.md", "RELEASE_NOTES.md", "SHA256SUMS", "SHA256SUMS.sig",
    }  # fmt: skip
    signers = tmp_path / "signers"
    signers.write_text(f"releases@example.com {key.with_suffix('.pub').read_text()}")
    verify: list[str | Path] = [
        "ssh-keygen",
        "-Y",
        "verify",
        "-f",
        signers,
        "-I",
        "releases@example.com",
        "-n",
        "deltaboard",
    ]
    sums = (folder / "SHA256SUMS").read_bytes()
    signature: list[str | Path] = ["-s", folder / "SHA256SUMS.sig"]
    assert subprocess.run([*verify, *signature], input=sums, capture_output=True, check=False).returncode == 0
    assert subprocess.run([*verify, *signature], input=sums + b"\n", capture_output=True, check=False).returncode != 0
