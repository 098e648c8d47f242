"""Registry of quick actions by name and kind."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dashboard.objects.kinds.catalog import KindInfo
from dashboard.objects.kinds.quick_actions import quick_actions_of
from dashboard.pages.quick_actions.action import Action
from dashboard.pages.quick_actions.edit_field import EditField
from dashboard.pages.quick_actions.restart import Restart
from dashboard.pages.quick_actions.scale import Scale
from dashboard.pages.quick_actions.toggles import Cordon, Pause, SuspendCronJob, SuspendJob

_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {action.id: action for action in (Scale(), Restart(), Pause(), Cordon())}
)


def find_action(kind: KindInfo, name: str) -> Action | None:
    """The action called `name` for objects of this kind; None where there is none."""
    if name == EditField.id:
        return EditField()
    if name not in {offer.id for offer in quick_actions_of(kind)}:
        return None
    if name == SuspendJob.id:
        return SuspendJob() if kind.key == "jobs.batch" else SuspendCronJob()
    return _ACTIONS.get(name)
