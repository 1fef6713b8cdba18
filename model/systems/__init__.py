"""Components in their environment: each module defines one transition system to explore."""
