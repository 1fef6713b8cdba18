"""Four independent checkers with one kind of answer (`kubeproof.verdict.Result`). No engine imports a model."""
