"""A user's own checkout: what to run there, and what was seen there.

kubeproof writes Go files that `go test -overlay` adds to a package, and reads what they wrote. kubeproof does not run
`go`, and writes nothing into a checkout.

`checkout` finds the packages, `registry` has the drivers, `driver` chooses a driver's Go files by looking at the source
and writes them with the overlay. `record` writes what is played on a component (`cases/`, `operations/`), and `results`
reads what was written then. `generated` and `written` make Go tests of kept runs, by `kubeproof/players/`;
`further_tests` names others, and finds their runs (`runs/`); `played` reads what these printed. `held_against` holds
the operations, and `held_runs` the runs, against a release and a fix.
"""
