"""The small ways in which code is wrong: mutation operators on parso's syntax trees.

Most of them are cosmic-ray's own. Those that it lacks are written here, with the interface of its operators.
"""

import builtins
from abc import abstractmethod
from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import parso
from cosmic_ray.operators import (
    binary_operator_replacement,
    boolean_replacer,
    break_continue,
    comparison_operator_replacement,
    number_replacer,
    unary_operator_replacement,
    zero_iteration_for_loop,
)
from cosmic_ray.operators.operator import Operator

Position = tuple[tuple[int, int], tuple[int, int]]


def _code(text: str) -> Any:
    tree: Any = parso.parse(text)  # type: ignore[no-untyped-call]
    return tree


class _OwnOperator(Operator):  # type: ignore[misc]
    """An operator that knows for a node in which ways it changes, each as the text of the changed node."""

    @abstractmethod
    def changes(self, node: Any) -> Iterator[str]:
        """The text of `node` after each change."""

    def mutation_positions(self, node: Any) -> Iterator[Position]:
        for _ in self.changes(node):
            yield node.start_pos, node.end_pos

    def mutate(self, node: Any, index: int) -> Any:
        return _code(list(self.changes(node))[index])

    @classmethod
    def examples(cls) -> tuple[()]:
        return ()


def _is_docstring(statement: Any) -> bool:
    return bool(statement.children[0].type == "string")


class StatementDropped(_OwnOperator):
    """`pass` in the place of a statement."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type == "simple_stmt" and not _is_docstring(node) and node.children[0].type != "return_stmt":
            prefix = node.get_first_leaf().prefix
            yield f"{prefix}pass\n"


class StatementsSwapped(_OwnOperator):
    """Two statements in the order of the second and the first."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type not in ("suite", "file_input"):
            return
        children = node.children
        for at in range(len(children) - 1):
            pair = children[at : at + 2]
            if all(child.type == "simple_stmt" and not _is_docstring(child) for child in pair):
                texts = [child.get_code() for child in children]
                texts[at], texts[at + 1] = texts[at + 1], texts[at]
                yield "".join(texts)


class ArgumentsSwapped(_OwnOperator):
    """Two neighbouring positional arguments of a call in each other's place."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type != "arglist":
            return
        places = [at for at, child in enumerate(node.children) if child.type not in ("operator", "argument")]
        for one, other in pairwise(places):
            texts = [child.get_code() for child in node.children]
            texts[one], texts[other] = texts[other], texts[one]
            yield "".join(texts)


class ConditionNegated(_OwnOperator):
    """`not (…)` in the place of the condition of an if, while or conditional expression."""

    def changes(self, node: Any) -> Iterator[str]:
        parent, siblings = node.parent, node.parent.children if node.parent is not None else []
        if parent is None:
            return
        of_statement = parent.type in ("if_stmt", "while_stmt") and any(
            siblings[at - 1].type == "keyword" and siblings[at - 1].value in ("if", "elif", "while")
            for at in range(1, len(siblings))
            if siblings[at] is node
        )
        of_expression = parent.type == "ternary" and siblings[2] is node
        of_filter = parent.type == "comp_if" and siblings[1] is node
        if of_statement or of_expression or of_filter:
            yield f" not ({node.get_code().strip()})"


class MembershipNegated(_OwnOperator):
    """`not in` in the place of `in`, and the other way round."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type != "comparison":
            return
        for at, child in enumerate(node.children):
            text = " ".join(child.get_code().split())
            if text in ("in", "not in"):
                texts = [each.get_code() for each in node.children]
                texts[at] = " not in" if text == "in" else " in"
                yield "".join(texts)


