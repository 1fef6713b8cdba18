package scheduler

import "k8s.io/klog/v2"

// playedExits has `end` called where klog would end the process (1.26 and later).
func playedExits(end func()) (locked bool) {
	klog.OsExit = func(int) { end() }
	return false
}
