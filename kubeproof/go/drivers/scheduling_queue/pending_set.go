// From 1.29 on a record names the plugins that wait for something.

package queue

import "k8s.io/kubernetes/pkg/scheduler/framework"

func kpSetPending(info *framework.QueuedPodInfo, plugins []string) {
	info.PendingPlugins = info.PendingPlugins.Difference(info.PendingPlugins)
	info.PendingPlugins.Insert(plugins...)
}
