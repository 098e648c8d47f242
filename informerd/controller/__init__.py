"""Controllers: sources of requests, predicates, and the workers that reconcile (controller-runtime)."""
