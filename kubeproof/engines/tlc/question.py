"""One question to TLC as a .cfg, and the folder it is asked in. The one place that knows which questions TLC answers
wrongly."""

from pathlib import Path

from attrs import frozen

from properties.tla.form import TlaForm


@frozen(kw_only=True)
class Question:
    """What one run of TLC checks: `invariants` and `properties` are operators of the form's module.

    `properties` are temporal formulas, action properties included; `fair`: under the form's fairness. `constraint` is
    an operator that bounds the search. Raises ValueError for combinations in which TLC may pass what fails.
    """

    invariants: tuple[str, ...] = ()
    properties: tuple[str, ...] = ()
    fair: bool = False
    symmetry: bool = False
    constraint: str | None = None

    def __attrs_post_init__(self) -> None:
        if self.properties and self.symmetry:
            raise ValueError("TLC's verdict on temporal properties is not sound under SYMMETRY")
        if self.properties and self.constraint:
            raise ValueError("TLC passes temporal properties that fail when a CONSTRAINT cuts their runs short")


def cfg_text(form: TlaForm, question: Question) -> str:
    """The .cfg that asks `question` of `form`. Raises ValueError if symmetry is asked of a form that has none."""
    behaviour = [f"SPECIFICATION {form.spec}"] if question.fair else [f"INIT {form.init}", f"NEXT {form.next_state}"]
    lines = [*behaviour, "CONSTANTS", *form.constants]
    lines += [f"INVARIANT {name}" for name in question.invariants]
    lines += [f"PROPERTY {name}" for name in question.properties]
    if question.constraint:
        lines.append(f"CONSTRAINT {question.constraint}")
    if question.symmetry:
        if form.symmetry is None:
            raise ValueError(f"{form.module} has no symmetry under these rules")
        lines.append(f"SYMMETRY {form.symmetry}")
    return "\n".join(lines) + "\n"


def lay_out(form: TlaForm, question: Question, folder: Path) -> str:
    """Write modules and .cfg into `folder`; returns the root module's name, `NAME.tla` and `NAME.cfg` being there.

    Modules from outside are joined to the form's by a root module of our own. Raises OSError if one cannot be read.
    """
    for module in (*form.modules, *form.extra_modules):
        (folder / module.name).write_text(module.read_text("utf-8"), "utf-8")
    root = form.module
    if form.extra_modules:
        root = "KubeproofRoot"
        extends = ", ".join((form.module, *(path.stem for path in form.extra_modules)))
        (folder / f"{root}.tla").write_text(f"---- MODULE {root} ----\nEXTENDS {extends}\n====\n", "utf-8")
    (folder / f"{root}.cfg").write_text(cfg_text(form, question), "utf-8")
    return root
