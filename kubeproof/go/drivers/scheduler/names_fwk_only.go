package scheduler

// Names of types that have moved (1.35 and later).

import fwk "k8s.io/kube-scheduler/framework"

type (
	playedAnyPlugin        = fwk.Plugin
	playedHandle           = fwk.Handle
	playedNominating       = fwk.NominatingInfo
	playedPostFilterResult = fwk.PostFilterResult
	playedStatusReader     = fwk.NodeToStatusReader
	playedWaitingPod       = fwk.WaitingPod
)

const playedOverride = fwk.ModeOverride
