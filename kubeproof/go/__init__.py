"""A user's own checkout: what to run there, and what was seen there.

kubeproof writes Go files that `go test -overlay` adds to a package, and reads what they wrote. kubeproof does not run
`go`, and writes nothing into a checkout.

`checkout` finds the packages, `registry` has the drivers, `driver` chooses a driver's Go files by looking at the
source, `overlay` and `record` write what `go test -overlay` needs, `results` reads what was written then, `judge`
holds it against a release and a fix. `aim` finds operations that tell rules apart (of the queue: `queue_cases`, and
the calls of kept runs, `queue_runs`). `drivers/` has the Go files, `operations/` what they play. By
`kubeproof/players/`, `generated` and `written` make Go tests of kept runs, `own_tests` names further ones
and finds their runs (`runs/`), `played` reads what these printed, and `why_not` says why a run is not played.
"""
