package scheduler

import "fmt"

// oneBinderBinds: Once an extender has bound a pod, no other binder is asked in the same attempt.
func oneBinderBinds(before observed, action observedAction, after observed) string {
	asked := before.goroutine(action.args["pod"], action.name)
	if (action.name == "bind" || action.name == "bind_by_extender") && asked != nil && before.boundByExtender[asked.pod.uid] {
		return fmt.Sprintf("an extender has bound %s, and another binder is asked", asked.pod.uid)
	}
	return ""
}
