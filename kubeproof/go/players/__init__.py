"""How the runs of each system are played by Go: a file for each system, and the table of them."""
