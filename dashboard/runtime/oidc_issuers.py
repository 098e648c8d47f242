"""File of the OpenID Connect issuers (``DELTABOARD_OIDC``) and its checks.

The options and their defaults are those of kube-apiserver's ``--oidc-…`` flags, so that one person has one name in
Deltaboard and with kubectl. With several issuers the prefixes must keep their people and groups apart, as
kube-apiserver's structured AuthenticationConfiguration asks.
"""

from __future__ import annotations

import ipaddress
import re
from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import combinations
from pathlib import Path
from urllib.parse import urlsplit

from informerd.errors import ConfigError
from informerd.rest.located_yaml import Section, read_yaml
from informerd.suggest import suggest_names

OPTIONS = (
    "name", "title", "issuer", "client_id", "client_secret", "client_secret_file", "ca_file", "scopes",
    "username_claim", "username_prefix", "groups_claim", "groups_prefix", "uid_claim", "required_groups",
    "required_claims",
)  # fmt: skip
DEFAULT_SCOPES = ("openid", "profile", "email")
RESERVED_NAMES = frozenset({"logout", "sign-out"})
"""Addresses below /accounts/ that are no issuer's."""
_NAME = re.compile(r"[a-z0-9]([a-z0-9-]{0,38}[a-z0-9])?")


@dataclass(frozen=True, slots=True)
class Issuer:
    """One provider that signs people in."""

    name: str
    """Part of the addresses below /accounts/."""
    title: str
    """What the sign-in page calls it."""
    url: str
    """The issuer identifier, which is ``iss`` of its tokens."""
    client_id: str
    client_secret: str = field(default="", repr=False)
    ca_file: str = ""
    """PEM file of the authority that signed its certificate; empty: those that the machine trusts."""
    scopes: tuple[str, ...] = DEFAULT_SCOPES
    username_claim: str = "sub"
    username_prefix: str = ""
    groups_claim: str = ""
    """Empty: nobody has groups."""
    groups_prefix: str = ""
    uid_claim: str = ""
    """Empty: nobody has a uid."""
    required_groups: tuple[str, ...] = ()
    """Groups as the provider names them; people in none of them are not let in. Empty: everybody is."""
    required_claims: tuple[tuple[str, str], ...] = ()
    """Claims, and the value that each must have."""


def read_issuers(path: str) -> tuple[Issuer, ...]:
    """The issuers in a file; none without a path. Raises ValueError with file, line, and what to do."""
    if not path:
        return ()
    try:
        sections = _sections(Path(path))
        issuers = tuple(_issuer(section) for section in sections)
        _check_apart(sections, issuers)
    except FileNotFoundError:
        raise ValueError(f"there is no file {path}: write one with the issuers, see docs/sign-in.md") from None
    except ConfigError as error:
        raise ValueError(str(error)) from None
    return issuers


def _sections(path: Path) -> tuple[Section, ...]:
    content = read_yaml(path)
    if content is None:
        raise ConfigError(f"{path}: the file is empty: list issuers, see docs/sign-in.md")
    _refuse_unknown(content, ("issuers",))
    sections = content.sections("issuers")
    if not sections:
        content.fail("issuers", "must list at least one issuer, see docs/sign-in.md")
    return sections


def is_secure_url(url: str) -> bool:
    """Whether it is https, or http on this machine itself."""
    try:
        parts = urlsplit(url)
        host = parts.hostname or ""
    except ValueError:
        return False
    if parts.scheme == "https":
        return bool(host)
    return parts.scheme == "http" and (host == "localhost" or _is_loopback(host))


def _is_loopback(host: str) -> bool:
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _refuse_unknown(section: Section, known: tuple[str, ...]) -> None:
    for key in section:
        if key not in known:
            alike = suggest_names(key, known)
            section.fail(key, f"is no option: did you mean {alike[0]}?" if alike else
                         f"is no option: there are {', '.join(known)}")  # fmt: skip


