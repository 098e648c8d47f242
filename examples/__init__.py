"""Programs to read, run and copy. Each takes the cluster that kubectl would, or what --kubeconfig names."""
