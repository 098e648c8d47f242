"""In-memory Kubernetes API server of the demo cluster, which behaves as the real one where clients can tell.

Served: resource versions, list and watch with a bounded history, optimistic concurrency, preconditions, finalizers,
graceful deletion, owner references, structural schemas of custom resources, dry runs, field validation, discovery and
the real server's error messages. Nothing that a client sends stops the server.

Left out on purpose: storage on disk, more than one user, RBAC (every client may do everything), admission webhooks,
conversion between versions, server-side apply (415), aggregated APIs, protobuf in responses and of custom resource
definitions (bodies of the other built-in kinds are accepted), attach and port-forward (501 with a message), commands in
containers other than a few that a made-up shell answers, a namespace's
finalize, the scale and the selectableFields of custom resources, CEL rules except the ones in custom_resources.py,
quotas, priority classes, persistent volumes and claims, ControllerRevisions, responses in YAML or a 406 for formats
that are not served (everything is JSON), /openapi/v2, /metrics, single health checks, the paths below /api/v1/watch,
rules on fields that nobody sets in a demo (security contexts, tolerations, taints, names of resources), descriptions in
the schemas of built-in kinds, and every built-in kind that kinds.py does not name.

Known differences from the real server: a CustomResourceDefinition is established at once, and error messages name its
versions instead of quoting them whole; patterns are Python's regular expressions, and one that would take too long does
not match; quantities of pods may be finer than a milli and are always rewritten in canonical form; a Scale patched with
text gets 400, not 422; a method that HTTP does not know gets a plain 400; managedFields have no entries (".") for
structs and lists, and include what defaults and admission filled in; conversion webhooks are checked and never called.
"""
