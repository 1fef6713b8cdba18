"""The files of the explorer's page, as a server sends them and as a folder has them."""

import json
from importlib.resources import files

from kubeproof.explore.explorer import choices
from kubeproof.input.files import packaged_text

# By the ending of a file.
TYPES = {".html": "text/html", ".mjs": "text/javascript", ".css": "text/css"}
_FILES = (
    ("kubeproof.explore", "web/explorer.mjs"),
    ("kubeproof.explore", "web/explorer.css"),
    ("kubeproof.report", "web/viewer.mjs"),
    ("kubeproof.report", "web/viewer.css"),
)


def page_files(way: str) -> dict[str, str]:
    """The files by name. `way`: who answers the page: "server", "fix" (a server that was given a fix), "worker".

    Raises InputError.
    """
    found = {path.rpartition("/")[2]: _text(package, path) for package, path in _FILES}
    data = json.dumps(choices(), separators=(",", ":")).replace("<", "\\u003c")
    values = {"style": _text("kubeproof.report", "templates/style.html.j2").strip(), "way": way, "choices": data}
    page = _text("kubeproof.explore", "web/explorer.html")
    for name, value in values.items():
        page = page.replace(f"{{{{ {name} }}}}", value)
    return {"index.html": page, **found}


def _text(package: str, path: str) -> str:
    return packaged_text(files(package) / path, path, "a file of the explorer's page")
