"""How values travel between kubeproof and the process of a fix."""

import pytest

from kubeproof.fix.wire import received, sent
from model.scheduler.framework.status import Code


def test_a_member_of_an_enum_travels_by_its_value_in_every_python(monkeypatch: pytest.MonkeyPatch) -> None:
    """To 3.11.3 an enum says that its members travel as a call of `getattr`."""
    monkeypatch.setattr(Code, "__reduce_ex__", lambda self, protocol: (getattr, (type(self), self.name)))

    def numbered(value: object) -> tuple[str, object]:
        raise AssertionError(f"{value} travels by number")

    for trusted in (True, False):
        assert received(sent(tuple(Code), numbered), lambda number: number, trusted=trusted) == tuple(Code)
