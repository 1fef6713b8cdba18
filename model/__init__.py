"""What is checked: frozen states and pure functions of the Kubernetes components. Imports nothing of ours."""
