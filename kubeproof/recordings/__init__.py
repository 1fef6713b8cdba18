"""How recordings of the real Go components are played on the model, one file for each recorded system."""
