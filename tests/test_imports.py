"""Who imports whom: no module imports, over any others, itself. Imports for type checkers alone count."""

import grimp
import networkx as nx


def test_there_are_no_import_circles() -> None:
    imports = grimp.build_graph("model", "properties", "kubeproof", exclude_type_checking_imports=False)
    arrows = ((name, other) for name in imports.modules for other in imports.find_modules_directly_imported_by(name))
    circles = [sorted(group) for group in nx.strongly_connected_components(nx.DiGraph(arrows)) if len(group) > 1]
    assert circles == []
