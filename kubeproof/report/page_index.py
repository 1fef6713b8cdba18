"""The index of the pages of bugs: counterexamples/README.md, for who reads them on GitHub."""

from importlib.resources.abc import Traversable

from kubeproof.bugs.catalogue import EVERY_BUG
from kubeproof.bugs.facts import known_upstream
from kubeproof.bugs.kept import kept_releases
from kubeproof.bugs.links import number_of
from kubeproof.report.bug_list import Listed, newest_first, spans_of, spans_text, system_of
from kubeproof.report.markdown import environment
from model.releases import known_release

INDEX = "README.md"


def index_text(pages: Traversable) -> str:
    """The bugs that have a page in the folder `pages`, the newest first. Raises InputError for a damaged page."""
    there = [bug for bug in EVERY_BUG if (pages / bug.folder).is_dir()]
    bugs = newest_first(Listed(bug, spans_of(bug, kept_releases(bug, pages)), ()) for bug in there)
    minors = sorted({_last_minor(each) for each in bugs}, reverse=True)
    template = environment().get_template("index.md.j2")
    return template.render(
        bugs=bugs,
        unknown=sum(not known_upstream(each.bug) for each in bugs),
        groups=[(f"1.{minor}", [each for each in bugs if _last_minor(each) == minor]) for minor in minors],
        spans_text=spans_text,
        system_of=system_of,
        reported=_reported,
    )


def _last_minor(listed: Listed) -> int:
    return known_release(listed.releases[-1][1]).minor


def _reported(listed: Listed) -> str:
    """The first issue of the bug, or else the first change, as a link; "" for a bug of which nothing is known."""
    addresses = [*listed.bug.issues, *listed.bug.fixes]
    return f"[{number_of(addresses[0])}]({addresses[0]})" if addresses else ""
