"""Downloader of the browser libraries that static/vendor/vendor.json names, which records their checksums there.

Run by `make vendor`, after changing a version; the versions of an entry with a `bundle` are in the package.json of that
folder. tests/tools/test_vendor.py compares the checksums with the files.
"""

from __future__ import annotations

import hashlib
import json
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path
from typing import Any

from tools.npm_bundle import bundle, bundled_packages

ROOT = Path(__file__).resolve().parent.parent
VENDOR = ROOT / "static" / "vendor"
MANIFEST = VENDOR / "vendor.json"


def sha256(data: bytes) -> str:
    return hashlib.sha256(data).hexdigest()


def download_package(name: str, version: str, folder: Path) -> tuple[Path, str]:
    """Download one package with npm; gives the archive and npm's integrity string (sha512), checked by npm itself."""
    command = ["npm", "pack", "--json", "--pack-destination", str(folder), f"{name}@{version}"]
    try:
        done = subprocess.run(command, check=True, capture_output=True, text=True)
    except FileNotFoundError:
        sys.exit("make vendor needs npm")
    except subprocess.CalledProcessError as error:
        sys.exit(f"npm could not fetch {name}@{version}: {error.stderr.strip()}")
    (packed,) = json.loads(done.stdout)
    return folder / packed["filename"], packed["integrity"]


def vendor_package(package: dict[str, Any]) -> dict[str, Any]:
    """Put one package's files under static/vendor/<name>/ and return its entry with checksums."""
    target = VENDOR / package["name"]
    target.mkdir(parents=True, exist_ok=True)
    return bundle_package(package, target) if "bundle" in package else copy_package(package, target)


def bundle_package(package: dict[str, Any], target: Path) -> dict[str, Any]:
    """Several packages made into one file."""
    sources = ROOT / package["bundle"]
    script, licences = bundle(sources)
    made = dict(zip(package["files"], (script, licences.encode()), strict=True))
    for name, data in made.items():
        (target / name).write_bytes(data)
    sums = {name: sha256(data) for name, data in made.items()}
    packages = bundled_packages(sources)
    return {**package, "version": packages[package["name"]], "packages": packages, "sha256": sums}


def copy_package(package: dict[str, Any], target: Path) -> dict[str, Any]:
    """One package's files as they are."""
    sums = {}
    with tempfile.TemporaryDirectory() as folder:
        archive, integrity = download_package(package["name"], package["version"], Path(folder))
        with tarfile.open(archive) as tar:
            for name, source in package["files"].items():
                member = tar.extractfile(f"package/{source}")
                if member is None:
                    sys.exit(f"{package['name']}@{package['version']} has no file {source}")
                data = member.read()
                (target / name).write_bytes(data)
                sums[name] = sha256(data)
    return {**package, "integrity": integrity, "sha256": sums}


def main() -> None:
    manifest = json.loads(MANIFEST.read_text())
    manifest["packages"] = [vendor_package(package) for package in manifest["packages"]]
    MANIFEST.write_text(json.dumps(manifest, indent=2) + "\n")
    for package in manifest["packages"]:
        print(f"{package['name']} {package['version']}: {', '.join(package['files'])}")


if __name__ == "__main__":
    main()
