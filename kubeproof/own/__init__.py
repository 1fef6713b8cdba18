"""A machine of your own, and properties of your own: what a file for `--machine` or `--property-file` imports.

docs/tutorials/your-machine.md begins with such a file.
"""

from kubeproof.own.machine import Machine as Machine
from kubeproof.own.properties import (
    invariant as invariant,
    liveness as liveness,
    step_invariant as step_invariant,
)
from model.machine import Action as Action
