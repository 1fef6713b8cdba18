"""`kubeproof explore`: take the actions of a system one by one in a page, and see what each would do.

`explorer.py` is the interface: JSON in, JSON out, plain Python. Two callers have it: a server of this machine
(`server.py`), and a worker of the browser (`web/worker.mjs`), which runs the same code by Pyodide.
"""
