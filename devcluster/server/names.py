"""Names, labels and random suffixes: the rules of apimachinery's util/validation and apiserver's storage/names."""

from __future__ import annotations

import random
import re

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_CONFIG_KEY = r"[-._a-zA-Z0-9]+"

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
_LONGEST_BASE = 63 - _SUFFIX_LENGTH


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


def subdomain_problems(name: str) -> list[str]:
    """What keeps `name` from being an RFC 1123 subdomain, the rule for most objects' names."""
    problems = [] if len(name) <= 253 else ["must be no more than 253 characters"]
    if not _matches(_SUBDOMAIN, name):
        problems.append(
            "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must "
            f"start and end with an alphanumeric character (e.g. 'example.com', regex used for validation is '{_SUBDOMAIN}')"
        )
    return problems


def label_problems(name: str) -> list[str]:
    """What keeps `name` from being an RFC 1123 label (namespaces, containers)."""
    problems = [] if len(name) <= 63 else ["must be no more than 63 bytes"]
    if _matches(_LABEL, name):
        return problems
    if _matches(_SUBDOMAIN, name):
        return [*problems, "must not contain dots"]
    return [
        *problems,
        "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end "
        f"with an alphanumeric character (e.g. 'my-name',  or '123-abc', regex used for validation is '{_LABEL}')",
    ]


def service_problems(name: str) -> list[str]:
    """What keeps `name` from being an RFC 1035 label (services)."""
    problems = [] if len(name) <= 63 else ["must be no more than 63 bytes"]
    if not _matches(_LABEL_1035, name):
        problems.append(
            "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic "
            "character, and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', regex used for "
            f"validation is '{_LABEL_1035}')"
        )
    return problems


def qualified_problems(key: str) -> list[str]:
    """What keeps `key` from being a label or annotation key: ``name`` or ``prefix/name``."""
    examples = "(e.g. 'MyName',  or 'my.name',  or '123-abc', regex used for validation is"
    charset = "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
    parts = key.split("/")
    if len(parts) > 2:
        return [
            f"a valid label key {charset} {examples} '{_QUALIFIED}') with an optional DNS subdomain prefix and '/' "
            "(e.g. 'example.com/MyName')"
        ]
    problems = []
    if len(parts) == 2:
        if not parts[0]:
            problems.append("prefix part must be non-empty")
        else:
            problems += [f"prefix part {problem}" for problem in subdomain_problems(parts[0])]
    name = parts[-1]
    if not name:
        problems.append("name part must be non-empty")
    elif len(name) > 63:
        problems.append("name part must be no more than 63 bytes")
    if not _matches(_QUALIFIED, name):
        problems.append(f"name part {charset} {examples} '{_QUALIFIED}')")
    return problems


def value_problems(value: str) -> list[str]:
    """What keeps `value` from being a label's value."""
    problems = [] if len(value) <= 63 else ["must be no more than 63 bytes"]
    if not _matches(_VALUE, value):
        problems.append(
            "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must "
            "start and end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', regex used "
            f"for validation is '{_VALUE}')"
        )
    return problems


def config_key_problems(key: str) -> list[str]:
    """What keeps `key` from being a key in a ConfigMap or Secret."""
    if _matches(_CONFIG_KEY, key):
        return []
    return [
        "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME', "
        f" or 'key-name', regex used for validation is '{_CONFIG_KEY}')"
    ]


def generated(base: str, rng: random.Random) -> str:
    """A name for metadata.generateName: the base, cut where needed, and five random letters."""
    return base[:_LONGEST_BASE] + "".join(rng.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))
