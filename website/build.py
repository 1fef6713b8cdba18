"""The site: its pages as Markdown beside its configuration, then Zensical, then what Zensical does not do.

Zensical, and not Material for MkDocs: the same authors keep it, and Material gets mends only. Both read this
configuration and open from disk.
"""

import json
import re
import shutil
import subprocess
import sys
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from kubeproof.bugs.bug import Bug
from kubeproof.bugs.catalogue import BUGS, EVERY_BUG, documented_bug
from kubeproof.bugs.runs import kept_run
from kubeproof.input.files import packaged_text
from kubeproof.report.build import in_script
from kubeproof.report.drawn import drawn_system
from kubeproof.systems.registry import SYSTEMS
from website.bug_page import HERE, bug_pages, folder_of, run_told, templates
from website.commands import commands_page
from website.documents import documents_pages
from website.layers import layers_picture
from website.links import page_of_text, title_of

# The parts of the site, by the place of a text in the repository. What else is in docs/ is a guide.
TUTORIALS = "docs/tutorials/"
HOW_IT_WORKS = (
    "ARCHITECTURE.md", "docs/systems.md", "docs/words.md", "docs/performance.md", "docs/other-tools.md",
    "CONTRIBUTING.md", "docs/a-new-release.md", "CHANGELOG.md",
)  # fmt: skip
# The run on the first page.
FIRST = "NODETREE-CURSOR"


def build_site(root: Path, out: Path, *, explorer: bool = False) -> tuple[int, int]:
    """Build the site of the repository `root` into the folder `out`: its weight in bytes, and its HTML pages.

    `explorer`: the pages of the bugs lead to the explorer, which the folder `explorer` in `out` will have. It takes
    the place of what was in `out`. Raises CalledProcessError if Zensical fails.
    """
    source = out.with_name(f"{out.name}-source")
    shutil.rmtree(source, ignore_errors=True)
    pages = {**texts(root), **bug_pages(root, explorer=explorer)}
    for place, text in {**pages, **assets(root)}.items():
        file = source / "pages" / place
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text, encoding="utf-8")
    config = source / "mkdocs.yml"
    config.write_text(json.dumps(configuration(root, pages), indent=1), encoding="utf-8")
    subprocess.run([sys.executable, "-m", "zensical", "build", "--config-file", str(config)], check=True, cwd=source)
    shutil.rmtree(out, ignore_errors=True)
    (source / "site").rename(out)
    shutil.rmtree(source)
    finish(out)
    files = [each for each in out.rglob("*") if each.is_file()]
    return sum(each.stat().st_size for each in files), sum(each.suffix == ".html" for each in files)


