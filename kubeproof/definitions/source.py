"""What the source of one module defines and imports, as a syntax tree."""

import ast
from collections import defaultdict

from attrs import Factory, define

# The module of an import, and what is taken from it; () is the module itself.
Origin = tuple[str, tuple[str, ...]]


@define
class Module:
    """What the source of one module defines and imports."""

    name: str
    is_package: bool
    # The nodes of each definition. A name may be defined twice, as by `overload`.
    nodes: dict[str, list[ast.AST]] = Factory(dict)
    # What else the module does when it is imported.
    rest: list[ast.AST] = Factory(list)
    # Where an imported name comes from. It may come from two places, as in `try: ... except ImportError: ...`.
    imports: dict[str, list[Origin]] = Factory(lambda: defaultdict(list))
    # The modules that are imported with it.
    imported: set[str] = Factory(set)


def children(node: ast.AST) -> list[ast.AST]:
    """As `ast.iter_child_nodes` in half the time, without what says whether a name is read or written."""
    found: list[ast.AST] = []
    for name in node._fields:
        value = getattr(node, name, None)
        if isinstance(value, list):
            found += [each for each in value if isinstance(each, ast.AST)]
        elif isinstance(value, ast.AST) and name != "ctx":
            found.append(value)
    return found


def walk(node: ast.AST) -> list[ast.AST]:
    found = [node]
    for each in found:
        found += children(each)
    return found


def read_module(path: str, source: str) -> Module:
    parts = path.removesuffix(".py").split("/")
    is_package = parts[-1] == "__init__"
    module = Module(".".join(parts[:-1] if is_package else parts), is_package)
    for node in ast.parse(source, filename=path).body:
        names = _defined_by(node)
        for name in names:
            module.nodes.setdefault(name, []).append(node)
        if isinstance(node, ast.Import | ast.ImportFrom) or _is_for_type_checkers(node):
            note_imports(module, node)
        elif not names and not is_text(node):
            note_imports(module, node)
            module.rest.append(node)
            # What a loop or a branch assigns is found in the module's own definition.
            for each in walk(node):
                if isinstance(each, ast.Name) and isinstance(each.ctx, ast.Store):
                    module.nodes.setdefault(each.id, []).append(node)
    return module


def _defined_by(node: ast.stmt) -> list[str]:
    if isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
        return [node.name]
    targets = node.targets if isinstance(node, ast.Assign) else [node.target] if isinstance(node, ast.AnnAssign) else []
    if any(isinstance(each, ast.Attribute | ast.Subscript) for target in targets for each in walk(target)):
        return []
    return [each.id for target in targets for each in walk(target) if isinstance(each, ast.Name)]


def elements(nodes: list[ast.AST]) -> dict[str, list[ast.AST]]:
    """The calls in a table that is assigned, by the text that each of them begins with. Other elements are under `*`.

    A table within the table, `*OTHER_ROWS`, has elements of its own.
    """
    tables = [node.value for node in nodes if isinstance(node, ast.Assign | ast.AnnAssign)]
    found: dict[str, list[ast.AST]] = defaultdict(list)
    for each in (each for table in tables if isinstance(table, ast.Tuple | ast.List) for each in table.elts):
        value = each.value if isinstance(each, ast.Starred) else each
        if isinstance(value, ast.Call) and value.args and isinstance(value.args[0], ast.Constant):
            found[str(value.args[0].value)].append(each)
        elif not (isinstance(each, ast.Starred) and isinstance(value, ast.Name | ast.Attribute)):
            found["*"].append(each)
    return found if found.keys() - {"*"} else {}


def _is_for_type_checkers(node: ast.stmt) -> bool:
    return isinstance(node, ast.If) and isinstance(node.test, ast.Name) and node.test.id == "TYPE_CHECKING"


def is_text(node: ast.AST) -> bool:
    return isinstance(node, ast.Expr) and isinstance(node.value, ast.Constant) and isinstance(node.value.value, str)


def note_imports(module: Module, node: ast.AST) -> None:
    """Adds to `module` what the import statements in `node` bring."""
    for each in walk(node):
        if isinstance(each, ast.Import):
            for alias in each.names:
                module.imported.add(alias.name)
                first = alias.name.partition(".")[0]
                module.imports[alias.asname or first].append((alias.name if alias.asname else first, ()))
        elif isinstance(each, ast.ImportFrom):
            origin = _absolute(module, each)
            module.imported.add(origin)
            for alias in each.names:
                module.imported.add(f"{origin}.{alias.name}")
                module.imports[alias.asname or alias.name].append((origin, (alias.name,)))


def _absolute(module: Module, node: ast.ImportFrom) -> str:
    if not node.level:
        return node.module or ""
    package = module.name.split(".")
    above = package[: len(package) - node.level + module.is_package]
    return ".".join((*above, *([node.module] if node.module else [])))


def without_docstrings(node: ast.AST) -> ast.AST:
    """`node`, from which the docstrings are gone for good."""
    for each in walk(node):
        if isinstance(each, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef) and is_text(each.body[0]):
            each.body = each.body[1:]
    return node
