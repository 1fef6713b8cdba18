"""`python -m kubeproof`: the command line."""

from kubeproof.start import main

main()
