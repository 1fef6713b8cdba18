"""`kubeproof check`, and the counts on which the engines agree."""
