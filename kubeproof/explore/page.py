"""The files of the explorer's page, as a server sends them and as a folder has them."""

import json
from importlib.resources import files
from typing import Any

from kubeproof.explore.begin import bug_links
from kubeproof.input.files import packaged_text
from kubeproof.report.markdown import environment
from kubeproof.systems.registry import SYSTEMS
from kubeproof.systems.system import scope_text
from model.releases import LAST_PATCH

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
    values = {"style": environment().get_template("style.html.j2").render(), "way": way, "choices": data}
    page = _text("kubeproof.explore", "web/explorer.html")
    for name, value in values.items():
        page = page.replace(f"{{{{ {name} }}}}", value)
    return {"index.html": page, **found}


def choices() -> dict[str, Any]:
    """What the page lets choose: of each system its releases, the newest first, its scope, properties and bugs."""
    bugs = bug_links()
    return {
        name: {
            "summary": system.summary,
            "scope": scope_text(system.scope),
            "bounds": list(system.scope_class.__annotations__),
            "releases": [
                f"1.{minor}.{patch}"
                for minor in reversed(system.minors)
                for patch in range(LAST_PATCH[minor], -1, -1)
            ],
            "properties": [each.name for each in system.properties],
            "bugs": bugs[name],
        }
        for name, system in SYSTEMS.items()
    }  # fmt: skip


def web_text(name: str) -> str:
    """A file of `web/`. Raises InputError."""
    return _text("kubeproof.explore", f"web/{name}")


def _text(package: str, path: str) -> str:
    return packaged_text(files(package) / path, path, "a file of the explorer's page")
