"""HTTP session for an API server."""

from __future__ import annotations

import ssl
from pathlib import Path

import aiohttp

from informerd.rest.load_config import load_kubeconfig


def session_for(kubeconfig: Path) -> aiohttp.ClientSession:
    """A session for the API server that the kubeconfig names: its certificate, its token."""
    access = load_kubeconfig(kubeconfig)
    tls = access.tls
    authority = (tls.ca_data or (tls.ca_file.read_bytes() if tls.ca_file else b"")).decode()
    connector = aiohttp.TCPConnector(limit=64, ssl=ssl.create_default_context(cadata=authority))
    headers = {"Authorization": f"Bearer {access.credentials.token}"}
    return aiohttp.ClientSession(access.server, connector=connector, headers=headers)
