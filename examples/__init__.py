"""Example programs to read, run and copy; each uses kubectl's cluster, or the one that --kubeconfig names."""
