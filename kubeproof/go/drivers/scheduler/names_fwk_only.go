package scheduler

// Names of types that have moved (1.36).

import fwk "k8s.io/kube-scheduler/framework"

type (
	playedAnyPlugin  = fwk.Plugin
	playedHandle     = fwk.Handle
	playedNominating = fwk.NominatingInfo
	playedWaitingPod = fwk.WaitingPod
)
