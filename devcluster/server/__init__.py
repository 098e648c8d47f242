"""The demo cluster's API server: an in-memory Kubernetes API server, true to the real one where that matters.

What it keeps: resource versions, list and watch with a bounded history, optimistic concurrency, preconditions,
finalizers, graceful deletion, owner references, structural schemas of custom resources, dry runs, field validation,
discovery and the wording of the real server's errors.

What it leaves out, on purpose: storage on disk, TLS, more than one user, RBAC, admission webhooks, conversion between
versions, server-side apply (415), aggregated APIs, protobuf, pod logs and exec, CEL rules, quotas, and every built-in
kind that devcluster/server/kinds.py does not name.
"""
