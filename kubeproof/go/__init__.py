"""A user's own checkout: what to run there, and what was seen there.

kubeproof writes Go files that `go test -overlay` adds to a package, and reads what they wrote. kubeproof does not run
`go`, and writes nothing into a checkout.
"""
