"""Choice of the cluster from the settings: the one that informerd.rest.load_config finds, or the demo cluster."""

from __future__ import annotations

import os
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from informerd.errors import ConfigError
from informerd.rest.load_config import ClusterConfig, load_cluster

DEMO_ASKED = "the demo cluster was asked for (DELTABOARD_CLUSTER=demo, or the command demo)"
NOTHING_CONFIGURED = "no cluster is configured (KUBECONFIG, ~/.kube/config, a pod's service account)"

Signature = tuple[tuple[str, int, int], ...]


@dataclass(frozen=True, kw_only=True)
class ClusterChoice:
    """The requested cluster. `demo_allowed` is False in the production form, whose processes cannot share a
    child process.
    """

    environ: Mapping[str, str]
    home: Path
    context: str = ""
    is_demo_asked: bool = False
    demo_allowed: bool = True

    def load(self) -> ClusterConfig | None:
        """The configured cluster; None means the demo cluster. Raises ConfigError with the reason and the file."""
        config = None
        if not self.is_demo_asked:
            config = load_cluster(environ=self.environ, home=self.home, context=self.context or None)
        if config is None and not self.demo_allowed:
            why = DEMO_ASKED if self.is_demo_asked else NOTHING_CONFIGURED
            raise ConfigError(
                f"{why}, but the demo cluster serves one process only: with REDIS_URL set, set KUBECONFIG"
            )
        return config

    @property
    def demo_reason(self) -> str:
        """Why the demo cluster is used, where `load` returns None."""
        return DEMO_ASKED if self.is_demo_asked else f"{NOTHING_CONFIGURED}, so the built-in demo cluster runs"

    def signature(self) -> Signature:
        """A value that changes when a relevant kubeconfig is written, created or removed."""
        return tuple(_stamp(path) for path in self._listed_files or (self._default_file,))

    @property
    def kubeconfigs(self) -> tuple[Path, ...]:
        """Files that kubectl must be told of; none where it reads the default file anyway."""
        return () if self._listed_files == (self._default_file,) else self._listed_files

    @property
    def _listed_files(self) -> tuple[Path, ...]:
        listed = self.environ.get("KUBECONFIG", "")
        return tuple(Path(part).expanduser() for part in listed.split(os.pathsep) if part)

    @property
    def _default_file(self) -> Path:
        return self.home / ".kube" / "config"


def _stamp(path: Path) -> tuple[str, int, int]:
    try:
        stat = path.stat()
    except OSError:
        return (str(path), 0, -1)
    return (str(path), stat.st_mtime_ns, stat.st_size)
