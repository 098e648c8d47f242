"""What of a text is not sent, or says something else than the cluster: said before anything is made."""

from __future__ import annotations

from collections.abc import Iterator

from dashboard.edits.editable import APPLIED, SET_BY_SERVER, Target
from dashboard.edits.fields import ABSENT, Path, Value, get, show

_EMPTY: tuple[Value, ...] = (ABSENT, None, "", {}, [])


def notes(value: dict[str, Value], target: Target | None, *, chosen: str = "") -> tuple[str, ...]:
    """As sentences; `chosen` is the namespace that the page was opened for, empty where none was."""
    return tuple(_notes(value, target, chosen))


def differing(value: dict[str, Value], live: dict[str, Value]) -> tuple[str, ...]:
    """What the text says of which object, and which state of it, it was taken from, where there is another now."""
    uid, version = get(value, ("metadata", "uid")), get(value, ("metadata", "resourceVersion"))
    here = live["metadata"]
    if here.get("deletionTimestamp"):
        return (
            "It is being deleted: what you change of it is lost when it is gone. Review again then, to make it anew.",
        )
    if uid not in (*_EMPTY, here["uid"]):
        return (f"The text was taken from another object of this name: its uid is {uid}, here it is {here['uid']}.",)
    if version not in (*_EMPTY, here["resourceVersion"]):
        words = "The text was taken from another state of it"
        return (f"{words} (resourceVersion {version}, now {here['resourceVersion']}): look what it would change back.",)
    return ()


def _notes(value: dict[str, Value], target: Target | None, chosen: str) -> Iterator[str]:
    left_out = [show(path) for path in _left_out(value)]
    if left_out:
        yield f"Not sent, as only the cluster sets it: {', '.join(left_out)}."
    namespace = get(value, ("metadata", "namespace"))
    if target is None or namespace in _EMPTY:
        return
    if not target.kind.namespaced:
        words = f"{target.kind.title} belong to no namespace"
        yield f"Not sent, as {words}: metadata.namespace ({namespace})."
    elif chosen and namespace != chosen:
        yield f"It goes to the namespace that it names, {namespace}, and not to {chosen}."


def _left_out(value: dict[str, Value]) -> Iterator[Path]:
    paths: list[Path] = [("status",), *(("metadata", name) for name in SET_BY_SERVER)]
    paths.append(("metadata", "annotations", APPLIED))
    return (path for path in paths if get(value, path) not in _EMPTY)
