"""Roles in a release of the chart: what its accounts may do."""

from __future__ import annotations

from tools.chart_files import Json


def rules_of(made: list[Json], account: str, namespace: str = "") -> list[Json]:
    """The rules that `made` gives to an account in a namespace, or in the whole cluster."""
    kind = "Role" if namespace else "ClusterRole"
    roles, bindings = (_by_name(made, each, namespace) for each in (kind, f"{kind}Binding"))
    return [
        rule
        for binding in bindings.values()
        if account in {each["name"] for each in binding["subjects"]}
        for rule in roles[binding["roleRef"]["name"]]["rules"]
    ]


def namespaces_with_roles(made: list[Json]) -> list[str]:
    """The namespaces in which there are roles, and "" for the cluster."""
    return sorted({"", *(each["metadata"]["namespace"] for each in made if each["kind"] == "Role")})


def _by_name(made: list[Json], kind: str, namespace: str) -> dict[str, Json]:
    found = (each for each in made if each["kind"] == kind)
    return {each["metadata"]["name"]: each for each in found if each["metadata"].get("namespace", "") == namespace}
