"""Workaround for file descriptors that the event loop refuses because it takes them for those of a connection.

Seen with uvloop after outages of an API server: a connection's descriptor was closed behind the loop's back (compare
MagicStack/uvloop#738). The system gives the same number to the next socket, which the loop refuses ("File descriptor
27 is used by transport …"), and to each one after it: no connection would be made or accepted any more.
"""

from __future__ import annotations

import asyncio
import logging
import os
import re

_REFUSED = re.compile(r"File descriptor (\d+) is used by transport")
_SOON = 0.05
"""Seconds after which the refused socket is closed."""

logger = logging.getLogger(__name__)


def occupy_refused_descriptor(error: BaseException | None) -> bool:
    """Whether `error` is such a refusal. Then the null device takes the descriptor, at once or as soon as the refused
    socket is closed, and further sockets get others. It is closed with the connection that the loop takes for its
    owner.

    Call it on the event loop.
    """
    found = _REFUSED.search(str(error)) if isinstance(error, RuntimeError) else None
    if found is None:
        return False
    number = int(found[1])
    if not _occupy(number):
        asyncio.get_running_loop().call_later(_SOON, _occupy, number)
    return True


def _occupy(number: int) -> bool:
    """Open the null device as this descriptor; False where another file has it."""
    others = []
    while (opened := os.open(os.devnull, os.O_RDONLY)) < number:
        others.append(opened)
    for other in others:
        os.close(other)
    if opened > number:
        os.close(opened)
        return False
    logger.warning("the event loop refuses sockets with the file descriptor %d: they get others from now on", number)
    return True
