"""Proposed fixes: loading, guarding and judging them.

`fix` reads a file, which `stranger` executes in processes of its own (`process`, `served`, `wire`). `judging` asks each
engine before and after, and `judgement` is what comes of that. Where a call was answered otherwise (`alike`), the same
runs are taken side by side (`side_by_side`, `one_side`). `reached` compares all steps from the states of the release.
"""
