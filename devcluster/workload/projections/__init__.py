"""Typed projections of each kind: small structs with the fields that the workload's controllers read."""

from __future__ import annotations

from devcluster.workload.projections.budgets import Budget
from devcluster.workload.projections.cron_jobs import CronJob
from devcluster.workload.projections.daemon_sets import DaemonSet
from devcluster.workload.projections.deployments import Deployment, DeploymentStatus, ReplicaSet
from devcluster.workload.projections.jobs import Job
from devcluster.workload.projections.mydemos import Mydemo, MydemoSpec
from devcluster.workload.projections.nodes import Node, Taint
from devcluster.workload.projections.parts import Condition, Template, condition_body, find_condition
from devcluster.workload.projections.pods import Container, ContainerStatus, Pod, Toleration
from devcluster.workload.projections.stateful_sets import StatefulSet

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
