"""The kubelet's CPU manager with the static policy, one file for each part of pkg/kubelet/cm/cpumanager."""
