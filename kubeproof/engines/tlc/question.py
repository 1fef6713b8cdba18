"""One question to TLC as a .cfg, and the folder in which TLC runs.

No other place knows which questions TLC answers wrongly.
"""

from pathlib import Path

from attrs import frozen

from properties.tla.form import TlaForm


@frozen(kw_only=True)
class Question:
    """What one run of TLC checks, by the names of operators of the form's module.

    Raises ValueError for combinations in which TLC may pass a property that fails.
    """

    invariants: tuple[str, ...] = ()
    # Temporal formulas, formulas on one transition included.
    properties: tuple[str, ...] = ()
    # Whether the form's fairness is assumed.
    fair: bool = False
    symmetry: bool = False
    # An operator that bounds the search.
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
    """Write modules and .cfg into `folder`. Returns the NAME of the root module; `NAME.tla` and `NAME.cfg` are there.

    The root module that is written here joins the modules of a fix to the form's. Raises OSError if a module cannot
    be read.
    """
    for module in (*form.modules, *form.extra_modules):
        (folder / module.name).write_text(module.read_text("utf-8"), "utf-8")
    root = form.module
    if form.extra_modules:
        root = "KubeproofRoot"
        extends = ", ".join((form.module, *(each.name.removesuffix(".tla") for each in form.extra_modules)))
        (folder / f"{root}.tla").write_text(f"---- MODULE {root} ----\nEXTENDS {extends}\n====\n", "utf-8")
    (folder / f"{root}.cfg").write_text(cfg_text(form, question), "utf-8")
    return root