def places(root: Path) -> dict[str, str]:
    """The texts of the repository that are pages, each with the place of its page."""
    own = [name for name in HOW_IT_WORKS if "/" not in name]
    docs = sorted(path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.md"))
    bugs = [folder_of(bug) for bug in EVERY_BUG]
    return {
        "README.md": "index.md",
        **{name: name for name in (*own, *docs)},
        **dict.fromkeys(("counterexamples", "counterexamples/README.md"), "bugs/index.md"),
        **{f"counterexamples/{name}/README.md": f"bugs/{name}.md" for name in bugs},
    }


def texts(root: Path) -> dict[str, str]:
    """All pages but those of bugs, by their place in the site."""
    where = places(root)
    pictures = [path.relative_to(root).as_posix() for path in (root / "docs").rglob("*.svg")]

    def page(name: str) -> str:
        return page_of_text((root / name).read_text(encoding="utf-8"), name, where, pictures)

    found = {where[name]: page(name) for name in where if name.startswith("docs/") or name in HOW_IT_WORKS}
    found["index.md"] = start_page(page("README.md"))
    found["ARCHITECTURE.md"] += pictures_page(root)
    found["reference/commands.md"] = commands_page()
    found |= documents_pages(root)
    found["reference/python.md"] = (HERE / "python.md").read_text(encoding="utf-8")
    return found


def start_page(readme: str) -> str:
    """The first page: the 60 seconds of the README, a run to step through, and what kubeproof is."""
    parts = re.split(r"^## (.+)\n", readme, flags=re.MULTILINE)
    sections = dict(zip(parts[1::2], parts[2::2], strict=True))
    bug = documented_bug(FIRST)
    assert isinstance(bug, Bug)
    told = [
        parts[0],
        f"## 60 seconds\n{sections['60 seconds']}",
        f"## The run, step by step\n\n{_run(bug)}\n\n{VIEWER}",
        f"## What it is\n{sections['What it is']}",
    ]
    return "---\nhide: [navigation]\n---\n\n" + "\n".join(told)


def pictures_page(root: Path) -> str:
    """What follows on the text about the architecture: the layers, and a short run of each system, drawn."""
    shortest = [
        min((bug for bug in BUGS if bug.system == name), key=lambda bug: len(kept_run(bug).actions)) for name in SYSTEMS
    ]
    summaries = {name: f"{system.summary[0].upper()}{system.summary[1:]}." for name, system in SYSTEMS.items()}
    runs = [f"### {bug.system}\n\n{summaries[bug.system]}\n\n{_run(bug)}" for bug in shortest]
    return "\n\n".join(
        [
            "\n## Pictures",
            "Each package imports only from those below it, as import-linter holds it.",
            layers_picture(root),
            "Each system is drawn in its own way. Here the shortest kept run of each, step by step:",
            *runs,
            VIEWER,
        ]
    )


def _run(bug: Bug) -> str:
    page: Any = templates().get_template("bug.html.j2").make_module()
    link = f'<p><a href="bugs/{folder_of(bug)}.html">{bug.id}: {bug.title}</a></p>'
    return f'<div class="run" data-search-exclude>\n{page.run(run_told(bug))}{link}\n</div>'


VIEWER = '<script src="assets/viewer.js" defer></script>'


def assets(root: Path) -> dict[str, str]:
    """The styles, the scripts, the pictures of docs/. A browser loads no module from disk: the viewer is a script."""
    web = HERE.parent / "kubeproof" / "report" / "web"
    module = packaged_text(web / "viewer.mjs", "web/viewer.mjs", "the viewer")
    style = packaged_text(web / "viewer.css", "web/viewer.css", "the viewer's style")
    # The viewer looks for what the systems have in common in an element of the page.
    systems = json.dumps(in_script({name: drawn_system(system) for name, system in SYSTEMS.items()}))
    begin = (
        'document.body.append(Object.assign(document.createElement("script"),'
        f' {{ id: "drawn-systems", type: "application/json", textContent: {systems} }}));'
    )
    return {
        "assets/viewer.js": f"(() => {{\n{begin}\n{re.sub(r'^export ', '', module, flags=re.MULTILINE)}}})();\n",
        **{f"assets/{name}": (HERE / "assets" / name).read_text("utf-8") for name in ("catalogue.js", "from-disk.js")},
        "assets/site.css": "\n".join(
            [templates().get_template("run.css.j2").render(), style, (HERE / "assets" / "site.css").read_text("utf-8")]
        ),
        **{
            path.relative_to(root).as_posix(): path.read_text(encoding="utf-8")
            for path in (root / "docs").rglob("*.svg")
        },
    }


def configuration(root: Path, pages: Mapping[str, str]) -> dict[str, Any]:
    """What Zensical reads, in the form of mkdocs.yml."""
    texts = {name: text for name, text in pages.items() if name.endswith(".md")}
    guides = [name for name in texts if name.startswith("docs/") and name not in HOW_IT_WORKS]
    tutorials = [name for name in guides if name.startswith(TUTORIALS)]
    entry = {name: {title_of(text): name} for name, text in texts.items()}
    nav: list[dict[str, Any]] = [
        {"Start": "index.md"},
        *([{"Tutorials": [entry[name] for name in tutorials]}] if tutorials else []),
        {"Bugs": "bugs/index.md"},
        {"Guides": [entry[name] for name in guides if name not in tutorials]},
        {"Reference": [entry[name] for name in texts if name.startswith("reference/")]},
        {"How it works": [entry[name] for name in HOW_IT_WORKS if name in entry]},
    ]
    options = {
        "show_source": False,
        "show_root_heading": True,
        "show_root_full_path": True,
        "heading_level": 3,
        "members_order": "source",
        "show_if_no_docstring": True,
        "filters": ["!^_"],
        "extensions": [{f"{HERE / 'docstrings.py'}": {}}],
    }
    handler = {"paths": [str(root)], "options": options}
    return {
        "site_name": "kubeproof",
        "site_description": "Model checking of kube-scheduler and of the kubelet's CPU manager, release by release",
        "docs_dir": "pages",
        "site_dir": "site",
        "use_directory_urls": False,
        "theme": {
            "name": "material",
            "variant": "classic",
            "language": "en",
            "font": False,
            "features": [
                "navigation.tabs",
                "navigation.top",
                "navigation.prune",
                "content.code.copy",
                "search.highlight",
                "toc.follow",
            ],
            "palette": [
                {"media": "(prefers-color-scheme: light)", "scheme": "default", "primary": "indigo"},
                {"media": "(prefers-color-scheme: dark)", "scheme": "slate", "primary": "indigo"},
            ],
        },
        "extra_css": ["assets/site.css"],
        "plugins": ["search", "offline", {"mkdocstrings": {"handlers": {"python": handler}}}],
        "markdown_extensions": [
            "tables",
            "attr_list",
            "pymdownx.superfences",
            "pymdownx.highlight",
            {"toc": {"permalink": True, "slugify": {"object": "pymdownx.slugs.slugify", "kwds": {"case": "lower"}}}},
        ],
        "nav": nav,
    }


# The theme asks the network for what the search needs from disk, and takes the light colours until its script has run.
_SHIM = "https://unpkg.com/iframe-worker/shim"
_DARK = (
    '<script>matchMedia("(prefers-color-scheme: dark)").matches'
    ' && document.body.setAttribute("data-md-color-scheme", "slate")</script>'
)


def finish(out: Path) -> None:
    """Makes the pages independent of the network, and lighter: outside of a page's text, lines are put together."""
    shutil.rmtree(out / "assets" / "stylesheets" / "modern")
    for file in out.rglob("*.html"):
        text = file.read_text(encoding="utf-8")
        base = "../" * (len(file.relative_to(out).parts) - 1)
        text = text.replace(_SHIM, f"{base}assets/from-disk.js")
        text = re.sub(r"<body[^>]*>", lambda found: f"{found[0]}{_DARK}", text, count=1)
        head, start, rest = text.partition("<article")
        body, end, tail = rest.rpartition("</article>")
        file.write_text(f"{_dense(head)}{start}{body}{end}{_dense(tail)}", encoding="utf-8")


def _dense(text: str) -> str:
    return re.sub(r">\s*\n\s*<", "><", re.sub(r"\s*\n\s*", "\n", text))
