"""The Z3 engine: bounded model checking, and proofs for every size.

`check` is bounded model checking. `check_inductive` turns proofs into results. `prove` asks single obligations.
`besides` says which powers break a proof. The formulas come from a `properties.smt.form.SmtForm`.
"""

from kubeproof.engines.smt.bounded import EncodingError, check
from kubeproof.engines.smt.induction import ObligationResult, check_inductive, prove
from kubeproof.engines.smt.powers import besides

__all__ = ["EncodingError", "ObligationResult", "besides", "check", "check_inductive", "prove"]
