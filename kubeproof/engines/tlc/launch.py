"""Starts a program of tla2tools.jar."""

from collections.abc import Callable, Sequence
from pathlib import Path

from kubeproof.engines.tlc.java import MissingError, find_jar, find_java
from kubeproof.processes.command import Finished, run


def launch(
    main: str,
    jvm: Sequence[str],
    arguments: Sequence[str],
    folder: Path,
    timeout: float,
    hear: Callable[[str], None] | None = None,
) -> Finished:
    """Run the class `main` ("tlc2.TLC") in `folder`, with `jvm` as options of Java. `hear`: see `run`.

    Raises MissingError without Java or the jar.
    """
    java, jar = find_java(), find_jar()
    # TLC unpacks its standard modules into java.io.tmpdir, where runs that share it race.
    (folder / "tmp").mkdir()
    argv = [str(java), *jvm, f"-Djava.io.tmpdir={folder / 'tmp'}", "-cp", str(jar), main, *arguments]
    try:
        return run(argv, folder, timeout, hear)
    except OSError as error:
        raise MissingError(f"no Java: {java} cannot be started ({error.strerror})") from error
