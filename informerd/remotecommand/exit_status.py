"""How a command in a container ended, as the API server's error channel says it.

Source: apimachinery's pkg/util/remotecommand/constants.go and client-go's tools/remotecommand/errorstream.go.
"""

from __future__ import annotations

from dataclasses import dataclass

import msgspec

from informerd.errors import Status

NON_ZERO_EXIT = "NonZeroExitCode"
_EXIT_CODE = "ExitCode"


@dataclass(frozen=True, slots=True)
class ExitStatus:
    """The end of a session."""

    code: int | None
    """The command's exit code; None where it is not known: it could not be started, or the connection broke."""
    message: str = ""
    """Why there is no exit code, as the kubelet or the connection says it; empty for a command that ended."""
    is_broken: bool = False
    """Whether the connection broke before the API server told how the command ended."""


class _Result(msgspec.Struct):
    status: str = ""


def read_exit_status(body: bytes) -> ExitStatus:
    """The status of the error channel. A body that is no Status is its message, as with older servers."""
    try:
        result, status = msgspec.json.decode(body, type=_Result), msgspec.json.decode(body, type=Status)
    except msgspec.MsgspecError:
        return ExitStatus(None, body.decode(errors="replace").strip())
    if result.status == "Success":
        return ExitStatus(0)
    if status.reason == NON_ZERO_EXIT:
        codes = (cause.message for cause in status.details.causes if cause.reason == _EXIT_CODE)
        code = next((int(each) for each in codes if each.lstrip("-").isdecimal()), None)
        if code is not None:
            return ExitStatus(code)
    return ExitStatus(None, status.message or status.reason or "the command failed")
