package scheduler

// Names of types that have moved (1.34).

import "k8s.io/kubernetes/pkg/scheduler/framework"

type (
	playedAnyPlugin        = framework.Plugin
	playedHandle           = framework.Handle
	playedNominating       = framework.NominatingInfo
	playedPostFilterResult = framework.PostFilterResult
	playedStatusReader     = framework.NodeToStatusReader
	playedWaitingPod       = framework.WaitingPod
)

const playedOverride = framework.ModeOverride
