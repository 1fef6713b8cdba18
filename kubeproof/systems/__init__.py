"""The systems that can be checked, each described once; and what `--release` and `--feature-gates` stand for."""
