package scheduler

import "k8s.io/kube-scheduler/config/v1beta2"

// playedConfiguration is the newest form of the configuration (1.22).
type playedConfiguration = v1beta2.KubeSchedulerConfiguration
