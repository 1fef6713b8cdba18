"""`make site`: writes the pages, builds the site, and says how much it weighs."""

import sys
from argparse import ArgumentParser
from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from shutil import which

from kubeproof.explore.site import write_site
from website.build import build_site

NEEDED = ("zensical", "mkdocstrings")
ROOT = Path(__file__).parent.parent


def main(arguments: Sequence[str] | None = None) -> int:
    parser = ArgumentParser(prog="python -m website", description=__doc__)
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT / "out" / "site", help="default: out/site")
    out = parser.parse_args(arguments).folder
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(f"{missing[0]} is not installed: expected the extra `site`; `make site` installs it", file=sys.stderr)
        return 2
    # npm fetches what runs Python in a browser.
    explorer = which("npm") is not None
    weight, pages = build_site(ROOT, out, explorer=explorer)
    print(f"{out}/index.html: {pages} pages, {weight / 1e6:.1f} MB. Opens from disk.")
    if explorer:
        print(f"{out}/explorer: {write_site(out / 'explorer') / 1e6:.1f} MB. Needs a server: python -m http.server")
    else:
        print("npm is not on the PATH: the site has no explorer")
    return 0


if __name__ == "__main__":
    sys.exit(main())
