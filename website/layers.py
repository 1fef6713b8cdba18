"""The picture of the layers: which packages may import which, as import-linter holds it."""

import tomllib
from html import escape
from pathlib import Path

_WIDTH, _ROW, _LEFT = 860, 34, 20


def layers_picture(root: Path) -> str:
    """The layers of pyproject.toml as an SVG: each imports only from those below."""
    contracts = tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["tool"]["importlinter"][
        "contracts"
    ]
    of_all, inside = (next(each for each in contracts if each.get("containers") == of) for of in (None, ["kubeproof"]))
    rows = [("kubeproof", each.split(" | ")) for each in inside["layers"]]
    rows += [(each, [each]) for each in of_all["layers"] if each != "kubeproof"]
    height = len(rows) * _ROW + 30
    parts = [
        f'<div><svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {_WIDTH} {height}" role="img" class="layers">',
        "<title>The packages in layers: each imports only from those below it</title>",
    ]
    for number, (package, names) in enumerate(rows):
        y = 10 + number * _ROW
        width = (_WIDTH - 2 * _LEFT) / len(names)
        for at, name in enumerate(names):
            x = _LEFT + at * width
            parts += [
                f'<rect class="{package}" x="{x + 2:.0f}" y="{y}" width="{width - 4:.0f}" height="{_ROW - 6}" rx="4"/>',
                f'<text x="{x + width / 2:.0f}" y="{y + 19}" text-anchor="middle">{escape(name)}</text>',
            ]
    return "\n".join([*parts, "</svg></div>"])
