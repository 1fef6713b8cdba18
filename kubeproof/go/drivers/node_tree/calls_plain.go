// The calls without a logger (up to 1.27).

package cache

import v1 "k8s.io/api/core/v1"

func kpNewTree() *nodeTree                             { return newNodeTree(nil) }
func kpAddNode(tree *nodeTree, node *v1.Node)          { tree.addNode(node) }
func kpRemoveNode(tree *nodeTree, node *v1.Node) error { return tree.removeNode(node) }
func kpUpdateNode(tree *nodeTree, o, n *v1.Node)       { tree.updateNode(o, n) }
