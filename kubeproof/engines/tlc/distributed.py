"""TLC's distributed mode: a server here, which has all states, and workers on any machine, which make them.

Go on reading at `TLCServer` and `TLCWorker` in tlc2/tool/distributed of https://github.com/tlaplus/tlaplus.
"""

import re
import socket
from collections.abc import Callable, Sequence
from contextlib import suppress
from math import inf
from time import monotonic, sleep
from typing import Any

from attrs import evolve, frozen

from kubeproof.engines.tlc import messages as m
from kubeproof.engines.tlc.answer import Answer, read_answer
from kubeproof.engines.tlc.launch import launch
from kubeproof.engines.tlc.question import Question, lay_out
from kubeproof.engines.tlc.values import parse_state
from kubeproof.errors import InputError
from kubeproof.processes.command import Finished
from kubeproof.processes.left_behind import temporary_folder
from kubeproof.verdict.result import Outcome
from properties.tla.form import TlaForm

# Where a server listens for workers. What they send each other goes through ports that Java chooses.
PORT = 10997
# Seconds that a worker waits for the first server, and then for another one.
WAITS, WAITS_AGAIN = 600.0, 20.0
_SERVER = "tlc2.tool.distributed.TLCServer"
_WORKER = "tlc2.tool.distributed.TLCWorker"
_BACK = "KubeproofBack"
_PROGRESS = re.compile(r"([\d,]+) distinct states found")


@frozen
class Server:
    """How TLC's server is run."""

    # The name or address of this machine, as workers reach it.
    address: str
    # Tells in words how far it is.
    tell: Callable[[str], None]
    # The heap of Java, in MB.
    memory_mb: int
    # By the clock `monotonic`.
    until: float

    def ask(self, form: TlaForm, question: Question, initial: Callable[[Any], bool]) -> Answer:
        """One search. `initial`: whether a decoded state is an initial one. Raises MissingError and OSError.

        TLC 2.15's server prints of a run the last transition alone, so the others are looked for: before each state
        that is known, another search finds a transition to it. That is nearer to the beginning, so most of these
        searches are shorter and shorter.
        """
        left = self.until - monotonic()
        found = self._search(form, question)
        # A lost worker's states are made again, and workers do not go level by level.
        answer = evolve(self._read(found, left), generated=None, depth=None)
        last = _last_states(found.output)
        if answer.outcome is not Outcome.INCONCLUSIVE or not last:
            return answer
        texts = last
        while not initial(form.decode(parse_state(texts[0]))):
            self.tell(f"the run to the violation, {len(texts)} states from its end")
            before = self._before(form, texts)
            if before is None:
                return evolve(answer, reason="TLC's server found a violation, and not the run to it: give it more time")
            texts = (before, *texts)
        variables = tuple(map(parse_state, texts))
        return evolve(answer, outcome=Outcome.VIOLATED, reason=None, variables=variables)

    def _before(self, form: TlaForm, texts: tuple[str, ...]) -> str | None:
        """A state with a transition to the first of these states, found without going through one of them."""
        with temporary_folder("tlc") as folder:
            module = folder / f"{_BACK}.tla"
            module.write_text(_back_module(form, texts), "utf-8")
            back = evolve(form, extra_modules=(*form.extra_modules, module))
            found = self._search(back, Question(invariants=("Before",), constraint="Apart"))
        states = _last_states(found.output)
        return states[0] if len(states) > 1 else None

    def _search(self, form: TlaForm, question: Question) -> Finished:
        with temporary_folder("tlc") as folder:
            root = lay_out(form, question, folder)
            jvm = (f"-Xmx{self.memory_mb}m", f"-Djava.rmi.server.hostname={self.address}", f"-D{_SERVER}.report=2000")
            arguments = (
                *("-tool", "-deadlock", "-metadir", str(folder / "states")),
                *("-config", f"{root}.cfg", f"{root}.tla"),
            )
            return launch(_SERVER, jvm, arguments, folder, max(0.0, self.until - monotonic()), self._hear)

    def _hear(self, so_far: str) -> None:
        workers = so_far.count(f"ENDMSG {m.WORKER_CAME} ") - so_far.count(f"ENDMSG {m.WORKER_LOST} ")
        progress = _PROGRESS.findall(so_far)
        found = f", {progress[-1]} states" if progress else ""
        self.tell(f"TLC's server has {workers} {'worker' if workers == 1 else 'workers'}{found}")

    def _read(self, finished: Finished, seconds: float) -> Answer:
        if "Port already in use" in finished.output + finished.errors:
            return Answer(
                outcome=Outcome.INCONCLUSIVE, reason=f"port {PORT} is taken: another server of TLC may run here"
            )
        return read_answer(finished, timeout=seconds, memory_mb=self.memory_mb)


def _last_states(output: str) -> tuple[str, ...]:
    """The states of the violation that the server found, in TLA+: one if it is an initial one, else two."""
    try:
        found = m.parse_output(output)
    except m.OutputError:
        return ()
    initial = found.having(m.INVARIANT_VIOLATED_INITIALLY)
    states = initial or (found.having(m.STATE) if found.having(m.BEHAVIOUR) else ())
    return tuple(message.text.partition("\n")[2] for message in states)


def _back_module(form: TlaForm, states: Sequence[str]) -> str:
    """The module that says `Before`, which the first of the states violates, and `Apart`, which all others satisfy.

    It declares the model values, of which the form's module only has sets.
    """
    names = [f"State{number}" for number in range(len(states))]
    them = [f"{name} ==\n{text}" for name, text in zip(names, states, strict=True)]
    values = [found[1] for line in form.constants if (found := re.fullmatch(r"\s*(\w+) = \1", line))]
    declared = [f"CONSTANTS {', '.join(values)}"] if values else []
    apart = ["Apart ==", *(f"/\\ ~{name}" for name in names)]
    lines = [f"EXTENDS {form.module}, TLC", *declared, *them, f"Before == ~{names[0]}", *apart]
    return "\n".join([f"---- MODULE {_BACK} ----", *lines, "====", ""])


def work(server: str, threads: int, tell: Callable[[str], None]) -> None:
    """Be a worker of the server on the machine `server`, and of the next one there, until none has come for a while.

    Raises InputError if no server is found at first, and MissingError without Java or the jar.
    """
    waits = WAITS
    while (own := _reached(server, waits)) is not None:
        tell(f"works for {server}")
        with temporary_folder("tlc") as folder:
            jvm = (f"-Djava.rmi.server.hostname={own}", f"-D{_WORKER}.threadCount={threads}")
            launch(_WORKER, jvm, (server,), folder, inf)
        waits = WAITS_AGAIN
    if waits == WAITS:
        raise InputError(f"{server}: no server of TLC at port {PORT}: expected `kubeproof check … --distributed` there")


def _reached(server: str, seconds: float) -> str | None:
    """The address of this machine towards the server, as soon as it answers; None if it does not."""
    end = monotonic() + seconds
    while monotonic() < end:
        with suppress(OSError), socket.create_connection((server, PORT), timeout=5) as reached:
            address: str = reached.getsockname()[0]
            return address
        sleep(0.5)
    return None
