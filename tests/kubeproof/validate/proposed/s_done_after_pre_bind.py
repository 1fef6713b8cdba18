"""Done after PreBind (#120586). scheduling asks no such rule: it has no verdict there."""

CURES = "QH-SLOW-BIND-HOLD"


def done_in_binding() -> str:
    return "PreBind"
