"""What was found out about the mutants of rules, a file for each system, and why some of them survive."""
