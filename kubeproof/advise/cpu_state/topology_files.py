"""Reads the CPUs of the machine from what people have of it: lscpu, files of /sys, a kubelet's log, a MachineInfo.

Pure functions on text. A text that cannot be read ends in one line of an `InputError`.
"""

import json
import re
from typing import Any

from kubeproof.advise.cpu_state import lscpu, sys_listing
from kubeproof.advise.cpu_state.kubelet_log import from_kubelet_log
from kubeproof.advise.cpu_state.machine_info import from_machine_info
from kubeproof.advise.cpu_state.online_cpus import OnlineCPU, machine
from kubeproof.advise.cpu_state.other_files import LISTING, LSCPU, MACHINE_INFO, NUMACTL, what_it_is
from kubeproof.errors import InputError
from kubeproof.input.documents import json_value
from model.cpu.cpuset import to_string
from model.cpu.discover import Discover, discover
from model.cpu.topology import CPUTopology

# lscpu may print a bare dash for what it does not know of an offline CPU. That is not JSON (util-linux #3758).
_BARE_DASH = re.compile(r'(":\s*)-(?=\s*[,}\n])')
_EXPECTED = f"expected the output of `{lscpu.ASK}`, {LISTING}, or {MACHINE_INFO}"


def from_topology_text(text: str, file: str = "the topology", rule: Discover = discover) -> CPUTopology:
    """The machine that `text` describes, in any of these forms. Raises InputError for any other text.

    `rule` is the `Discover` of a release.
    """
    logged = from_kubelet_log(text, file)
    if logged is not None:
        return logged
    if text.lstrip()[:1] not in ("{", "[") or _is_prompt(text):
        return machine(_from_lines(text, file), file, rule)
    top = _json_object(text, file)
    if "cpus" in top or "lscpu" in top:
        return machine(lscpu.from_json(top, file), file, rule)
    if "topology" in top:
        return from_machine_info(top, file, rule)
    raise InputError(f"{file}: {_this_is(text)}{_EXPECTED}")


def _is_prompt(text: str) -> bool:
    """Whether the text begins with a shell's prompt, as `[root@node ~]# lscpu -e` does."""
    return re.match(r"\s*\[[^\n\]]*\][#$] ", text) is not None


def _from_lines(text: str, file: str) -> list[OnlineCPU]:
    lines = text.splitlines()
    for form in (lscpu.from_parsable, sys_listing.from_sys, lscpu.from_table):
        found = form(lines, file)
        if found is not None:
            return found
    if any(line.lstrip().startswith(("On-line CPU(s) list:", "Architecture:", "CPU(s):")) for line in lines):
        return lscpu.from_summary(lines, file)
    alone = sys_listing.nodes_alone(lines, file)
    if alone:
        mend = f"expected that of `{lscpu.ASK}`, or --cpus {to_string(alone)} for its CPUs alone"
        raise InputError(f"{file}: {NUMACTL} does not say which CPUs share a core: {mend}")
    if re.match(r"\s*\d+(,\d*)+\s*$", lines[0] if lines else ""):
        raise InputError(f"{file}: line 1: no titles: expected the lines of {LSCPU} -p with #, or `{lscpu.ASK}`")
    raise InputError(f"{file}: {_this_is(text)}{_EXPECTED}")


def _this_is(text: str) -> str:
    other = what_it_is(text)
    return f"this is {other}: " if other else "not a description of a machine: " if text.strip() else "empty: "


def _json_object(text: str, file: str) -> dict[str, Any]:
    try:
        try:
            top = json_value(text)
        except json.JSONDecodeError:
            top = json_value(_BARE_DASH.sub(r"\1null", text))
    except json.JSONDecodeError as error:
        place = f"line {error.lineno}, column {error.colno}"
        raise InputError(f"{file}: {place}: not JSON ({error.msg}): {_EXPECTED}") from None
    except (ValueError, RecursionError):
        raise InputError(f"{file}: not JSON that can be read: {_EXPECTED}") from None
    if not isinstance(top, dict):
        raise InputError(f"{file}: not a JSON object: {_EXPECTED}")
    return top
