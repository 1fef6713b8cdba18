"""The explorer as a folder of files that any server can send: Pyodide runs the models in the browser.

Pyodide is the package of that name in the registry of npm. It is fetched when the folder is written.
"""

import io
import shutil
import tarfile
import zipfile
from importlib.metadata import PackageNotFoundError, PackagePath, distribution
from importlib.resources import files
from importlib.resources.abc import Traversable
from pathlib import Path, PurePosixPath

from kubeproof.errors import InputError
from kubeproof.explore.page import page_files, web_text
from kubeproof.output.files import refuse_file, write_folder
from kubeproof.processes.command import run
from kubeproof.processes.left_behind import temporary_folder

PYODIDE = "314.0.7"
_PYODIDE_FILES = (
    "pyodide.mjs",
    "pyodide.asm.mjs",
    "pyodide.asm.wasm",
    "python_stdlib.zip",
    "pyodide-lock.json",
    "package.json",  # names the licence
)
_OURS = ("model", "properties", "kubeproof")
# What these import that Pyodide has not. Of PyYAML the part that is Python is enough.
_OTHERS = ("attrs", "cattrs", "packaging", "typing_extensions", "PyYAML")
_SECONDS = 300.0  # for npm


def write_site(folder: Path) -> int:
    """Write the folder; its size in bytes. Raises InputError."""
    refuse_file("--site", folder)
    found: dict[Path, str | bytes] = {Path("pyodide", name): data for name, data in _pyodide().items()}
    found |= {Path(name): text for name, text in page_files("worker").items()}
    found[Path("worker.mjs")] = web_text("worker.mjs")
    found[Path("packages.zip")] = packages()
    write_folder(folder, found)
    return sum(len(each if isinstance(each, bytes) else each.encode()) for each in found.values())


def packages() -> bytes:
    """A zip of all Python that the browser needs besides Pyodide. Raises InputError."""
    made = io.BytesIO()
    with zipfile.ZipFile(made, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in _OURS:
            _add(archive, files(name), PurePosixPath(name))
        for name in _OTHERS:
            try:
                own = distribution(name).files or []
            except PackageNotFoundError:
                raise InputError(f"--site: {name} is not installed: `pip install {name}` installs it") from None
            for file in filter(_is_taken, own):
                archive.writestr(_entry(str(file)), file.read_binary())
    return made.getvalue()


def _is_taken(file: PackagePath) -> bool:
    """Python that stands in a package, and licences."""
    inside = not file.is_absolute() and ".." not in file.parts
    return inside and (file.suffix == ".py" or ("licenses" in file.parts and file.suffix != ".pyc"))


def _add(archive: zipfile.ZipFile, place: Traversable, name: PurePosixPath) -> None:
    for each in sorted(place.iterdir(), key=lambda entry: entry.name):
        if each.is_dir():
            _add(archive, each, name / each.name)
        elif each.name.endswith((".py", ".csv")):
            archive.writestr(_entry(str(name / each.name)), each.read_bytes())


def _entry(name: str) -> zipfile.ZipInfo:
    """An entry without the time: the same files make the same archive."""
    entry = zipfile.ZipInfo(name)
    entry.compress_type = zipfile.ZIP_DEFLATED
    return entry


def _pyodide() -> dict[str, bytes]:
    """The files of Pyodide by name. Raises InputError."""
    npm = shutil.which("npm")
    if npm is None:
        raise InputError("--site: npm is not on the PATH: expected it, since it fetches Pyodide")
    with temporary_folder("npm") as folder:
        name = f"pyodide@{PYODIDE}"
        done = run([npm, "pack", "--silent", name], folder, _SECONDS)
        archive = next(folder.glob("*.tgz"), None)
        if done.returncode or archive is None:
            why = "no end in time" if done.timed_out else (done.errors.strip().splitlines() or ["no file"])[-1]
            raise InputError(f"--site: npm pack {name}: {why}: expected a registry of npm that has it")
        with tarfile.open(archive) as packed:
            found = {each: packed.extractfile(f"package/{each}") for each in _PYODIDE_FILES}
            return {each: file.read() for each, file in found.items() if file is not None}
