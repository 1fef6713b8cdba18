"""`kubeproof conform`: recordings of the real Go components are played on the models."""
