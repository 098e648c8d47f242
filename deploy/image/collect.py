"""Copies what runs Deltaboard into a folder that becomes the image: this interpreter, its packages and their libraries.

``/opt/deltaboard/bin/python collect.py FOLDER``, in the build stage of the Containerfile.
"""

from __future__ import annotations

import compileall
import os
import py_compile
import re
import shutil
import subprocess
import sys
import sysconfig
from collections.abc import Iterable, Iterator
from importlib import metadata
from pathlib import Path

from pip._vendor.packaging.requirements import Requirement
from pip._vendor.packaging.utils import canonicalize_name as canonical

USER = 65532
WHEEL = "deltaboard"
EXTRAS = frozenset({"traces"})
NOT_NEEDED = frozenset({
    "__pycache__",
    "ensurepip", "idlelib", "lib2to3", "pydoc_data", "test", "tkinter", "turtledemo",  # of the standard library
    "tests",
    "_flatc",  # a compiler in autobahn
})  # fmt: skip
"""Folders that the image does not have. One that somebody needs after all fails the image's test."""
NOT_STANDARD = frozenset({"dist-packages", "site-packages", sysconfig.get_config_var("LIBPL").rpartition("/")[2]})
"""Folders in the standard library's that are something else: packages of the base image, and what links programs."""
LANGUAGES = re.compile(r"(/locale)/(?!en(_GB)?(/|$)|__)[^/]+$")
"""Translations that are not shown: settings have one language."""


def main(image: Path) -> None:
    venv = Path(sys.prefix)
    interpreter = Path(sys.executable).resolve()
    _copy_folder(venv, image, NOT_NEEDED)
    for library in {Path(sysconfig.get_path(name)).resolve() for name in ("stdlib", "platstdlib")}:
        _copy_folder(library, image, NOT_NEEDED | NOT_STANDARD)
    _remove_other_packages(image)
    _copy_with_links(Path(sys.executable), image)
    for library in _libraries(_binaries(image), interpreter):
        _copy_file(library, image)
    _strip(image)
    _copy_file(Path("/etc/ssl/certs/ca-certificates.crt"), image)
    _write_accounts(image)
    # the image is read-only and its user is another one: nothing could be compiled later
    mode = py_compile.PycInvalidationMode.UNCHECKED_HASH
    compileall.compile_dir(image, quiet=2, stripdir=str(image), maxlevels=20, invalidation_mode=mode)
    print(f"{sum(each.stat().st_size for each in image.rglob('*') if each.is_file()) / 1e6:.0f} MB")


def _copy_folder(folder: Path, image: Path, without: frozenset[str]) -> None:
    def left_out(path: str, names: list[str]) -> list[str]:
        return [name for name in names if name in without or LANGUAGES.search(f"{path}/{name}")]

    shutil.copytree(folder, image / folder.relative_to("/"), symlinks=True, ignore=left_out, dirs_exist_ok=True)


def _remove_other_packages(image: Path) -> None:
    """Remove the packages that the wheel does not need: those for own programs (kubernetes), and those that install."""
    needed = _needed(WHEEL, EXTRAS)
    for distribution in metadata.distributions():
        if canonical(distribution.name) not in needed:
            for file in distribution.files or ():
                copy = image / Path(str(file.locate())).resolve().relative_to("/")
                copy.unlink(missing_ok=True)
                _remove_empty(copy.parent)


def _remove_empty(folder: Path) -> None:
    """And what is empty then. It need not be there."""
    while not folder.exists() or not any(folder.iterdir()):
        if folder.exists():
            folder.rmdir()
        folder = folder.parent


def _needed(
    name: str, extras: frozenset[str] = frozenset(), seen: set[tuple[str, frozenset[str]]] | None = None
) -> set[str]:
    """Names of the packages that one needs with these extras, itself included."""
    seen = set() if seen is None else seen
    if (name, extras) not in seen:
        seen.add((name, extras))
        for line in metadata.requires(name) or ():
            requirement = Requirement(line)
            marker = requirement.marker
            if marker is None or any(marker.evaluate({"extra": extra}) for extra in extras | {""}):
                _needed(canonical(requirement.name), frozenset(requirement.extras), seen)
    return {each for each, _ in seen}


def _strip(image: Path) -> None:
    """Remove what only debuggers need, where the build stage has `strip`.

    Libraries that a wheel brought were changed by patchelf, after which they must not be touched.
    """
    strip = shutil.which("strip")
    if strip is None:
        print("The build stage has no strip (Debian's binutils): the image is some 25 MB larger.")
        return
    for binary in _binaries(image):
        if not binary.parent.name.endswith(".libs"):
            subprocess.run([strip, "--strip-unneeded", image / binary.relative_to("/")], check=True)


def _copy_with_links(file: Path, image: Path) -> None:
    """Copy a file and each link on the way to it."""
    while file.is_symlink():
        target = file.parent / file.readlink()
        link = image / file.relative_to("/")
        link.parent.mkdir(parents=True, exist_ok=True)
        if not link.is_symlink():
            link.symlink_to(file.readlink())
        file = target
    _copy_file(file, image)


def _copy_file(file: Path, image: Path) -> None:
    """Copy what is at a path, under the same path: the dynamic linker looks for a library under the name of a link."""
    copy = image / file.relative_to("/")
    copy.parent.mkdir(parents=True, exist_ok=True)
    if not copy.exists():
        shutil.copy2(file, copy)


def _binaries(image: Path) -> Iterator[Path]:
    for each in image.rglob("*.so*"):
        if each.is_file() and not each.is_symlink():
            yield Path("/") / each.relative_to(image)


def _libraries(binaries: Iterable[Path], interpreter: Path) -> Iterator[Path]:
    """Every shared library that `ldd` names, and the dynamic linker."""
    for binary in (interpreter, *binaries):
        told = subprocess.run(["ldd", binary], capture_output=True, text=True, check=False).stdout
        for path in re.findall(r"(?:=> )?(/\S+) \(0x", told):
            yield Path(path)


def _write_accounts(image: Path) -> None:
    etc = image / "etc"
    (etc / "passwd").write_text(
        f"root:x:0:0:root:/:/sbin/nologin\ndeltaboard:x:{USER}:{USER}::/var/lib/deltaboard:/sbin/nologin\n"
    )
    (etc / "group").write_text(f"root:x:0:\ndeltaboard:x:{USER}:\n")
    (etc / "nsswitch.conf").write_text("hosts: files dns\n")
    state = image / "var" / "lib" / "deltaboard"
    state.mkdir(parents=True)
    state.chmod(0o700)
    os.chown(state, USER, USER)
    temporary = image / "tmp"
    temporary.mkdir()
    temporary.chmod(0o1777)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
