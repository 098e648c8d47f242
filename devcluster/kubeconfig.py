"""Writer of the demo cluster's kubeconfig."""

from __future__ import annotations

import base64
import errno
import json
import os
import sys
from pathlib import Path
from typing import Any


def write_kubeconfig(file: Path, *, server: str, authority: bytes, token: str) -> None:
    """Write a kubeconfig named demo, readable by its owner only and replaced in one step. JSON is YAML.

    ``-`` is standard output, where it is one line. Raises OSError, which names the file.
    """
    config = _kubeconfig(server=server, authority=authority, token=token)
    if str(file) == "-":
        sys.stdout.write(json.dumps(config) + "\n")
        sys.stdout.flush()
        return
    try:
        if file.is_dir():
            raise IsADirectoryError(errno.EISDIR, "it is a directory")
        file.parent.mkdir(parents=True, exist_ok=True)
        fresh = file.with_name(f".{file.name}.{os.getpid()}")
        descriptor = os.open(fresh, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600)
        with os.fdopen(descriptor, "w") as stream:
            stream.write(json.dumps(config, indent=2) + "\n")
        fresh.replace(file)
    except OSError as error:
        raise OSError(f"cannot write the kubeconfig {file}: {error.strerror}") from error


def _kubeconfig(*, server: str, authority: bytes, token: str) -> dict[str, Any]:
    cluster = {"server": server, "certificate-authority-data": base64.b64encode(authority).decode()}
    return {
        "apiVersion": "v1",
        "kind": "Config",
        "current-context": "demo",
        "clusters": [{"name": "demo", "cluster": cluster}],
        "users": [{"name": "demo", "user": {"token": token}}],
        "contexts": [{"name": "demo", "context": {"cluster": "demo", "user": "demo", "namespace": "default"}}],
    }
