"""Rules in CEL judged by Google's own runtime (cel-expr-python); what it cannot tell without doubt is not told.

Where the package is not installed, nothing is judged, and the API server's dry run says what a rule objects to. A rule
that asks for a function of Kubernetes' own library which is not here does not compile, and so is not judged either. The
runtime ends what goes through too many items by itself; its regular expressions are RE2's, as the API server's are.
"""

from __future__ import annotations

import ipaddress
from functools import lru_cache
from typing import Any

try:
    from cel_expr_python import cel
    from cel_expr_python.ext import ext_bindings, ext_optional, ext_strings
except ImportError:  # there is no package of it for musl
    cel = None

LONGEST = 2_000
"""Characters of a rule that is judged."""


def holds(rule: str, value: Any) -> bool | None:
    """Whether the rule holds of `value`, which it calls self; None where that cannot be told."""
    compiled = _compiled(rule) if cel is not None and len(rule) <= LONGEST else None
    if compiled is None:
        return None
    try:
        found = compiled.eval(data={"self": value})
        return bool(found.value()) if found.type() == cel.Type.BOOL else None
    except (RuntimeError, TypeError, ValueError, OverflowError):
        return None


def is_ip(text: str) -> bool:
    """As apiserver's isIP (cel/library/ip.go): without a zone, and no IPv4 address that is written as an IPv6 one."""
    try:
        address = ipaddress.ip_address(text)
    except ValueError:
        return False
    return "%" not in text and getattr(address, "ipv4_mapped", None) is None


@lru_cache(maxsize=1)
def _environment() -> Any:
    overload = cel.Overload("is_ip_string", cel.Type.BOOL, [cel.Type.STRING], False, is_ip)
    return cel.NewEnv(
        variables={"self": cel.Type.DYN},
        extensions=[ext_strings.ExtStrings(2), ext_optional.ExtOptional(), ext_bindings.ExtBindings()],
        functions=[cel.FunctionDecl("isIP", [overload])],
    )


@lru_cache(maxsize=1024)
def _compiled(rule: str) -> Any:
    try:
        return _environment().compile(rule)
    except RuntimeError:
        return None
