"""How a driver of `kubeproof/go/drivers/` plays the runs of each system: a file for each system, and their table."""
