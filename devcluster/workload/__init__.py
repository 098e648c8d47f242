"""Demo cluster workload: controllers and a director that keep the cluster changing.

The controllers are written with informerd (Deployments, ReplicaSets, Jobs, a scheduler, a kubelet, Mydemos). The
director makes things happen: rollouts, restarts, jobs, a scaling now and then. `seed` fills the store before the server
starts, so that the cluster looks as if it had run for days.
"""
