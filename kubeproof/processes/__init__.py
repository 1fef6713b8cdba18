"""All processes of kubeproof: the worker of a command, a pool, commands of others. None outlives its parent.

`supervise` has one command in a worker and answers signals. `pool` has tasks side by side, in processes of `worker` or,
by `dask_pool` and `dask_worker`, on a cluster. `tasks` is what both take and tell, `sources` what all must be made of.
`command` runs a program of others. `ties` ties a process to its parent, `left_behind` names temporary folders and
removes those of dead owners.
"""
