"""Objects of a kind that are gone, as its list of deleted objects has them."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

from dashboard.access.rights import RIGHTS
from dashboard.live.history.version import Operation, Version
from dashboard.live.hub.namespace_limits import is_outside
from dashboard.live.moments.at_parameter import format_at
from dashboard.live.rendering.time_texts import utc_text
from dashboard.live.replication.replicas import REPLICAS
from dashboard.objects.kinds.catalog import KindInfo
from dashboard.pages.history.rail import MomentLinks, seconds_of
from dashboard.runtime.app_state import AppState
from dashboard.runtime.text_with_links import history_href, object_href

MAX_LISTED = 200


@dataclass(frozen=True, slots=True)
class DeletedObject:
    """An object that is gone."""

    namespace: str
    name: str
    at: str
    """When it was deleted, as addresses have times."""
    time_text: str
    is_time_known: bool
    """Whether it was deleted then, and not some time before while nothing was recorded."""
    last_href: str
    """Its details at the last moment at which it existed."""
    history_href: str
    exists_again: bool
    """Whether another object has its name now."""


def is_listed(state: AppState, kind: KindInfo, namespaces: Iterable[str]) -> Callable[[Version], bool]:
    """Judges whether the list has an object that ended: who asks may see it by today's rules, it is gone, and it is in
    one of these namespaces, where there are any.
    """
    rights, replica, chosen = state[RIGHTS], state[REPLICAS].get(kind.key), frozenset(namespaces)

    def judge(version: Version) -> bool:
        about = version.object
        return (
            version.operation is not Operation.UNSEEN  # it may be there
            and (not chosen or about.namespace in chosen)
            and rights.may_list(kind.key, about.namespace, about.name)
            and about.uid not in replica.rows
            and not is_outside(replica.health, about.namespace)
        )

    return judge


def deleted_object(state: AppState, kind: KindInfo, version: Version) -> DeletedObject:
    """The line of an object whose last version this is."""
    about, at = version.object, seconds_of(version)
    return DeletedObject(
        namespace=about.namespace,
        name=about.name,
        at=format_at(at),
        time_text=utc_text(at),
        is_time_known=version.operation is Operation.DELETED,
        last_href=MomentLinks(object_href(kind.key, about.namespace, about.name)).of(version),
        history_href=history_href(kind.key, about.namespace, about.name),
        exists_again=state[REPLICAS].get(kind.key).get(about.namespace, about.name) is not None,
    )
