"""The page of a bug: what the report says of it, the fixes that were judged, its symptoms, the text for upstream.

The pages are Markdown with HTML in between: the site's own program makes the headings and the table of contents.
"""

import re
from collections.abc import Callable
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import ChoiceLoader, Environment, FileSystemLoader
from markupsafe import Markup

from kubeproof.bugs.bug import Bug, UnshownBug
from kubeproof.bugs.catalogue import EVERY_BUG, UNSHOWN_BUGS
from kubeproof.bugs.facts import facts_line
from kubeproof.bugs.load import AnyBug
from kubeproof.bugs.runs import kept_run
from kubeproof.explore.begin import bug_links
from kubeproof.input.files import packaged_text
from kubeproof.report.build import component_told, facts_told, in_script
from kubeproof.report.first_line import first_line
from kubeproof.report.markdown import code, environment, ports_of
from kubeproof.report.tasks import ToldBug, told
from kubeproof.report.upstream import UPSTREAM
from model.releases import known_release
from website.catalogue import TODAY, Entry, entries, filters, signatures_of, unknown
from website.fixes import judged

HERE = Path(__file__).parent
_GENERATED = re.compile(r"<!-- .*? -->\n\n")


def templates() -> Environment:
    """The templates of the site, and those of the report."""
    found = environment()
    assert found.loader is not None
    found.loader = ChoiceLoader([found.loader, FileSystemLoader(HERE / "templates")])
    return found


_IDS = re.compile(rf"\b({'|'.join(bug.id for bug in (*EVERY_BUG, *UNSHOWN_BUGS))})\b(?!-)")


def linking(code: Callable[[str], Markup], page: str) -> Callable[[str], Markup]:
    """The filter `code`, with a link at the id of each bug but that of the page."""

    def link(found: re.Match[str]) -> str:
        return found[0] if found[1] == page else f'<a href="{found[1].lower()}.html">{found[1]}</a>'

    return lambda text: Markup(_IDS.sub(link, code(text)))


def bug_pages(root: Path, *, explorer: bool = False) -> dict[str, str]:
    """The catalogue and the page of each bug, by the place in the site. `root`: the repository.

    `explorer`: each page leads to its run in the explorer.
    """
    env, bugs = templates(), entries()
    index = env.get_template("catalogue.html.j2").render(
        bugs=bugs, filters=filters(bugs), unknown=unknown(bugs), spans=spans_data, today=TODAY
    )
    links = {bug: link for of_system in bug_links().values() for bug, link in of_system.items()} if explorer else {}
    pages = {f"bugs/{folder_of(each.bug)}.md": bug_page(env, root, each, links.get(each.bug.id)) for each in bugs}
    return {"bugs/index.md": index, **pages}


def folder_of(bug: AnyBug) -> str:
    """What the page of a bug is called."""
    return bug.id.lower()


def spans_data(entry: Entry) -> str:
    """The releases that have the bug, for the filter: "1.13.0-1.18.6 1.20.0-1.20.0"."""
    return " ".join(f"{first}-{last}" for first, last in entry.spans)


def bug_page(env: Environment, root: Path, entry: Entry, link: str | None = None) -> str:
    """The text of the page of a bug. `link`: the fragment of its run in the explorer."""
    bug = entry.bug
    env.filters["code"] = linking(code, bug.id)
    values: dict[str, Any] = {
        "e": _told(bug),
        "entry": entry,
        "signatures": signatures_of(bug),
        "judged": judged(root, bug),
        "issue": _issue(bug),
        "link": link,
    }
    return env.get_template("bug_page.html.j2").render(values)


def run_told(bug: Bug) -> dict[str, Any]:
    """The kept run of a bug, played now. Raises ValueError if it does not appear."""
    found: ToldBug = told(bug.id)
    if not found.appears:
        raise ValueError(f"{bug.id}: {found.explanation}: `make counterexamples` makes the page anew")
    return {"bug": bug, "run": found.run, "drawn": in_script(found.drawn)}


def _told(bug: AnyBug) -> dict[str, Any]:
    if isinstance(bug, UnshownBug):
        return {"bug": bug, "run": None, "first_line": first_line(bug), "facts": facts_line(bug), "rows": None}
    if isinstance(bug, Bug):
        besides = None if bug.besides is None else bug.besides.demonstrate(known_release(bug.release))
        further = {"demonstration": None, "besides": besides, "ports": ports_of(kept_run(bug))}
        return {**run_told(bug), **facts_told(bug), **further}
    return {**component_told(bug), "demonstration": bug.demonstrate(known_release(bug.release))}


def _issue(bug: AnyBug) -> str:
    """The text of an issue about the bug, in Markdown; "" for none."""
    file = files("counterexamples") / bug.id.lower() / UPSTREAM
    if not file.is_file():
        return ""
    return _GENERATED.sub("", packaged_text(file, f"counterexamples/{bug.id.lower()}/{UPSTREAM}", "a text"))
