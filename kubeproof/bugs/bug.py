"""What a bug of the catalogue is: where it comes from, and where to find the violation."""

from attrs import frozen


@frozen
class Question:
    """A question that the bug's report asks, and the minimal run that answers it, in the bug's release.

    `violates`, `given`: as in `Bug`. `answer`: why, a paragraph.
    """

    asked: str
    violates: str
    given: tuple[tuple[str, int], ...]
    answer: str


@frozen
class Bug:
    """A bug that a counterexample is kept of.

    `violates` is violated in `release`, the release of the report, and its shortest trace is the one that is kept;
    `properties` are all that the bug violates there, so that a fix must cure them. `fixes` are the upstream changes.
    `given`: bounds of the scope that the bug needs; the smallest values of the others are searched for. `powers`: those
    of them that let the environment do what the bug takes; where the property fails without one of them, that is
    another bug. `recovers`: ask as well after how many repetitions of the last action the
    violation is over; `stays`: where it is over at all, that is
    another bug. `notes`: findings, a paragraph each. `unconfirmed`: found here, and no upstream report is known.
    `questions`: those of its report, each with a run of its own.
    """

    id: str
    title: str
    system: str
    release: str
    violates: str
    properties: tuple[str, ...]
    consequence: str
    mechanism: str
    issues: tuple[str, ...]
    fixes: tuple[str, ...]
    mitigation: str
    given: tuple[tuple[str, int], ...] = ()
    powers: tuple[str, ...] = ()
    recovers: bool = False
    stays: bool = False
    notes: tuple[str, ...] = ()
    unconfirmed: bool = False
    questions: tuple[Question, ...] = ()

    @property
    def folder(self) -> str:
        """Its folder under counterexamples/."""
        return self.id.lower()
