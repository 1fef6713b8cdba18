"""Z3 formulas over Bools, evaluated on many assignments at once: a column is an int, its bit r the value in row r."""

from collections.abc import Mapping, Sequence

from z3 import (
    Z3_OP_AND,
    Z3_OP_EQ,
    Z3_OP_FALSE,
    Z3_OP_IFF,
    Z3_OP_NOT,
    Z3_OP_OR,
    Z3_OP_TRUE,
    BoolRef,
    Not,
    is_const,
)


class Columns:
    """The values of `variables` in `rows` rows. Raises KeyError for a variable without one."""

    def __init__(self, variables: Mapping[BoolRef, int], rows: int) -> None:
        self.every = (1 << rows) - 1
        self._known = {variable.get_id(): column for variable, column in variables.items()}
        self._kept: list[BoolRef] = [*variables]  # an id is that of one formula only while the formula lives

    def of(self, formula: BoolRef) -> int:
        """The column of `formula`. Raises ValueError for what is no propositional formula."""
        column = self._known.get(formula.get_id())
        if column is None:
            column = self._known[formula.get_id()] = self._evaluated(formula)
            self._kept.append(formula)
        return column

    def _evaluated(self, formula: BoolRef) -> int:
        kind = formula.decl().kind()
        parts = [self.of(part) for part in formula.children()]
        if kind == Z3_OP_AND:
            column = self.every
            for part in parts:
                column &= part
            return column
        if kind == Z3_OP_OR:
            column = 0
            for part in parts:
                column |= part
            return column
        if kind == Z3_OP_NOT:
            return self.every ^ parts[0]
        if kind in (Z3_OP_EQ, Z3_OP_IFF) and len(parts) == 2:
            return self.every ^ parts[0] ^ parts[1]
        if kind in (Z3_OP_TRUE, Z3_OP_FALSE):
            return self.every if kind == Z3_OP_TRUE else 0
        if is_const(formula):
            raise KeyError(str(formula))
        raise ValueError(f"no propositional formula: {formula.decl()}")


class Literals:
    """Reads conjunctions of variables, negated or not."""

    def __init__(self, variables: Sequence[BoolRef]) -> None:
        self._formulas = [(variable, Not(variable)) for variable in variables]
        self._said = {
            literal.get_id(): (i, literal is variable)
            for i, (variable, negated) in enumerate(self._formulas)
            for literal in (variable, negated)
        }

    def read(self, conjunction: BoolRef) -> tuple[bool, ...]:
        """The value of each variable. Raises KeyError where something is no literal of these, or one is missing."""
        said = dict(self._said[part.get_id()] for part in conjunction.children())
        return tuple(said[i] for i in range(len(self._formulas)))
