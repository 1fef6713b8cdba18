"""The Z3 engine: bounded model checking, and proofs for every size.

`check` is bounded model checking. `check_inductive` turns proofs into results. `prove` asks single obligations. The
formulas come from a `properties.smt.form.SmtForm`.
"""

from kubeproof.engines.smt.bounded import EncodingError, check
from kubeproof.engines.smt.induction import ObligationResult, check_inductive, prove

__all__ = ["EncodingError", "ObligationResult", "check", "check_inductive", "prove"]
