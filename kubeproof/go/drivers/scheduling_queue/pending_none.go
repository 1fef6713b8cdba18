// Up to 1.28 no plugin waits for something.

package queue

import "k8s.io/kubernetes/pkg/scheduler/framework"

func kpSetPending(*framework.QueuedPodInfo, []string) {}
