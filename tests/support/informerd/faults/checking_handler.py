"""Event handler that checks its notifications: each must follow from those before."""

from __future__ import annotations

from informerd.objects import Object
from informerd.resource_version import is_before

Identity = tuple[str, str]
"""An object's uid and resource version."""


def identity(obj: Object) -> Identity:
    return obj.metadata.uid, obj.metadata.resource_version


class LedgerHandler:
    """`objects` is what the handler believes there is. `faults` must stay empty.

    A fault is an add of what is there, an update or delete of what is not, an update whose old state is not the one
    told last, and a version told twice. `went_back` has the updates to an older version, as after a restored backup.
    """

    def __init__(self) -> None:
        self.objects: dict[str, Identity] = {}
        self.faults: list[str] = []
        self.went_back: list[str] = []
        self.adds = self.updates = self.deletes = 0
        self.unknown_deletes: list[str] = []
        """Keys of the deletes that were missed and found out by a list."""

    def on_add(self, obj: Object, is_in_initial_list: bool) -> None:
        self.adds += 1
        if obj.key in self.objects:
            self.faults.append(f"add of {obj.key}, which is there")
        self.objects[obj.key] = identity(obj)

    def on_update(self, old: Object, new: Object) -> None:
        self.updates += 1
        if self.objects.get(new.key) != identity(old):
            self.faults.append(f"update of {new.key} from {identity(old)}, but told was {self.objects.get(new.key)}")
        if identity(old) == identity(new):
            self.faults.append(f"update of {new.key} that repeats {identity(new)}")
        elif old.metadata.uid == new.metadata.uid and is_before(
            new.metadata.resource_version, old.metadata.resource_version
        ):
            self.went_back.append(new.key)
        self.objects[new.key] = identity(new)

    def on_delete(self, obj: Object, final_state_unknown: bool) -> None:
        self.deletes += 1
        told = self.objects.pop(obj.key, None)
        if told is None or told[0] != obj.metadata.uid:
            self.faults.append(f"delete of {obj.key} {obj.metadata.uid}, but told was {told}")
        if final_state_unknown:
            self.unknown_deletes.append(obj.key)
