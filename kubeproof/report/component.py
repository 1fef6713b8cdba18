"""The bugs that components show, as text, as JSON, and as the files that are kept of them."""

from typing import Any

from attrs import asdict

from kubeproof.bugs.component import ComponentBug
from kubeproof.bugs.facts import facts_line
from kubeproof.bugs.played import played_of
from kubeproof.report.markdown import environment
from kubeproof.report.played import not_played
from kubeproof.report.releases import component_rows, release_table_of, releases_text
from kubeproof.report.upstream import upstream_files
from model.releases import known_release


def component_files(bug: ComponentBug) -> dict[str, str]:
    """The name and the content of each kept file of the bug."""
    rows = release_table_of(bug.shown_by)
    values = {
        "bug": bug,
        "rows": rows,
        "facts": facts_line(bug),
        "played": played_of(bug),
        "not_played": not_played(bug),
        "demonstration": bug.demonstrate(known_release(bug.release)),
        "variants": [(each.name, bug.shown_by.vary(each)) for each in bug.shown_by.variants],
    }
    env = environment()
    return {
        "README.md": env.get_template("component.md.j2").render(values),
        "releases.json": releases_text(bug.id, component_rows(rows)),
        **upstream_files(bug, env, values),
    }


def component_json(bug: ComponentBug) -> dict[str, Any]:
    """The bug as JSON, as a bug of a system. What only bugs of a system have is null."""
    names = (
        "id", "title", "release", "consequence", "mechanism", "issues", "fixes", "mitigation", "notes",
    )  # fmt: skip
    return {
        "system": None,
        "violates": None,
        "properties": [],
        **{name: getattr(bug, name) for name in names},
        "rules": bug.shown_by.looked_up(known_release(bug.release)),
        "searched": bug.searched,
        "folder": f"counterexamples/{bug.folder}",
        "played_on": [asdict(row) for row in played_of(bug)],
    }


def reproduction_json(bug: ComponentBug) -> dict[str, Any]:
    """The demonstration in the bug's own release."""
    found = bug.demonstrate(known_release(bug.release))
    return {
        "bug": bug.id,
        "release": bug.release,
        "feature_gates": None,
        "property": None,
        "appears": found.appears,
        "explanation": "; ".join(found.shown),
        "trace": None,
        "lines": found.lines,
    }


def reproduction_text(bug: ComponentBug) -> str:
    """The demonstration in the bug's own release, as text."""
    found = bug.demonstrate(known_release(bug.release))
    verdict = f"appears in {bug.release}: {'; '.join(found.shown)}" if found.appears else "does NOT appear"
    return "\n".join((f"{bug.id} {verdict}", *(f"  {line}" for line in found.lines)))
