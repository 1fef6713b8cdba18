"""`make site`: writes the pages, builds the site, and says how much it weighs."""

import sys
from importlib.util import find_spec
from pathlib import Path

from website.build import build_site

NEEDED = ("zensical", "mkdocstrings")
ROOT = Path(__file__).parent.parent


def main() -> int:
    missing = [name for name in NEEDED if find_spec(name) is None]
    if missing:
        print(f"{missing[0]} is not installed: expected the extra `site`; `make site` installs it", file=sys.stderr)
        return 2
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "site"
    weight, pages = build_site(ROOT, out)
    print(f"{out}/index.html: {pages} pages, {weight / 1_000_000:.1f} MB. Opens from disk.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
