"""API types of each kind: small structs with the fields that the workload's controllers read."""

from __future__ import annotations

from devcluster.workload.api_types.cron_jobs import CronJob
from devcluster.workload.api_types.daemon_sets import DaemonSet
from devcluster.workload.api_types.deployments import Deployment, DeploymentStatus
from devcluster.workload.api_types.disruption_budgets import Budget
from devcluster.workload.api_types.jobs import Job
from devcluster.workload.api_types.mydemos import Mydemo, MydemoSpec
from devcluster.workload.api_types.nodes import Node, Taint
from devcluster.workload.api_types.pods import Container, ContainerStatus, Pod, Toleration
from devcluster.workload.api_types.replica_sets import ReplicaSet
from devcluster.workload.api_types.shared_structs import Condition, Template, condition_body, find_condition
from devcluster.workload.api_types.stateful_sets import StatefulSet

__all__ = [
    "Budget",
    "Condition",
    "Container",
    "ContainerStatus",
    "CronJob",
    "DaemonSet",
    "Deployment",
    "DeploymentStatus",
    "Job",
    "Mydemo",
    "MydemoSpec",
    "Node",
    "Pod",
    "ReplicaSet",
    "StatefulSet",
    "Taint",
    "Template",
    "Toleration",
    "condition_body",
    "find_condition",
]
