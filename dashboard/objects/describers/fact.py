"""Facts of an object, each a name with lines of text; related facts form a section."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any, Literal
from urllib.parse import urlencode

from dashboard.objects.fields.unstructured import as_map, as_maps, as_text, as_texts
from dashboard.objects.kinds.row import Tone
from dashboard.runtime.text_pieces import Sentence, TextPiece

Line = str | TextPiece | Iterable[TextPiece] | None
"""Source of a line. An empty one makes no line."""


@dataclass(frozen=True, slots=True)
class Fact:
    """A name with its lines, all of them text from the cluster: escape it."""

    name: str
    lines: tuple[Sentence, ...]
    tone: Tone | Literal[""] = ""
    """Tone of the value where it is good or bad news."""
    is_user_named: bool = False
    """Whether its name was given by people, as a volume's is: shown unchanged."""


@dataclass(frozen=True, slots=True)
class Section:
    """Facts under a title."""

    id: str
    """Valid in an element's id, and unique among the sections of the object."""
    title: str
    facts: tuple[Fact, ...]


def make_fact(name: str, *lines: Line, tone: Tone | Literal[""] = "", is_user_named: bool = False) -> Fact | None:
    """A fact; None where it has no lines."""
    sentences = tuple(sentence for line in lines if (sentence := _sentence(line)))
    return Fact(name, sentences, tone, is_user_named) if sentences else None


def make_section(name: str, title: str, *facts: Fact | None) -> tuple[Section, ...]:
    """A tuple with one section; empty where it has no facts."""
    there = tuple(each for each in facts if each is not None)
    return (Section(name, title, there),) if there else ()


def join_sentences(parts: Iterable[Iterable[TextPiece]], between: str = ", ") -> list[TextPiece]:
    """Sentences joined, without the empty ones."""
    pieces: list[TextPiece] = []
    for part in parts:
        if inside := list(part):
            pieces += [*([TextPiece(between)] if pieces else []), *inside]
    return pieces


def _sentence(line: Line) -> Sentence:
    if line is None:
        return ()
    pieces = (TextPiece(line),) if isinstance(line, str) else (line,) if isinstance(line, TextPiece) else tuple(line)
    return tuple(piece for piece in pieces if piece.text)


_PLAIN = frozenset("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./")


def requirement_text(entry: Mapping[str, Any]) -> str:
    """``disk in ssd, nvme``, ``no old``: one of matchExpressions."""
    key, operator, values = (
        as_text(entry.get("key")),
        as_text(entry.get("operator")),
        ", ".join(as_texts(entry.get("values"))),
    )
    return {
        "In": f"{key} in {values}",
        "NotIn": f"{key} not in {values}",
        "Exists": f"any {key}",
        "DoesNotExist": f"no {key}",
        "Gt": f"{key} above {values}",
        "Lt": f"{key} below {values}",
    }.get(operator, f"{key} {operator} {values}".strip())


def labels_text(labels: Any) -> str:
    """``app=web, tier=a``."""
    return ", ".join(f"{name}={as_text(value)}" for name, value in as_map(labels).items())


def selector_text(selector: Any, everything: str = "everything") -> str:
    """A label selector as text, `everything` for the empty one; empty where there is none."""
    if not isinstance(selector, Mapping):
        return ""
    parts = [
        labels_text(selector.get("matchLabels")),
        *map(requirement_text, as_maps(selector.get("matchExpressions"))),
    ]
    return ", ".join(part for part in parts if part) or everything


def selected_pods_piece(namespace: str, labels: Any, link_text: str) -> TextPiece:
    """`link_text` as a link to the pods with these labels; without a link where no filter can select them."""
    pairs = [f"{name}={as_text(value)}" for name, value in as_map(labels).items()]
    if not pairs or not all(set(pair) <= _PLAIN | {"="} for pair in pairs):
        return TextPiece(link_text)
    query = " ".join(f"label:{pair}" for pair in pairs)
    return TextPiece(link_text, href=list_href("pods", namespace, query))


def list_href(key: str, namespace: str, query: str) -> str:
    """Address of a kind's list with a filter; of all namespaces where `namespace` is empty."""
    return f"/resources/{key}/?" + urlencode({**({"namespace": namespace} if namespace else {}), "q": query})


def pod_spec_of(obj: Mapping[str, Any]) -> tuple[Mapping[str, Any], bool]:
    """The pod's spec, and whether it is the object's own rather than that of a template (a CronJob's jobs' too).

    Empty for other objects.
    """
    spec = as_map(obj.get("spec"))
    if "containers" in spec:
        return spec, True
    owner = as_map(as_map(spec.get("jobTemplate")).get("spec")) if "jobTemplate" in spec else spec
    return as_map(as_map(owner.get("template")).get("spec")), False


def namespace_of(obj: Mapping[str, Any]) -> str:
    return str(as_map(obj.get("metadata")).get("namespace") or "")


def name_of(obj: Mapping[str, Any]) -> str:
    return str(as_map(obj.get("metadata")).get("name") or "")
