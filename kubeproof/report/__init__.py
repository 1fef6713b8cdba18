"""How results are shown: terminal, Markdown, HTML, ITF.

`told` tells a run once. `bug_list` finds bugs and `page` shows one; `exported` makes an ITF trace or a pytest of a kept
run. `build` writes the report of what `work` computes now and of `tables/`, which `everything` computes. `noticed` says
which property notices a wrong value in which field.
"""
