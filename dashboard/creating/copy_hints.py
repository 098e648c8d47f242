"""What a copy has in common with its original that may not be meant, as sentences."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from types import MappingProxyType

from dashboard.creating.copy_names import DEFINITIONS
from dashboard.edits.fields import Value, get

_OF_KIND: Mapping[str, str] = MappingProxyType({
    "horizontalpodautoscalers.autoscaling": "It scales the same target (spec.scaleTargetRef): two autoscalers of one "
    "target undo what the other does.",
    "poddisruptionbudgets.policy": "It keeps spec.selector: no pod that two budgets select can be evicted at all.",
    "persistentvolumes": "It leads to the same storage: two claims could then write to it without knowing of each "
    "other.",
    "apiservices.apiregistration.k8s.io": "Its name is spec.version and spec.group with a dot between: change them "
    "together.",
    "ipaddresses.networking.k8s.io": "Its name is the address: give it another one.",
    DEFINITIONS: "It defines another kind of the same group: metadata.name is spec.names.plural and spec.group with a "
    "dot between, so change them together.",
})  # fmt: skip
_AGGREGATED = "rbac.authorization.k8s.io/aggregate-to-"


def hints(key: str, copy: dict[str, Value]) -> Iterator[str]:
    """Labels lead Services, budgets and policies to pods, and rules to roles: a copy's, too."""
    own, selector = get(copy, ("metadata", "labels")), get(copy, ("spec", "selector", "matchLabels"))
    own = own if isinstance(own, dict) else {}
    if key == "pods" and own:
        yield f"It keeps the labels {_pairs(own)}: whatever selects them, such as a Service, selects the copy, too."
    if isinstance(selector, dict) and selector and isinstance(get(copy, ("spec", "template")), dict):
        yield (
            f"It keeps the selector {_pairs(selector)}: whatever selects the pods of the original, such as a Service, "
            "selects those of the copy, too. Give spec.selector and the labels of spec.template others "
            "if that is not meant."
        )
    added = [name.removeprefix(_AGGREGATED) for name in own if name.startswith(_AGGREGATED)]
    if key == "clusterroles.rbac.authorization.k8s.io" and added:
        yield f"It keeps its labels: whatever you let it do, {' and '.join(added)} may do, too, for whoever has that."
    if key in _OF_KIND:
        yield _OF_KIND[key]


def _pairs(found: dict[str, Value]) -> str:
    return ", ".join(f"{name}={value}" for name, value in list(found.items())[:6])
