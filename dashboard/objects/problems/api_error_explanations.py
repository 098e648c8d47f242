"""Explanations of the API server's refusals in plain words: which rule of the cluster applied, and who can help.

The recognized texts are those of apiserver's ForbiddenErrorMessage (authorization), ResourceQuota, LimitRanger,
PodSecurity, NamespaceLifecycle and webhook admission.
"""

from __future__ import annotations

import re
from types import UnionType

from dashboard.objects.fields.field_access import Path, parse_path
from dashboard.objects.problems.version_not_served import VersionNotServed
from informerd.errors import (
    ApiError,
    Forbidden,
    NotFound,
    NotServed,
    ServerError,
    ServerTimeout,
    TooManyRequests,
    Unauthorized,
)

_RIGHT = re.compile(
    r"User \"(?P<user>[^\"]*)\" cannot (?P<verb>\S{1,100}) resource \"(?P<resource>[^\"/]*)(?P<part>/[^\"]*)?\""
    r" in API group \"(?P<group>[^\"]*)\"(?: in the namespace \"(?P<namespace>[^\"]*)\")?"
)
_ACCESS = re.compile(r"\b[Uu]ser \"|you can't set finalizers on")
_RULES = (
    (re.compile(r"exceeded quota: (?P<name>[^,]+)"), "The quota {name} of the namespace leaves no room for it."),
    (
        re.compile(r"failed quota: (?P<name>[^:]+): must specify"),
        "The quota {name} of the namespace requires more values to be set.",
    ),
    (
        re.compile(r"status unknown for quota: (?P<name>[^,]+)"),
        "The quota {name} of the namespace has not been counted yet: try again in a moment.",
    ),
    (
        re.compile(r"(?:maximum|minimum) \S{1,400} usage per |max limit to request ratio per "),
        "A limit of the namespace (LimitRange) forbids it.",
    ),
    (
        re.compile(r"violates PodSecurity \"(?P<name>[^\"]+)\""),
        "The namespace's Pod Security standard ({name}) forbids it.",
    ),
    (
        re.compile(r"because it is being terminated"),
        "The namespace is being deleted: nothing new can be created in it.",
    ),
    (
        re.compile(
            r"failed calling webhook \"(?P<name>[^\"]{1,253})\": "
            r".{0,1000}?service \"(?P<service>[^\"]{1,63})\" not found"
        ),
        (
            "The cluster has to ask {name} (an admission webhook) first, and its Service {service} does not exist: "
            "either the Service or the webhook's configuration has to be repaired."
        ),
    ),
    (
        re.compile(
            r"conversion webhook for (?P<name>.{1,400}?) failed: "
            r".{0,1000}?service \"(?P<service>[^\"]{1,63})\" not found"
        ),
        (
            "A webhook converts objects of this kind between versions ({name}), and its Service {service} does not "
            "exist: either the Service or the kind's definition has to be repaired."
        ),
    ),
    (
        re.compile(r"conversion webhook for (?P<name>.{1,400}?) failed"),
        "A webhook converts objects of this kind between versions ({name}), and that failed. This may pass: try again.",
    ),
    (
        re.compile(r"failed calling webhook \"(?P<name>[^\"]+)\""),
        "The cluster has to ask {name} (an admission webhook) first, and that failed. This may pass: try again.",
    ),
    (
        re.compile(r"no PriorityClass with name (?P<name>\S{1,253}) was found"),
        "There is no PriorityClass {name}. Create it first, or choose another.",
    ),
    (
        re.compile(
            r"error looking up service account (?P<space>[^/]{1,63})/(?P<name>[^:]{1,253}): "
            r"serviceaccount .{1,400}? not found"
        ),
        "There is no ServiceAccount {name} in the namespace {space}. Create it first, or choose another.",
    ),
    (
        re.compile(r"RuntimeClass \"(?P<name>[^\"]+)\" not found"),
        "There is no RuntimeClass {name}. Create it first, or choose another.",
    ),
    (
        re.compile(r"some validation rules were not checked because the object was invalid"),
        "More may be wrong: further rules of the kind are checked once this is right.",
    ),
    (
        re.compile(r"admission webhook|AdmissionPolicy|denied the request"),
        "A rule of the cluster (admission) refused it.",
    ),
)
"""Patterns of messages and their explanations; the first match is used."""
_NO_NAMESPACE = re.compile(r"namespaces \"(?P<name>[^\"]*)\" not found")
_FIELD = re.compile(r"\b(?:spec|metadata|data)(?:\.[A-Za-z][\w-]*|\[\d+\])+")
_MEANT: tuple[tuple[re.Pattern[str], Path], ...] = (
    (_NO_NAMESPACE, ("metadata", "namespace")),
    (re.compile(r"no PriorityClass with name "), ("spec", "priorityClassName")),
    (re.compile(r"error looking up service account "), ("spec", "serviceAccountName")),
    (re.compile(r"RuntimeClass \"[^\"]+\" not found"), ("spec", "runtimeClassName")),
)
"""Fields that a message refers to without naming them."""
_NO_WEBHOOK = re.compile(r"(?:failed calling|conversion) webhook .{1,1400}?service \"[^\"]{1,63}\" not found")
_NO_STATUS = re.compile(r"HTTP \d{3}\b")
"""The client's text for an answer that is not a Kubernetes Status."""
_BY_CODE = {
    405: "The API server does not do this with such objects.",
    410: "This page's data is too old for the API server. Open the page again.",
    413: "It is too large for the API server, or for a proxy in front of it.",
    415: "The API server, or a proxy in front of it, does not accept data in this form.",
}
_BY_KIND: tuple[tuple[type[ApiError] | UnionType, str], ...] = (
    (Unauthorized, "The API server did not accept the credentials."),
    (TooManyRequests, "It asks you to try again later."),
    (ServerError | ServerTimeout, "This may pass: try again."),
    (NotServed, "The API server does not have this."),
)
_OTHERWISE: dict[type[ApiError], str] = {
    Forbidden: "A rule of the cluster (admission) refused it.",
    NotFound: "It does not exist.",
}


