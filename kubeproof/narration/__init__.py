"""How each system's actions and states read to an engineer who debugs Kubernetes, not this tool."""
