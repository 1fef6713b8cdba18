"""Which names a piece of source uses: not those that it binds itself."""

import ast
from collections.abc import Collection, Iterable

from kubeproof.definitions.source import children, is_text, walk


class Used(ast.NodeVisitor):
    """Gathers what a definition uses: names that it does not itself bind, with their attributes; fields; texts."""

    def __init__(self, imports: Collection[str]) -> None:
        self.names: set[tuple[str, ...]] = set()
        self.texts: set[str] = set()
        self.fields: set[str] = set()
        self._bound: list[set[str]] = []
        # A name that the definition imports is bound too, and means something of ours.
        self._imports = imports

    def generic_visit(self, node: ast.AST) -> None:
        for each in children(node):
            self.visit(each)

    def visit_Name(self, node: ast.Name) -> None:
        self._use((node.id,))

    def visit_Attribute(self, node: ast.Attribute) -> None:
        parts, inner = [node.attr], node.value
        while isinstance(inner, ast.Attribute):
            parts.append(inner.attr)
            inner = inner.value
        self.fields.update(parts)
        if isinstance(inner, ast.Name):
            self._use((inner.id, *reversed(parts)))
        else:
            self.visit(inner)

    def visit_keyword(self, node: ast.keyword) -> None:
        self.fields.update(filter(None, (node.arg,)))
        self.visit(node.value)

    def visit_Constant(self, node: ast.Constant) -> None:
        if isinstance(node.value, str):
            self.texts.add(node.value)

    def visit_Expr(self, node: ast.Expr) -> None:
        if not is_text(node):
            self.generic_visit(node)

    def visit_arg(self, node: ast.arg) -> None:
        self._visit_annotation(node.annotation)

    def visit_AnnAssign(self, node: ast.AnnAssign) -> None:
        self._visit_annotation(node.annotation)
        if isinstance(node.target, ast.Name):
            self.fields.add(node.target.id)
        else:
            self.visit(node.target)
        if node.value is not None:
            self.visit(node.value)

    def visit_FunctionDef(self, node: ast.FunctionDef | ast.AsyncFunctionDef) -> None:
        for each in (*node.decorator_list, *node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        for argument in walk(node.args):
            if isinstance(argument, ast.arg):
                self.visit_arg(argument)
        self._visit_annotation(node.returns)
        self._within(_bound_in(node.args, node.body), node.body)

    def visit_AsyncFunctionDef(self, node: ast.AsyncFunctionDef) -> None:
        self.visit_FunctionDef(node)

    def visit_Lambda(self, node: ast.Lambda) -> None:
        for each in (*node.args.defaults, *filter(None, node.args.kw_defaults)):
            self.visit(each)
        self._within(_bound_in(node.args, []), [node.body])

    def _visit_comprehension(self, node: ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp) -> None:
        # The first iterable belongs to the scope outside; a name that means both is seen as the one outside.
        self.visit(node.generators[0].iter)
        targets = [each.target for each in node.generators]
        self._within({each.id for t in targets for each in walk(t) if isinstance(each, ast.Name)}, [node], deeper=True)

    visit_ListComp = visit_SetComp = visit_DictComp = visit_GeneratorExp = _visit_comprehension

    def _within(self, bound: set[str], nodes: Iterable[ast.AST], deeper: bool = False) -> None:
        self._bound.append(bound - set(self._imports))
        for node in nodes:
            if deeper:
                self.generic_visit(node)
            else:
                self.visit(node)
        self._bound.pop()

    def _use(self, parts: tuple[str, ...]) -> None:
        if not any(parts[0] in bound for bound in self._bound):
            self.names.add(parts)

    def _visit_annotation(self, node: ast.expr | None) -> None:
        for each in walk(node) if node is not None else ():
            if isinstance(each, ast.Constant) and isinstance(each.value, str):
                try:
                    self.visit(ast.parse(each.value, mode="eval").body)
                except SyntaxError:
                    continue
        if node is not None:
            self.visit(node)


def _bound_in(args: ast.arguments, body: list[ast.stmt]) -> set[str]:
    """The names that a function binds in its own scope."""
    bound = {each.arg for each in walk(args) if isinstance(each, ast.arg)}
    outside: set[str] = set()
    left: list[ast.AST] = list(body)
    while left:
        node = left.pop()
        if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            bound.add(node.name)
            continue
        if isinstance(node, ast.Lambda | ast.ListComp | ast.SetComp | ast.DictComp | ast.GeneratorExp):
            continue
        if isinstance(node, ast.Name) and isinstance(node.ctx, ast.Store):
            bound.add(node.id)
        if isinstance(node, ast.ExceptHandler | ast.MatchAs | ast.MatchStar) and node.name:
            bound.add(node.name)
        if isinstance(node, ast.Global | ast.Nonlocal):
            outside.update(node.names)
        left.extend(children(node))
    return bound - outside
