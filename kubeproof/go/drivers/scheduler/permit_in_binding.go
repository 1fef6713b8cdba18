package scheduler

// Permit in the goroutine of the binding (1.17). RunPermitPlugins asks the plugins and then waits: no call stands between the
// map that has the waiting pod and the receive. But a line of the log does, and the goroutine is held while it is written.

import (
	"bytes"
	"context"
	"flag"
	"os"
	"time"

	v1 "k8s.io/api/core/v1"
	"k8s.io/klog"
	framework "k8s.io/kubernetes/pkg/scheduler/framework/v1alpha1"
)

// RunPermitPlugins is the first call of the goroutine of the binding.
func (f *playedFramework) RunPermitPlugins(ctx context.Context, state *framework.CycleState, pod *v1.Pod, node string) *playedStatus {
	f.k.inBinding()
	if f.k.scope.permit > 0 {
		f.k.gate("permit")
	}
	return f.Framework.RunPermitPlugins(ctx, state, pod, node)
}

// playedPermit is a plugin at Permit that has a pod wait if the action says so.
type playedPermit struct{ k *playedScheduler }

func (p *playedPermit) Name() string { return playedPlugin }

func (p *playedPermit) Permit(context.Context, *framework.CycleState, *v1.Pod, string) (*playedStatus, time.Duration) {
	if p.k.waits > 0 {
		p.k.waits--
		return framework.NewStatus(framework.Wait, ""), time.Hour
	}
	return nil, 0
}

// addPermit adds the plugin at Permit, if there is one.
func (k *playedScheduler) addPermit() error {
	if k.scope.permit == 0 {
		return nil
	}
	playedSet(k.sched.Framework, "permitPlugins", []framework.PermitPlugin{&playedPermit{k}})
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
	if bytes.Contains(text, []byte("waiting for pod ")) && bytes.Contains(text, []byte(" at permit")) {
		l.k.gate("listen")
		l.k.note(func(a *playedAttempt) { a.gate = "wait_on_permit" })
	}
	return os.Stderr.Write(text)
}
