"""Handler that records its notifications."""

from __future__ import annotations

from informerd.objects import Object


class Recorder:
    """`told` is a list of (what, key, version, extra).

    Extra is for an add whether it was initial, for an update the version before, for a delete whether its final
    state is unknown.
    """

    def __init__(self) -> None:
        self.told: list[tuple[str, str, str, object]] = []

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self.told.append(("add", obj.key, obj.metadata.resource_version, is_in_initial_list))

    def on_update(self, old: Object, new: Object) -> None:
        self.told.append(("update", new.key, new.metadata.resource_version, old.metadata.resource_version))

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        self.told.append(("delete", obj.key, obj.metadata.resource_version, final_state_unknown))

    @property
    def words(self) -> list[str]:
        """`told`, each as one word such as ``add default/a@1``."""
        return [f"{what} {key}@{version}" for what, key, version, _ in self.told]
