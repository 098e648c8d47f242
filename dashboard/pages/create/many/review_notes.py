"""Notes of a review: what of the text is not sent, and where the text was copied from."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.objects.fields.field_access import ABSENT, Path, Value, format_path, get
from dashboard.objects.fields.server_set_fields import LAST_APPLIED, SET_BY_SERVER
from dashboard.pages.writes.target import Target

_EMPTY: tuple[Value, ...] = (ABSENT, None, "", {}, [])


def notes(value: dict[str, Value], target: Target | None, *, chosen_namespace: str = "") -> tuple[str, ...]:
    """Notes as sentences; `chosen_namespace` is the one that the page was opened for; empty where there is none."""
    return tuple(_notes(value, target, chosen_namespace))


def origin_notes(value: dict[str, Value], live: dict[str, Value]) -> tuple[str, ...]:
    """Notes where the text was copied from another object or another state of it."""
    uid, version = get(value, ("metadata", "uid")), get(value, ("metadata", "resourceVersion"))
    here = live["metadata"]
    if here.get("deletionTimestamp"):
        return ("It is being deleted: your changes are lost when it is gone. Review again then, to create it again.",)
    if uid not in (*_EMPTY, here["uid"]):
        return (f"The text was copied from another object of this name: its uid is {uid}, this one has {here['uid']}.",)
    if version not in (*_EMPTY, here["resourceVersion"]):
        words = "The text was copied from another state of it"
        return (
            f"{words} (resourceVersion {version}, now {here['resourceVersion']}): check what it would change back.",
        )
    return ()


def _notes(value: dict[str, Value], target: Target | None, chosen: str) -> Iterator[str]:
    left_out = [format_path(path) for path in _left_out(value)]
    if left_out:
        yield f"Not sent, because only the cluster sets it: {', '.join(left_out)}."
    namespace = get(value, ("metadata", "namespace"))
    if target is None or namespace in _EMPTY:
        return
    if not target.kind.namespaced:
        words = f"{target.kind.title} are not namespaced"
        yield f"Not sent, because {words}: metadata.namespace ({namespace})."
    elif chosen and namespace != chosen:
        yield f"It goes to the namespace in the text, {namespace}, and not to {chosen}."


def _left_out(value: dict[str, Value]) -> Iterator[Path]:
    paths: list[Path] = [("status",), *(("metadata", name) for name in SET_BY_SERVER)]
    paths.append(("metadata", "annotations", LAST_APPLIED))
    return (path for path in paths if get(value, path) not in _EMPTY)
