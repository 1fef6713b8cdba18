"""All processes of kubeproof: the worker of a command, a pool, commands of others. None outlives its parent.

`supervise` has one command in a worker and answers signals. `pool` has tasks side by side. `command` runs a program of
others. `ties` ties a process to its parent, `left_behind` names temporary folders and removes those of dead owners.
Only `pool` imports another room: a System travels as its name.
"""