def title_of(error: ApiError) -> str:
    """What happened, as the beginning of a sentence."""
    if _is_access(error):
        right = _RIGHT.search(str(error))
        return (
            f"You may not {right['verb']} {_verb_and_resource(right)}" if right is not None else "You may not do this"
        )
    if isinstance(error, TooManyRequests):
        return "The API server is busy"
    if isinstance(error, ServerError | ServerTimeout):
        return "The API server failed"
    if isinstance(error, VersionNotServed):
        return "Its version is not served"
    return "The API server refused it"


def explanation_of(error: ApiError) -> str:
    """What it means, as sentences; empty where the API server's own text is enough."""
    if isinstance(error, VersionNotServed):
        return error.words
    message = str(error)
    absent = _NO_NAMESPACE.search(message)
    if rule := rule_of(message):
        return rule
    if _is_access(error):
        return _access(message)
    if absent is not None:
        return f"There is no namespace “{absent['name']}”. Create it first, or choose another."
    for kinds, words in _BY_KIND:
        if isinstance(error, kinds):
            return words
    if error.code in _BY_CODE:
        return _BY_CODE[error.code]
    if _NO_STATUS.match(message):
        return "A Kubernetes API server does not give such an answer. It may come from a proxy in front of it."
    return _OTHERWISE.get(type(error), "")


def rule_of(message: str) -> str:
    """The cluster's rule that a message names; empty where it names none."""
    for pattern, words in _RULES:
        if match := pattern.search(message):
            return words.format(**match.groupdict())
    return ""


def is_lasting(message: str) -> bool:
    """Whether the API server fails until somebody repairs the cluster: a webhook that it has to ask does not exist."""
    return _NO_WEBHOOK.search(message) is not None


def field_of(message: str) -> Path:
    """The field that a message mentions, where the API server names none separately."""
    for pattern, path in _MEANT:
        if pattern.search(message):
            return path
    named = _FIELD.search(message) if rule_of(message) else None
    return parse_path(named[0]) if named is not None else ()


def _is_access(error: ApiError) -> bool:
    message = str(error)
    return isinstance(error, Forbidden) and _ACCESS.search(message) is not None and not rule_of(message)


def _verb_and_resource(right: re.Match[str]) -> str:
    return ".".join(filter(None, (right["resource"], right["group"]))) + (right["part"] or "")


def _access(message: str) -> str:
    right = _RIGHT.search(message)
    if right is None:
        return "The cluster's access rules refused it."
    where = f"in namespace {right['namespace']}" if right["namespace"] else "in the whole cluster"
    who = right["user"] or "The account"
    done = f"{right['verb']} {_verb_and_resource(right)}"
    return f"{who} has no right to {done} {where}; an administrator of the cluster can grant it."
