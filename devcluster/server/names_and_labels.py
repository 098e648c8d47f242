"""Rules for names and labels, and random suffixes (apimachinery's util/validation, apiserver's storage/names)."""

from __future__ import annotations

import random
import re

from devcluster.server.api_errors import FieldError, invalid_value

_SUBDOMAIN = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?(\.[a-z0-9]([-a-z0-9]*[a-z0-9])?)*"
_LABEL = r"[a-z0-9]([-a-z0-9]*[a-z0-9])?"
_LABEL_1035 = r"[a-z]([-a-z0-9]*[a-z0-9])?"
_QUALIFIED = r"([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9]"
_VALUE = r"(([A-Za-z0-9][-A-Za-z0-9_.]*)?[A-Za-z0-9])?"
_CONFIG_KEY = r"[-._a-zA-Z0-9]+"

_SUFFIX_LETTERS = "bcdfghjklmnpqrstvwxz2456789"
_SUFFIX_LENGTH = 5
MAX_LABEL_LENGTH = 63
"""Letters of a label's value."""
_LONGEST_BASE = MAX_LABEL_LENGTH - _SUFFIX_LENGTH


def _matches(pattern: str, text: str) -> bool:
    return re.fullmatch(pattern, text) is not None


_USED = "regex used for validation is"
_BAD_SUBDOMAIN = (
    "a lowercase RFC 1123 subdomain must consist of lower case alphanumeric characters, '-' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'example.com', {_USED} '{_SUBDOMAIN}')"
)
_BAD_LABEL = (
    "a lowercase RFC 1123 label must consist of lower case alphanumeric characters or '-', and must start and end with "
    f"an alphanumeric character (e.g. 'my-name',  or '123-abc', {_USED} '{_LABEL}')"
)
_BAD_1035 = (
    "a DNS-1035 label must consist of lower case alphanumeric characters or '-', start with an alphabetic character, "
    f"and end with an alphanumeric character (e.g. 'my-name',  or 'abc-123', {_USED} '{_LABEL_1035}')"
)
_LETTERS = (
    "must consist of alphanumeric characters, '-', '_' or '.', and must start and end with an alphanumeric character"
)
_NAMES = f"(e.g. 'MyName',  or 'my.name',  or '123-abc', {_USED} '{_QUALIFIED}')"
_BAD_KEY = (
    f"a valid label key {_LETTERS} {_NAMES} with an optional DNS subdomain prefix and '/' (e.g. 'example.com/MyName')"
)
_BAD_VALUE = (
    "a valid label must be an empty string or consist of alphanumeric characters, '-', '_' or '.', and must start and "
    f"end with an alphanumeric character (e.g. 'MyValue',  or 'my_value',  or '12345', {_USED} '{_VALUE}')"
)
_BAD_CONFIG_KEY = (
    "a valid config key must consist of alphanumeric characters, '-', '_' or '.' (e.g. 'key.name',  or 'KEY_NAME',  or "
    f"'key-name', {_USED} '{_CONFIG_KEY}')"
)
_LONG_NAME = "must be no more than 253 characters"
_LONG_LABEL = "must be no more than 63 characters"
_LONG_PREFIX = "must be no more than 253 bytes"
_LONG_PART = "must be no more than 63 bytes"


def _checked(text: str, pattern: str, complaint: str, longest: int, too_long: str) -> list[str]:
    problems = [] if len(text) <= longest else [too_long]
    return problems if _matches(pattern, text) else [*problems, complaint]


def dns_subdomain_problems(name: str) -> list[str]:
    """The reasons why `name` is not an RFC 1123 subdomain, the rule for most objects' names."""
    return _checked(name, _SUBDOMAIN, _BAD_SUBDOMAIN, 253, _LONG_NAME)


def dns_label_problems(name: str) -> list[str]:
    """The reasons why `name` is not an RFC 1123 label (namespaces, services, containers)."""
    complaint = "must not contain dots" if _matches(_SUBDOMAIN, name) else _BAD_LABEL
    return _checked(name, _LABEL, complaint, 63, _LONG_LABEL)


def dns_1035_label_problems(name: str) -> list[str]:
    """The reasons why `name` is not an RFC 1035 label (versions and names in definitions)."""
    return _checked(name, _LABEL_1035, _BAD_1035, 63, _LONG_LABEL)


def qualified_name_problems(key: str) -> list[str]:
    """The reasons why `key` is not a label or annotation key: ``name`` or ``prefix/name``."""
    prefix, slash, name = key.rpartition("/")
    if "/" in prefix:
        return [_BAD_KEY]
    problems = []
    if slash and not prefix:
        problems.append("prefix part must be non-empty")
    elif slash:
        problems += _checked(prefix, _SUBDOMAIN, f"prefix part {_BAD_SUBDOMAIN}", 253, f"prefix part {_LONG_PREFIX}")
    if not name:
        problems.append("name part must be non-empty")
    return problems + _checked(name, _QUALIFIED, f"name part {_LETTERS} {_NAMES}", 63, f"name part {_LONG_PART}")


def label_value_problems(value: str) -> list[str]:
    """The reasons why `value` is not a label value."""
    return _checked(value, _VALUE, _BAD_VALUE, 63, _LONG_PART)


def config_key_problems(key: str) -> list[str]:
    """The reasons why `key` is not a key of a ConfigMap or Secret."""
    return _checked(key, _CONFIG_KEY, _BAD_CONFIG_KEY, 253, _LONG_NAME)


def generate_name(base: str, rng: random.Random) -> str:
    """A name for metadata.generateName: the base, cut where needed, and five random letters."""
    return base[:_LONGEST_BASE] + "".join(rng.choices(_SUFFIX_LETTERS, k=_SUFFIX_LENGTH))


def check_labels(labels: dict[str, str], field: str) -> list[FieldError]:
    """The errors in labels, or in a value given as labels."""
    errors: list[FieldError] = []
    for key, value in labels.items():
        errors += [invalid_value(field, key, why) for why in qualified_name_problems(key)]
        errors += [invalid_value(field, value, why) for why in label_value_problems(value)]
    return errors
