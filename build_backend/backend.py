"""The build backend of setuptools, which fetches a compiler where the machine has none.

With KUBEPROOF_CORE=python nothing is fetched and nothing compiled: the engine runs as plain Python, which is slower.
"""

import os
import shlex
import shutil
import sys
from importlib.util import find_spec
from typing import Any

from setuptools import build_meta
from setuptools.build_meta import *  # noqa: F403

COMPILER = "ziglang>=0.13"


def _has_compiler() -> bool:
    return sys.platform == "win32" or any(map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang")))


def _requires(of_setuptools: list[str]) -> list[str]:
    plain = os.environ.get("KUBEPROOF_CORE") == "python"
    return of_setuptools if plain or _has_compiler() else [*of_setuptools, COMPILER]


def get_requires_for_build_wheel(config_settings: Any = None) -> list[str]:
    return _requires(build_meta.get_requires_for_build_wheel(config_settings))


def get_requires_for_build_editable(config_settings: Any = None) -> list[str]:
    return _requires(build_meta.get_requires_for_build_editable(config_settings))


def _with_compiler() -> None:
    if not _has_compiler() and find_spec("ziglang"):
        zig = f"{shlex.quote(sys.executable)} -m ziglang cc"
        os.environ |= {"CC": zig, "LDSHARED": f"{zig} -shared"}


def build_wheel(*args: Any, **options: Any) -> str:
    _with_compiler()
    return build_meta.build_wheel(*args, **options)  # type: ignore[no-any-return]


def build_editable(*args: Any, **options: Any) -> str:
    _with_compiler()
    return build_meta.build_editable(*args, **options)  # type: ignore[no-any-return]
