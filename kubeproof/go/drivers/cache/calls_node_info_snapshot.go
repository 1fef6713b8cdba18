// The calls without a logger, of the type schedulerCache (1.17).

package cache

import v1 "k8s.io/api/core/v1"

type kpCache = schedulerCache

func kpAddNode(c *kpCache, n *v1.Node)                 { c.AddNode(n) }
func kpUpdateNode(c *kpCache, o, n *v1.Node)           { c.UpdateNode(o, n) }
func kpRemoveNode(c *kpCache, n *v1.Node) error        { return c.RemoveNode(n) }
func kpAssumePod(c *kpCache, p *v1.Pod) error          { return c.AssumePod(p) }
func kpForgetPod(c *kpCache, p *v1.Pod) error          { return c.ForgetPod(p) }
func kpAddPod(c *kpCache, p *v1.Pod) error             { return c.AddPod(p) }
func kpUpdatePod(c *kpCache, o, p *v1.Pod) error       { return c.UpdatePod(o, p) }
func kpRemovePod(c *kpCache, p *v1.Pod) error          { return c.RemovePod(p) }
func kpUpdateSnapshot(c *kpCache, s *kpSnapshot) error { return c.UpdateNodeInfoSnapshot(s) }
