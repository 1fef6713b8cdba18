"""Parts of a scheduling cycle in Z3, for any number of nodes, pods and plugins: lemmas, induction, bounded runs."""
