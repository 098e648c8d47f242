"""Reader of the API server's audit log, which shows who watched."""

from __future__ import annotations

import json
from pathlib import Path

from tests.support.informerd.faults.informer_rig import CONFIG_MAPS

FLAGS = ("--audit-policy-file=audit-policy.json", "--audit-log-path=audit.log", "--audit-log-mode=blocking")
_CREDENTIAL = "authentication.kubernetes.io/credential-id"


def write_policy(directory: Path) -> None:
    """To be called before an API server with FLAGS starts in `directory`."""
    directory.mkdir(parents=True, exist_ok=True)
    rules = [
        {"level": "Metadata", "resources": [{"group": "", "resources": [CONFIG_MAPS.plural]}]},
        {"level": "None"},
    ]
    policy = {"apiVersion": "audit.k8s.io/v1", "kind": "Policy", "rules": rules}
    (directory / "audit-policy.json").write_text(json.dumps(policy))


class Audit:
    """The watches of ConfigMaps in one namespace, by the credential that they were begun with.

    Credentials are named as the API server does: ``JTI=…`` is a token's id, ``X509SHA256=…`` a certificate's hash.
    """

    def __init__(self, directory: Path, namespace: str) -> None:
        self._log = directory / "audit.log"
        self._namespace = namespace

    def begun(self, credential: str) -> int:
        """Watches that were answered with 200."""
        return len(self._watches(credential, "ResponseStarted"))

    def open(self, credential: str) -> int:
        """Watches that have begun and not ended."""
        ended = self._watches(credential, "ResponseComplete")
        return len(self._watches(credential, "ResponseStarted") - ended)

    def _watches(self, credential: str, stage: str) -> set[str]:
        found = set()
        for line in self._log.read_text().splitlines():
            event = json.loads(line)
            extra = event["user"].get("extra", {})
            is_watch = event["verb"] == "watch" and event["objectRef"].get("namespace") == self._namespace
            accepted = event.get("responseStatus", {}).get("code") == 200
            if is_watch and accepted and event["stage"] == stage and credential in extra.get(_CREDENTIAL, ()):
                found.add(event["auditID"])
        return found
