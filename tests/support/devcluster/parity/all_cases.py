"""Setup and all request cases of the comparison, in order."""

from __future__ import annotations

from tests.support.devcluster.gadget_crd import gadget
from tests.support.devcluster.http_client import Json
from tests.support.devcluster.parity.case import APPS, CORE, MAPS, PODS, Case, G, deployment, pod
from tests.support.devcluster.parity.crd_cases import CRD_CASES
from tests.support.devcluster.parity.crud_cases import CRUD_CASES
from tests.support.devcluster.parity.eviction_cases import EVICTION_CASES, EVICTION_SETUP
from tests.support.devcluster.parity.query_and_patch_cases import QUERY_AND_PATCH_CASES
from tests.support.devcluster.parity.stateful_daemon_cron_cases import SET_AND_CRON_JOB_CASES, SET_AND_CRON_JOB_SETUP
from tests.support.devcluster.parity.validation_cases import VALIDATION_CASES

SETUP: tuple[tuple[str, Json], ...] = (
    (f"{CORE}/serviceaccounts", {"metadata": {"name": "default"}}),
    (G, gadget("a1")),
    (G, {**gadget("held"), "metadata": {"name": "held", "finalizers": ["a.b/c"]}}),
    (MAPS, {"metadata": {"name": "c1"}, "data": {"a": "1"}}),
    (MAPS, {"metadata": {"name": "im"}, "immutable": True, "data": {"a": "1"}}),
    (PODS, pod("p1")),
    (f"{APPS}/deployments", deployment("d1")),
    *EVICTION_SETUP,
    *SET_AND_CRON_JOB_SETUP,
)
CASES: tuple[Case, ...] = (
    *CRUD_CASES,
    *VALIDATION_CASES,
    *QUERY_AND_PATCH_CASES,
    *CRD_CASES,
    *EVICTION_CASES,
    *SET_AND_CRON_JOB_CASES,
)
