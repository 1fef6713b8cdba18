package scheduler

// Permit in the goroutine of the binding (1.16, 1.17). RunPermitPlugins asks the plugins and then waits: no call stands
// between the map that has the waiting pod and the receive. But a line of the log does, and the goroutine is held while it is
// written. Then it receives. What is sent now it has at once, and the waiting pod leaves the map: the goroutine is held again.

import (
	"bytes"
	"flag"
	"fmt"
	"os"

	"k8s.io/klog"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// atPermit asks the plugins, and waits if one of them says so.
func (k *playedScheduler) atPermit(ask func() *playedStatus) *playedStatus {
	k.inBinding()
	if k.scope.permit > 0 {
		k.gate("permit")
	}
	status := ask()
	if a := k.mine(); a != nil && a.listens != nil {
		k.mu.Lock()
		a.told = "rejected"
		if status.IsSuccess() {
			a.told = "allowed"
		}
		k.mu.Unlock()
		k.stand(a, "wait_on_permit")
		k.mu.Lock()
		a.listens, a.told = nil, ""
		k.mu.Unlock()
	}
	return status
}

// mine is the attempt of which the goroutine that runs is the binding.
func (k *playedScheduler) mine() *playedAttempt {
	k.mu.Lock()
	defer k.mu.Unlock()
	for _, a := range k.attempts {
		if a.binding == playedGoroutine() {
			return a
		}
	}
	return nil
}

// playedPermit is a plugin at Permit that has a pod wait if the action says so.
type playedPermit struct {
	k    *playedScheduler
	name string
}

func (p *playedPermit) Name() string { return p.name }

// addPermit adds the plugins at Permit, if there are some.
func (k *playedScheduler) addPermit() error {
	if k.scope.permit == 0 {
		return nil
	}
	var plugins []framework.PermitPlugin
	for i := 1; i <= k.scope.permit; i++ {
		plugins = append(plugins, &playedPermit{k, fmt.Sprint(playedPlugin, i)})
	}
	playedSet(k.sched.Framework, "permitPlugins", plugins)
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	for _, severity := range []string{"INFO", "WARNING", "ERROR"} {
		klog.SetOutputBySeverity(severity, &playedLog{k})
	}
	for name, value := range map[string]string{"logtostderr": "false", "vmodule": "framework=4"} {
		if err := flags.Set(name, value); err != nil {
			return err
		}
	}
	return nil
}

// playedLog holds the goroutine that says that a pod will wait. Then it waits, and nothing more can be seen of it.
type playedLog struct{ k *playedScheduler }

func (l *playedLog) Write(text []byte) (int, error) {
	if bytes.Contains(text, []byte("waiting for ")) && bytes.Contains(text, []byte(" at permit")) {
		l.k.gate("listen")
		l.k.note(func(a *playedAttempt) { a.listens = l.k.waitingPod(a.pod.UID) })
	}
	return os.Stderr.Write(text)
}