def _issuer(section: Section) -> Issuer:
    _refuse_unknown(section, OPTIONS)
    for key in ("name", "issuer", "client_id"):
        if not section.text(key):
            section.fail(key, "is missing")
    name, url = section.text("name"), section.text("issuer")
    if not _NAME.fullmatch(name) or name in RESERVED_NAMES:
        section.fail("name", "must be lower-case letters, digits and dashes, 40 at most, and not logout or sign-out")
    if not is_secure_url(url) or set(url) & set("?#"):
        section.fail("issuer", "must be the https address that the provider's tokens have as iss, without ? and #")
    claim = section.text("username_claim") or "sub"
    return Issuer(
        name=name,
        title=section.text("title") or name,
        url=url,
        client_id=section.text("client_id"),
        client_secret=_secret(section),
        ca_file=_existing(section, "ca_file"),
        scopes=_scopes(section),
        username_claim=claim,
        username_prefix=_username_prefix(section, claim, url),
        groups_claim=section.text("groups_claim") if "groups_claim" in section else "groups",
        groups_prefix=section.text("groups_prefix"),
        uid_claim=section.text("uid_claim"),
        required_groups=section.texts("required_groups"),
        required_claims=_required_claims(section),
    )


def _username_prefix(section: Section, claim: str, url: str) -> str:
    """What is written; else, as kube-apiserver has it, none for e-mail addresses and ``<issuer>#`` for other claims."""
    if "username_prefix" in section:
        return section.text("username_prefix")
    return "" if claim == "email" else f"{url}#"


def _secret(section: Section) -> str:
    """The client's secret; empty for a public client, which has PKCE alone."""
    if "client_secret_file" not in section:
        return section.text("client_secret")
    if "client_secret" in section:
        section.fail("client_secret_file", "stands beside client_secret: leave one of them out")
    path = _existing(section, "client_secret_file")
    try:
        secret = Path(path).read_text(encoding="utf-8").strip()
    except (OSError, UnicodeDecodeError) as error:
        section.fail("client_secret_file", f"cannot be read: {getattr(error, 'strerror', None) or 'not UTF-8 text'}")
    if not secret:
        section.fail("client_secret_file", f"names {path}, which is empty: write the secret into it")
    return secret


def _existing(section: Section, key: str) -> str:
    """The path of a file, relative to the folder of this one; empty where none is named."""
    if key not in section:
        return ""
    path = section.path.parent / section.text(key)
    if not path.is_file():
        section.fail(key, f"names {path}, and there is no such file")
    return str(path)


def _scopes(section: Section) -> tuple[str, ...]:
    scopes = section.texts("scopes") or DEFAULT_SCOPES
    if "openid" not in scopes:
        section.fail("scopes", "must have openid, or the provider sends no ID token")
    return scopes


def _required_claims(section: Section) -> tuple[tuple[str, str], ...]:
    claims = section.section_or_empty("required_claims")
    return tuple((name, claims.text(name)) for name in claims)


def _alike_words(key: str, first: Issuer, second: Issuer, one: str, other: str) -> str:
    """What is wrong with the prefixes of two issuers, and what to do."""
    what = "groups" if key == "groups_prefix" else "people"
    if one and other:
        return (
            f"is {other!r} and that of {first.name} is {one!r}, so both issuers could name the same {what}: write "
            "two of which neither begins with the other, or the same text for both if that is wanted"
        )
    default = ", as is the default for the claim email" if key == "username_prefix" else ""
    without = [issuer.name for issuer, prefix in ((first, one), (second, other)) if not prefix]
    have = "have" if without[1:] else "has"
    return (
        f"must keep {first.name} and {second.name} apart: {' and '.join(without)} {have} no {key}{default}, so both "
        f"could name the same {what}. Write one for each, such as '{first.name}:' and '{second.name}:', or "
        f'{key}: "" for both if that is wanted'
    )


def _check_apart(sections: tuple[Section, ...], issuers: tuple[Issuer, ...]) -> None:
    """Raise ConfigError where two issuers have one name, or could name the same person or group unasked."""
    for (_, first), (section, second) in combinations(zip(sections, issuers, strict=True), 2):
        if first.name == second.name:
            section.fail("name", f"is {second.name}, as another issuer's: give each a name of its own")
    pairs = list(combinations(zip(sections, issuers, strict=True), 2))
    prefixes: tuple[tuple[str, Callable[[Issuer], str]], ...] = (
        ("username_prefix", lambda issuer: issuer.username_prefix),
        ("groups_prefix", lambda issuer: issuer.groups_prefix),
    )
    for key, prefix_of in prefixes:
        for (earlier, first), (section, second) in pairs:
            if key == "groups_prefix" and not (first.groups_claim and second.groups_claim):
                continue
            one, other = prefix_of(first), prefix_of(second)
            is_wanted = one == other and key in earlier and key in section
            if not is_wanted and (one.startswith(other) or other.startswith(one)):
                section.fail(key, _alike_words(key, first, second, one, other))
