"""upstream.md: the text of an issue about a bug that nobody has reported. What can be computed of it is computed.

What a person has to say is in bugs/_upstream/ID.md: what the run stands for, which change brought the bug, and the
smallest fix. The file may name a fix of examples/fixes; a test holds the bug's run and scope to it.
"""

import re
from importlib.resources import files
from typing import Any

import yaml
from attrs import frozen

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.component import ComponentBug
from kubeproof.errors import InputError
from kubeproof.input.files import packaged_text

UPSTREAM = "upstream.md"
CHANGE, FIX = "Which change brought it", "The smallest fix"
SETTING, EXPECTED = "Setting", "What was expected"


@frozen
class UpstreamText:
    """What a person says of a bug to upstream. Markdown, as it is written."""

    # What the run stands for; "": the run says it all.
    setting: str
    # What should happen; "": what the property says.
    expected: str
    change: str
    fix: str
    # A file in examples/fixes that is this fix, and the release in which it is judged; "" for none.
    fix_file: str = ""
    judged_in: str = ""


def upstream_text(bug: Bug | ComponentBug) -> UpstreamText | None:
    """What is said of the bug, None if nothing is. Raises InputError for a file of another form."""
    file = files("bugs") / "_upstream" / f"{bug.id.lower()}.md"
    if not file.is_file():
        return None
    place = f"bugs/_upstream/{bug.id.lower()}.md"
    text = packaged_text(file, place, "the text for upstream")
    _, written, sections = text.split("---\n", 2)
    head: dict[str, Any] = yaml.safe_load(written) or {}
    parts = re.split(r"^## (.+)\n", sections, flags=re.MULTILINE)
    found = dict(zip(parts[1::2], (body.strip() for body in parts[2::2]), strict=True))
    unknown = [*(set(found) - {SETTING, EXPECTED, CHANGE, FIX}), *(set(head) - {"fix", "release"})]
    needed = (CHANGE, FIX) if isinstance(bug, Bug) else (EXPECTED, CHANGE, FIX)
    missing = [name for name in needed if not found.get(name)]
    if unknown or missing or bool(head.get("fix")) != bool(head.get("release")):
        wrong = unknown or missing or ["fix without release"]
        raise InputError(f"{place}: '{wrong[0]}' is unknown or missing: expected {', '.join(needed)}")
    return UpstreamText(
        found.get(SETTING, ""),
        found.get(EXPECTED, ""),
        found[CHANGE],
        found[FIX],
        head.get("fix", ""),
        str(head.get("release", "")),
    )


def upstream_files(bug: Bug | ComponentBug, environment: Any, values: dict[str, Any]) -> dict[str, str]:
    """The text of the issue, by its name; nothing if nobody has said anything of the bug."""
    said = upstream_text(bug)
    if said is None:
        return {}
    text = environment.get_template("upstream.md.j2").render({**values, "said": said})
    return {UPSTREAM: text}
