"""What the scheduling framework's plugins answer, and how the framework puts their answers together."""
