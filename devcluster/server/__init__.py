"""The demo cluster's API server: an in-memory Kubernetes API server, true to the real one where that matters.

What it keeps: resource versions, list and watch with a bounded history, optimistic concurrency, preconditions,
finalizers, graceful deletion, owner references, structural schemas of custom resources, dry runs, field validation,
discovery and the wording of the real server's errors. Nothing that a client sends stops it.

What it leaves out, on purpose: storage on disk, more than one user, RBAC (whoever asks may do everything), admission
webhooks, conversion between versions, server-side apply (415), aggregated APIs, protobuf in answers and of custom
resource definitions (bodies of the other built-in kinds are taken), pod logs and exec (501 with a sentence), a
namespace's finalize, the scale and the selectableFields of custom resources, CEL rules but the one in validation.py,
quotas, priority classes, persistent volumes and claims, ControllerRevisions, answers in YAML or a 406 for what is not
served (all is JSON), /openapi/v2, /metrics, single health checks, the paths below /api/v1/watch, rules on fields that
nobody sets in a demo (security contexts, tolerations, taints, names of resources), prose in the schemas of built-in
kinds, and every built-in kind that kinds.py does not name.

Where it is known to answer otherwise than the real server: a CustomResourceDefinition is established at once, and its
versions are named, not quoted whole, in what is wrong with them; patterns are Python's regular expressions, and one
that would take too long does not match; quantities of pods may be finer than a milli and are always spelled anew; a
Scale patched with text gets 400, not 422; a method that HTTP does not know gets a plain 400; managedFields have no
entries (".") for structs and lists, and do count what defaults and admission filled in;
conversion webhooks are checked and never called.
"""
