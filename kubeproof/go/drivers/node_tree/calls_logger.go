// The calls with a logger (1.28 and later).

package cache

import (
	v1 "k8s.io/api/core/v1"
	"k8s.io/klog/v2"
)

func kpNewTree() *nodeTree                          { return newNodeTree(klog.Background(), nil) }
func kpAddNode(tree *nodeTree, node *v1.Node)       { tree.addNode(klog.Background(), node) }
func kpRemoveNode(tree *nodeTree, n *v1.Node) error { return tree.removeNode(klog.Background(), n) }
func kpUpdateNode(tree *nodeTree, o, n *v1.Node)    { tree.updateNode(klog.Background(), o, n) }
