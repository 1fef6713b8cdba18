"""What a plugin answers at an extension point: a code, and the reasons.

Go: `Code` and `Status` in pkg/scheduler/framework/v1alpha1/interface.go (1.20 on framework/interface.go; 1.35 on
staging/src/k8s.io/kube-scheduler/framework).
"""

from enum import StrEnum

from attrs import frozen


class Code(StrEnum):
    """Go's `Code`, by the name that Go prints."""

    SUCCESS = "Success"
    # Something went wrong that has nothing to do with the pod's fit. Starts no preemption.
    ERROR = "Error"
    # The pod does not fit now. Preemption may help.
    UNSCHEDULABLE = "Unschedulable"
    # The pod does not fit, and no pod that goes changes this.
    UNSCHEDULABLE_AND_UNRESOLVABLE = "UnschedulableAndUnresolvable"
    # Permit: the pod waits.
    WAIT = "Wait"
    # The plugin does not handle the pod: the next one does, or its coupled point is left out.
    SKIP = "Skip"
    # 1.29 on: the pod waits for something outside the scheduler, such as a driver.
    PENDING = "Pending"


@frozen
class Status:
    """A plugin's answer."""

    code: Code = Code.SUCCESS
    # Why, for a code other than Success.
    reasons: tuple[str, ...] = ()
    # The plugin under whose name the framework files the answer; "" for none.
    plugin: str = ""

    @property
    def ok(self) -> bool:
        """Go: `IsSuccess`."""
        return self.code is Code.SUCCESS

    @property
    def message(self) -> str:
        """Go: `Message`."""
        return ", ".join(self.reasons)


SUCCESS = Status()
