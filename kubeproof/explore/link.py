"""The fragment of an address that names a run. `web/explorer.mjs` reads and writes the same."""

from urllib.parse import parse_qs, urlencode

from kubeproof.errors import InputError
from kubeproof.explore.run import AskedRun
from kubeproof.visible import shortened


def fragment(run: AskedRun) -> str:
    """
    >>> against = {"release": "1.18.7", "fix": False}
    >>> asked = {"system": "node-listing", "release": "1.18.4", "fix": False, "scope": "nodes=3", "against": against}
    >>> fragment({**asked, "actions": ["add_node n1 z1"]})
    '#system=node-listing&release=1.18.4&scope=nodes%3D3&against=1.18.7&do=add_node+n1+z1'
    """
    pairs = [(name, run[name]) for name in ("system", "release", "scope")]
    if run["fix"]:
        pairs.append(("fix", "1"))
    if run["against"] is not None:
        pairs.append(("against", run["against"]["release"]))
        if run["against"]["fix"]:
            pairs.append(("against-fix", "1"))
    return "#" + urlencode([*pairs, *(("do", action) for action in run["actions"])])


def run_of_link(link: str) -> AskedRun:
    """The run that a link of the explorer's page names. Raises InputError."""
    found = parse_qs(link.partition("#")[2], keep_blank_values=True)

    def one(name: str) -> str:
        return found.get(name, [""])[0]

    if not one("system"):
        raise InputError(f"{shortened(link)}: no run: expected a link of the explorer's page, with #system=")
    against = {"release": one("against"), "fix": "against-fix" in found} if "against" in found else None
    return {
        "system": one("system"),
        "release": one("release"),
        "fix": "fix" in found,
        "scope": one("scope"),
        "actions": found.get("do", []),
        "against": against,  # type: ignore[typeddict-item]
    }