class ReturnedAsGiven(_OwnOperator):
    """What the function was given in the place of what the function returns, where both have the same type."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type != "return_stmt" or len(node.children) < 2:
            return
        function = _function_of(node)
        if function is None or function.annotation is None:
            return
        given = {
            parameter.name.value: _plain(parameter.annotation.get_code())
            for parameter in function.get_params()
            if parameter.annotation is not None
        }
        wanted, returned = _plain(function.annotation.get_code()), node.children[1]
        if returned.type in ("testlist", "testlist_star_expr") and wanted.startswith("tuple[") and wanted.endswith("]"):
            types = _top_level(wanted[len("tuple[") : -1])
            places = [at for at, child in enumerate(returned.children) if child.type != "operator"]
            for place, kind in zip(places, types, strict=False):
                for name, of in given.items():
                    if of == kind and returned.children[place].get_code().strip() != name:
                        texts = [child.get_code() for child in returned.children]
                        texts[place] = f" {name}"
                        yield f"{node.children[0].get_code()}{''.join(texts)}"
        for name, of in given.items():
            if of == wanted and returned.get_code().strip() != name:
                yield f"{node.children[0].get_code()} {name}"


class NothingReturned(_OwnOperator):
    """None in the place of what the function returns, where the function may return None."""

    def changes(self, node: Any) -> Iterator[str]:
        function = _function_of(node)
        if node.type != "return_stmt" or len(node.children) < 2 or function is None or function.annotation is None:
            return
        # None stands last by custom; inside of brackets it is no answer of its own.
        if _plain(function.annotation.get_code()).endswith("|None") and node.children[1].get_code().strip() != "None":
            yield f"{node.children[0].get_code()} None"


class MemberDropped(_OwnOperator):
    """A tuple in brackets that is returned, without one of its members."""

    def changes(self, node: Any) -> Iterator[str]:
        of_tuple = node.type == "testlist_comp" and node.parent.type == "atom" and node.parent.children[0].value == "("
        if not of_tuple or node.parent.parent.type != "return_stmt" or node.children[-1].type.startswith("comp_"):
            return
        members = [child.get_code() for child in node.children if child.type != "operator"]
        for dropped in range(len(members)):
            yield "".join(f"{each}," for at, each in enumerate(members) if at != dropped)


class CallDropped(_OwnOperator):
    """What a function is given in the place of what the function returns: `first(second(x))` becomes `first(x)`."""

    def changes(self, node: Any) -> Iterator[str]:
        if node.type != "power" and node.type != "atom_expr":
            return
        name, *trailers = node.children
        if name.type != "name" or hasattr(builtins, name.value) or not name.value.islower() or len(trailers) != 1:
            return
        brackets = trailers[0].children
        if brackets[0].value == "(" and len(brackets) == 3 and brackets[1].type not in ("arglist", "argument"):
            yield f"{name.prefix}{brackets[1].get_code().strip()}"


def _function_of(node: Any) -> Any:
    """The function around `node`, or None."""
    while node is not None and node.type != "funcdef":
        node = node.parent
    return node


def _plain(annotation: str) -> str:
    return "".join(annotation.split()).strip('"')


def _top_level(text: str) -> list[str]:
    """The parts of "A,B[C,D]" between the commas outside all brackets."""
    parts, depth = [""], 0
    for letter in text:
        depth += (letter == "[") - (letter == "]")
        if letter == "," and not depth:
            parts.append("")
        else:
            parts[-1] += letter
    return parts


_OPPOSITE = {"Add_Sub", "Sub_Add", "BitOr_BitAnd", "BitAnd_BitOr"}
OPERATORS: tuple[Operator, ...] = (
    StatementDropped(),
    StatementsSwapped(),
    ConditionNegated(),
    MembershipNegated(),
    ArgumentsSwapped(),
    ReturnedAsGiven(),
    NothingReturned(),
    MemberDropped(),
    CallDropped(),
    boolean_replacer.ReplaceTrueWithFalse(),
    boolean_replacer.ReplaceFalseWithTrue(),
    boolean_replacer.ReplaceAndWithOr(),
    boolean_replacer.ReplaceOrWithAnd(),
    break_continue.ReplaceBreakWithContinue(),
    break_continue.ReplaceContinueWithBreak(),
    number_replacer.NumberReplacer(),
    zero_iteration_for_loop.ZeroIterationForLoop(),
    *(each() for each in unary_operator_replacement.operators() if "Delete" in each.__name__),
    *(
        each()
        for each in comparison_operator_replacement.operators()
        # A bound off by one, and the opposite.
        if each.__name__.removeprefix("ReplaceComparisonOperator_")
        in {"Lt_LtE", "LtE_Lt", "Gt_GtE", "GtE_Gt", "Eq_NotEq", "NotEq_Eq", "Is_IsNot", "IsNot_Is"}
    ),
    *(
        each()
        for each in binary_operator_replacement.operators()
        if each.__name__.removeprefix("ReplaceBinaryOperator_") in _OPPOSITE
    ),
)
