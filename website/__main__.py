"""`make site`: writes the pages, builds the site, and says how much it weighs."""

import sys
from pathlib import Path

from website.build import build_site

ROOT = Path(__file__).parent.parent


def main() -> int:
    out = Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "out" / "site"
    weight, pages = build_site(ROOT, out)
    print(f"{out}/index.html: {pages} pages, {weight / 1_000_000:.1f} MB. Opens from disk.")
    return 0


if __name__ == "__main__":
    sys.exit(main())
