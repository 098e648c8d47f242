"""What the workload's controllers read of each kind: small typed structs instead of whole objects."""

from __future__ import annotations

from devcluster.workload.projections.budgets import Budget
from devcluster.workload.projections.deployments import Deployment, DeploymentStatus, ReplicaSet
from devcluster.workload.projections.jobs import Job
from devcluster.workload.projections.mydemos import Mydemo, MydemoSpec
from devcluster.workload.projections.nodes import Node, Taint
from devcluster.workload.projections.parts import Condition, Template, condition, condition_body
from devcluster.workload.projections.pods import Container, ContainerStatus, Pod, Toleration
from devcluster.workload.projections.sets import CronJob, DaemonSet, StatefulSet

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
    "condition",
    "condition_body",
]
