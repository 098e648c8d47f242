"""Tables that the API server prints for each of its kinds, as behind ``kubectl get -o wide``, with the objects."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from pathlib import Path
from typing import Any

from ruamel.yaml import YAML

from tests.support.controlplane import ControlPlane
from tests.support.objects.certificate_objects import signed_objects
from tests.support.wait import until

Json = dict[str, Any]
OBJECTS = Path(__file__).parent / "kubectl_objects"
TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io"


@dataclass(frozen=True)
class Served:
    """A kind as discovery names it."""

    group: str
    version: str
    plural: str
    kind: str
    namespaced: bool
    verbs: frozenset[str]

    @property
    def key(self) -> str:
        return f"{self.plural}.{self.group}" if self.group else self.plural

    @property
    def path(self) -> str:
        """Of the collection in all namespaces."""
        return self.within("")

    def within(self, namespace: str) -> str:
        root = f"/apis/{self.group}/{self.version}" if self.group else f"/api/{self.version}"
        place = f"/namespaces/{namespace}" if self.namespaced and namespace else ""
        return f"{root}{place}/{self.plural}"


class Tables:
    """Tables of one API server."""

    def __init__(self, controlplane: ControlPlane) -> None:
        self.controlplane = controlplane

    @cached_property
    def served(self) -> dict[str, Served]:
        """Kinds that do not come from definitions, by key, in the version that the server prefers of each."""
        found: dict[str, Served] = {}
        for group, version in self._versions():
            root = f"/apis/{group}/{version}" if group else f"/api/{version}"
            for entry in self.controlplane.get(root)["resources"]:
                if "/" not in entry["name"]:
                    verbs = frozenset(entry["verbs"])
                    one = Served(group, version, entry["name"], entry["kind"], entry["namespaced"], verbs)
                    found.setdefault(one.key, one)
        return found

    def _versions(self) -> list[tuple[str, str]]:
        found = [("", "v1")]
        for group in self.controlplane.get("/apis")["groups"]:
            if not group["name"].endswith((".example.com", ".example.org")):
                preferred = group["preferredVersion"]["version"]
                versions = dict.fromkeys([preferred, *(version["version"] for version in group["versions"])])
                found += [(group["name"], version) for version in versions]
        return found

    def table(self, key: str) -> Json:
        """The kind's table; each row holds its whole object."""
        found = self.controlplane.request("GET", f"{self.served[key].path}?includeObject=Object", accept=TABLE)
        assert found["kind"] == "Table"
        return found

    def create_all(self) -> None:
        """Create the objects of the files, each with its status, where the server does not write that itself."""
        kinds = {(one.group, one.version, one.kind): one for one in self.served.values()}
        for file in sorted(OBJECTS.glob("*.yaml")):
            for obj in YAML(typ="safe").load_all(file):
                group, _, version = obj["apiVersion"].rpartition("/")
                self._create(kinds[group, version, obj["kind"]], obj)

        for obj in signed_objects():
            self._create(kinds["certificates.k8s.io", "v1", obj["kind"]], obj)

    def _create(self, served: Served, obj: Json) -> None:
        status = obj.pop("status", None)
        collection = served.within(obj["metadata"].get("namespace", "default"))
        self.controlplane.create(collection, obj)
        path = f"{collection}/{obj['metadata']['name']}"
        if obj["kind"] == "CertificateSigningRequest" and status is not None:
            self.controlplane.patch(f"{path}/approval", {"status": {"conditions": status["conditions"]}})
        elif status is not None:
            self.controlplane.patch(f"{path}/status", {"status": status})
        if obj["kind"] == "APIService":
            until(lambda: "status" in self.controlplane.get(path), what=f"{path} has a status")
