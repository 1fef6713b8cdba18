"""Components of kube-scheduler, one file each, named after the Go files."""
