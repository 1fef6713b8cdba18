"""Four independent engines with one kind of answer, `kubeproof.verdict.result.Result`. No engine imports a model."""
