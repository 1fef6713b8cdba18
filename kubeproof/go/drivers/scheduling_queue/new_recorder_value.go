// A new queue from 1.28 to 1.35: it takes the recorder of metrics as a value.

package queue

import "k8s.io/kubernetes/pkg/scheduler/metrics"

func kpWithRecorder(recorder *metrics.MetricAsyncRecorder) Option {
	return WithMetricsRecorder(*recorder)
}
