// The calls with a logger (1.28 and later).

package cache

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

type kpCache = cacheImpl

var kpLogger = klog.Background()

func kpAddNode(c *kpCache, n *v1.Node)               { c.AddNode(kpLogger, n) }
func kpUpdateNode(c *kpCache, o, n *v1.Node)         { c.UpdateNode(kpLogger, o, n) }
func kpRemoveNode(c *kpCache, n *v1.Node) error      { return c.RemoveNode(kpLogger, n) }
func kpAssumePod(c *kpCache, p *v1.Pod) error        { return c.AssumePod(kpLogger, p) }
func kpForgetPod(c *kpCache, p *v1.Pod) error        { return c.ForgetPod(kpLogger, p) }
func kpAddPod(c *kpCache, p *v1.Pod) error           { return c.AddPod(kpLogger, p) }
func kpUpdatePod(c *kpCache, o, p *v1.Pod) error     { return c.UpdatePod(kpLogger, o, p) }
func kpRemovePod(c *kpCache, p *v1.Pod) error        { return c.RemovePod(kpLogger, p) }
func kpUpdateSnapshot(c *kpCache, s *Snapshot) error { return c.UpdateSnapshot(kpLogger, s) }
