// A new queue from 1.36 on: it takes a pointer to the recorder of metrics.

package queue

import "k8s.io/kubernetes/pkg/scheduler/metrics"

func kpWithRecorder(recorder *metrics.MetricAsyncRecorder) Option {
	return WithMetricsRecorder(recorder)
}
