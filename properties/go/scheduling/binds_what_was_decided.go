package scheduler

import "fmt"

// bindsWhatWasDecided: A node chosen for one incarnation of a pod is never given to another.
func bindsWhatWasDecided(before observed, action observedAction, after observed) string {
	asked := before.goroutine(action.args["pod"], "bind")
	if action.name != "bind" || asked == nil {
		return ""
	}
	now := after.pods[asked.pod.name]
	if now.uid != asked.pod.uid && now.node != "" && before.pods[asked.pod.name].node == "" {
		return fmt.Sprintf("%s is bound to %s, which was chosen for %s", now.uid, now.node, asked.pod.uid)
	}
	return ""
}
