package scheduler

import configv1 "k8s.io/kube-scheduler/config/v1"

// playedConfiguration is the newest form of the configuration (1.25 and later).
type playedConfiguration = configv1.KubeSchedulerConfiguration
