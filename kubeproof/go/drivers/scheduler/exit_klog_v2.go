package scheduler

import "k8s.io/klog/v2"

// playedExits has `end` called where klog would end the process (1.22): klog is locked then, for ever.
func playedExits(end func()) (locked bool) {
	klog.SetOutputBySeverity("FATAL", playedFatal(end))
	return true
}
