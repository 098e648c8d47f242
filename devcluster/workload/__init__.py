"""The demo cluster's workload: what makes it live.

Controllers written with informerd (deployments, replica sets, jobs, a scheduler, a kubelet, Mydemos), and a director
that makes things happen: rollouts, restarts, jobs, a scaling now and then. `seed` fills the store before the server
starts, so that the cluster looks as if it had been there for days.
"""
