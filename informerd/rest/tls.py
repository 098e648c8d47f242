"""TLS contexts that follow their files: certificates are replaced while the program runs."""

from __future__ import annotations

import contextlib
import logging
import os
import ssl
import tempfile
from collections.abc import Iterator
from pathlib import Path

from informerd.clock import Clock
from informerd.errors import CredentialsError
from informerd.log_throttle import LogThrottle, repeat_suffix
from informerd.rest.cluster_config import TlsConfig

log = logging.getLogger(__name__)

CHECK_INTERVAL = 5.0
"""Seconds between two looks at the files (client-go looks every 5 minutes)."""

_Stamp = tuple[int, int, int] | None


class TlsFiles:
    """The SSL context for one cluster, built again when one of its files has changed.

    A change makes another context object: connections of the old one must then be drained.
    """

    def __init__(self, config: TlsConfig, clock: Clock) -> None:
        self._config = config
        self._clock = clock
        self._files = tuple(file for file in (config.ca_file, config.cert_file, config.key_file) if file)
        self._context: ssl.SSLContext | None = None
        self._stamps: tuple[_Stamp, ...] = ()
        self._certificate: tuple[bytes, bytes] | None = None
        self._checked = 0.0
        self._repeats = LogThrottle(clock)

    def context(self, certificate: tuple[bytes, bytes] | None = None) -> ssl.SSLContext:
        """The present context; `certificate` (PEM and key) of an exec plugin replaces the configured one.

        Files that cannot be read or do not fit together (a rotation half done) leave the old context in use and are
        tried again; raises CredentialsError only where there is none yet.
        """
        if self._context is None or certificate != self._certificate:
            self._stamps = self._look()
            self._context = self._build(certificate)
            self._certificate = certificate
        elif self._files and self._clock.now() - self._checked >= CHECK_INTERVAL:
            self._renew(self._look())
        return self._context

    def _renew(self, stamps: tuple[_Stamp, ...]) -> None:
        if stamps == self._stamps:
            return
        try:
            self._context = self._build(self._certificate)
            self._stamps = stamps
            self._repeats.reset("certificates")
            files = ", ".join(map(str, self._files))
            log.info("certificates have changed and were read again: %s", files, extra={"files": files})
        except CredentialsError as error:
            if number := self._repeats.count("certificates"):
                fields = {"problem": str(error), "failures": number}
                log.warning(
                    "certificates have changed but cannot be used yet: %s%s", error, repeat_suffix(number), extra=fields
                )

    def _look(self) -> tuple[_Stamp, ...]:
        self._checked = self._clock.now()
        return tuple(map(_stamp, self._files))

    def _build(self, certificate: tuple[bytes, bytes] | None) -> ssl.SSLContext:
        context = _authority_context(self._config)
        if certificate is not None:
            _load_data(context, *certificate)
        elif self._config.has_client_certificate:
            cert = self._config.cert_data or _content(self._config.cert_file)
            _load_data(context, cert, self._config.key_data or _content(self._config.key_file))
        return context


def _authority_context(config: TlsConfig) -> ssl.SSLContext:
    """A context that trusts the configured authority (the system's where none is) and presents nothing."""
    if config.insecure:
        context = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        context.check_hostname = False
        context.verify_mode = ssl.CERT_NONE
        return context
    given = bool(config.ca_data or config.ca_file)
    authority = (config.ca_data or _content(config.ca_file)).decode("ascii", "ignore")
    if given and not authority.strip():  # an empty one must not come to mean the system's authorities
        raise CredentialsError(f"the certificate authority {_origin(config)} is empty")
    try:
        context = ssl.create_default_context(cadata=authority if given else None)
    except ssl.SSLError as error:
        raise CredentialsError(f"the certificate authority {_origin(config)} cannot be used: {error}") from error
    # As Go has it: whatever stands in the file is trusted, and old authorities without key identifiers still are
    # (Python 3.13 made the strict check the default).
    context.verify_flags |= ssl.VERIFY_X509_PARTIAL_CHAIN
    context.verify_flags &= ~ssl.VERIFY_X509_STRICT
    return context


def _origin(config: TlsConfig) -> str:
    return "of the kubeconfig" if config.ca_data else str(config.ca_file)


def _load_data(context: ssl.SSLContext, cert: bytes, key: bytes) -> None:
    """Load a client certificate. OpenSSL reads files only, so it stands in one for a moment."""
    try:
        with _private_file(cert + b"\n" + key) as file:
            context.load_cert_chain(file, password=_no_password)
    except (OSError, ValueError) as error:  # OSError: an ssl.SSLError, or no place for the file
        raise CredentialsError(f"the client certificate and its key cannot be used: {error}") from error


@contextlib.contextmanager
def _private_file(content: bytes) -> Iterator[Path]:
    """A file that nobody else can read: in memory where the system has that, since keys are better not on a disk and a
    container's may be read-only; else in a folder of its own. Raises OSError."""
    if hasattr(os, "memfd_create"):
        descriptor = os.memfd_create("client.pem")
        with os.fdopen(descriptor, "wb") as memory:
            memory.write(content)
            memory.flush()
            yield Path(f"/proc/self/fd/{descriptor}")
        return
    with tempfile.TemporaryDirectory(prefix="informerd-") as folder:
        file = Path(folder, "client.pem")
        file.touch(mode=0o600)
        file.write_bytes(content)
        yield file


def _no_password() -> str:
    """OpenSSL would otherwise ask on the terminal, and wait."""
    raise ValueError("the key is encrypted")


def _content(file: Path | None) -> bytes:
    try:
        return file.read_bytes() if file else b""
    except OSError as error:
        raise CredentialsError(f"{file}: cannot be read: {error.strerror}") from error


def _stamp(file: Path) -> _Stamp:
    """A value that changes when the file does; symlinks are followed, as mounted Secrets swap them."""
    try:
        status = file.stat()
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size, status.st_ino
