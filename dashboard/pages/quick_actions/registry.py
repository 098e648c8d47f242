"""Which action an address names, for which kinds."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType

from dashboard.quick.action import Action
from dashboard.quick.cordon import Cordon
from dashboard.quick.field import Field
from dashboard.quick.pause import Pause
from dashboard.quick.restart import Restart
from dashboard.quick.scale import Scale
from dashboard.quick.suspend import SuspendCronJob, SuspendJob
from dashboard.resources.kinds import KindInfo
from dashboard.resources.offers import offers_of

_ACTIONS: Mapping[str, Action] = MappingProxyType(
    {action.id: action for action in (Scale(), Restart(), Pause(), Cordon())}
)


def action_of(kind: KindInfo, name: str) -> Action | None:
    """The action called `name`, if there is such a one for objects of this kind."""
    if name == Field.id:
        return Field()
    if name not in {offer.id for offer in offers_of(kind)}:
        return None
    if name == SuspendJob.id:
        return SuspendJob() if kind.key == "jobs.batch" else SuspendCronJob()
    return _ACTIONS.get(name)
