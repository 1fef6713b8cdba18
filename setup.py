"""Compiles the core of the explicit engine, where there is a compiler. Else it stays plain Python."""

import os
import sys

from Cython.Build import cythonize
from setuptools import Extension, setup

CORE = "kubeproof/engines/explicit/core.py"
DIRECTIVES = {
    "language_level": 3,
    # Types are in core.pxd, and not in the annotations, which are Python's.
    "annotation_typing": False,
    "boundscheck": False,
    "wraparound": False,
    "initializedcheck": False,
    "cdivision": True,
}

core = Extension(
    "kubeproof.engines.explicit.core",
    [CORE],
    extra_compile_args=[] if sys.platform == "win32" else ["-O3"],
)

wanted = [] if os.environ.get("KUBEPROOF_CORE") == "python" else [core]
compiled = cythonize(wanted, build_dir="build", compiler_directives=DIRECTIVES, quiet=True)
for extension in compiled:
    # Where the compiler fails, the package is installed without it. Cython forgets this of what it is given.
    extension.optional = True
setup(ext_modules=compiled)
