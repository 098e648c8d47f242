"""Selectors for tests: accepted by the API server, refused by it, and random ones."""

from __future__ import annotations

import random

LONGEST_NAME = "n" * 63
LONGEST_PREFIX = ".".join(["p" * 63, "p" * 63, "p" * 63, "p" * 61])

ACCEPTED = [
    "",
    "   ",
    "app",
    "app=web",
    "app==web",
    "app = web",
    "app=",
    "app==",
    "app!=",
    "app!=web",
    "app=web,tier=front",
    "tier=front , app=web",
    "app in (web)",
    "app in (web,api)",
    "app in(web,api)",
    "app in ( web , api )",
    "app in ()",
    "app in (,)",
    "app in (,web)",
    "app in (web,)",
    "app in (web,,api)",
    "app in (,,,)",
    "app in (web,,)",
    "app in (,,)",
    "app notin (web)",
    "app notin (web,api)",
    "app notin ()",
    "!app",
    "! app",
    "!none",
    "none",
    "app=web,app=api",
    "app,!app",
    "size>3",
    "size<30",
    "size > 3",
    "size>007",
    "size<9223372036854775807",
    "in=notin",
    "in in (in,notin)",
    "notin",
    "in",
    "!in",
    "notin notin (notin)",
    "app\t=\nweb\r",
    "example.com/role=db",
    "a.b/c",
    "A_b.c-d=E_f.g-h",
    f"{LONGEST_NAME}={LONGEST_NAME}",
    f"{LONGEST_PREFIX}/{LONGEST_NAME}",
    "0/0=0",
    "app=web\0",
    "\0app=",
    "app=\0",
    "app=web\0,tier",
    "size in (5,12),app",
]

REFUSED = [
    ",",
    " , ",
    "app,",
    ",app",
    "app,,tier",
    "app=web,",
    "app=web tier=front",
    "=web",
    "==",
    "!",
    "!!app",
    "!app=web",
    "!app in (web)",
    "!=web",
    "app===web",
    "app=!web",
    "app=(web)",
    "app=web=api",
    "app in",
    "app in web",
    "app in (",
    "app in (web",
    "app in (web,",
    "app in (web api)",
    "app in (web))",
    "app in ((web))",
    "app in (!web)",
    "app in (-web)",
    "app notin",
    "app notin web",
    "app is web",
    "app IN (web)",
    "app web",
    "(app)",
    ")",
    "app=-web",
    "app=web-",
    "app=we~b",
    "app=wéb",
    "äpp=web",
    "app=we/b",
    "-app",
    "app-",
    "/app",
    "app/",
    "a/b/c",
    "A.b/c",
    "a..b/c",
    "-a/b",
    "size>",
    "size>many",
    "size>-3",
    "size>+3",
    "size>1.5",
    "size>=3",
    "size<>3",
    "size<9223372036854775808",
    f"{LONGEST_NAME}n",
    f"app={LONGEST_NAME}n",
    f"app in (web,{LONGEST_NAME}n)",
    f"{LONGEST_PREFIX}p/x",
    "app\vx",
    "app=\u00a0web",
    "app\0tier",
]

_LETTERS = [
    "app",
    "tier",
    "size",
    "none",
    "in",
    "notin",
    "=",
    "==",
    "!=",
    "!",
    "(",
    ")",
    ",",
    ",",
    " ",
    ">",
    "<",
    "web",
    "5",
    "-",
    "\0",
    "é",
]


def random_label_selector(chance: random.Random) -> str:
    """A selector on the labels a, b and c that is well formed."""
    return ",".join(_random_requirement(chance) for _ in range(chance.randrange(4)))


def random_noise(chance: random.Random) -> str:
    """Pieces of selectors in any order; few of them are well formed."""
    return "".join(chance.choice(_LETTERS) for _ in range(chance.randrange(1, 8)))


def _random_requirement(chance: random.Random) -> str:
    key = chance.choice("abc")
    values = [chance.choice(["x", "y", "", "5", "12"]) for _ in range(chance.randrange(1, 4))]
    match chance.randrange(7):
        case 0:
            return key
        case 1:
            return f"!{key}"
        case 2:
            return f"{key} in ({','.join(filter(None, values))})"
        case 3:
            return f"{key} notin ({','.join(filter(None, values))})"
        case 4:
            return f"{key}{chance.choice('<>')}{chance.randrange(20)}"
    return f"{key}{chance.choice(['=', '==', '!='])}{values[0]}"
