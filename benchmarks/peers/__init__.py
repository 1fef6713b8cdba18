"""The engines beside peers: systems written by hand for spin (Promela) and rumur (Murphi), and TLC on specs/."""
