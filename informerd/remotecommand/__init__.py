"""Run commands in containers over the API server's websocket, as ``kubectl exec`` does."""

from informerd.remotecommand.exec_session import ExecSession, Output, open_exec
from informerd.remotecommand.exit_status import ExitStatus

__all__ = ["ExecSession", "ExitStatus", "Output", "open_exec"]
