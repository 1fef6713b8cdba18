"""`python -m kubeproof`: the command line."""

from kubeproof.cli import main

main()
