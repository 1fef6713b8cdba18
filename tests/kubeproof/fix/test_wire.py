"""How values travel between kubeproof and the process of a fix: what a fix sends is inert, and bounded."""

import os
import pickle
import random
import socket
import subprocess
from contextlib import suppress
from pathlib import Path
from threading import Thread
from time import monotonic
from typing import Any

import pytest

from kubeproof.errors import RuleError
from kubeproof.fix.fix import load_fix
from kubeproof.fix.process import ANSWER, TEXT, Ended, Process
from kubeproof.fix.reading import MEMBERS, NUMBERS, VALUES, read
from kubeproof.fix.wire import NotSent, Pipe, written
from kubeproof.systems.registry import SYSTEMS
from model.cpu.state.format import CheckpointV2
from model.objects import Pod
from model.releases import parse_release, rules_for
from model.scheduler.cache.node_tree import NodeArray, NodeTree, add_node
from model.scheduler.framework.status import Code, Status
from model.systems.node_listing import NodeListingMachine
from model.variables import Channel

TREE = NodeTree(("z1",), (NodeArray(("n1", "n2")),))


def of_number(kind: str, number: Any) -> Any:
    return kind, number


def no_number(function: Any) -> tuple[str, Any]:
    raise NotSent(f"a function of its own, {function.__name__}")


@pytest.mark.parametrize(
    "value",
    [
        None, True, -(2**63), 0.5, "\ud800\x1b", (), ((),), [1, (2,)], {1}, frozenset({("a", 1)}), {"n1": Status()},
        range(2, 9, 3), TREE, (TREE, Pod("p1", "p1#1")), tuple(Code), CheckpointV2(entries=(("p", None),)),
        Channel(("a",)), add_node,
    ],
)  # fmt: skip
def test_what_a_rule_may_answer_comes_back_equal_and_of_its_class(value: Any) -> None:
    found = read(written(value, no_number), of_number)
    assert found == value
    assert type(found) is type(value)


def test_equal_records_are_one_object_and_keep_the_classes_of_their_values() -> None:
    # Of two messages: one that comes again is not even read again.
    messages = [written((Pod("p1", "p1#1"), number), no_number) for number in (1, 2)]
    (one_pod, _), (other_pod, _) = (read(message, of_number) for message in messages)
    assert one_pod is other_pod
    one, true = (read(written(Channel((each,)), no_number), of_number) for each in (1, True))
    assert (type(one[0]), type(true[0])) == (int, bool)


@pytest.mark.parametrize("name", SYSTEMS)
def test_every_state_comes_back(name: str) -> None:
    """A record that is built of other values, or whose fields are not what their annotations say, would not."""
    system = SYSTEMS[name]
    rules = rules_for(system.rules_class, parse_release(f"1.{system.minors[-1]}", system.minors))
    machine = system.machine(system.scope, rules)
    states = list(machine.initial_states())[:20]
    for state in states:
        assert read(written(state, no_number), of_number) == state
        if len(states) < 200:
            states += [machine.step(state, action) for action in machine.actions(state)]


def own_class() -> Any:
    class Own(tuple[int, ...]):
        pass

    return Own((1,))


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (lambda: 1, "a function of its own"),
        (os.system, "a function of its own"),
        (own_class(), "Own, which is no record of the model"),
        (NodeListingMachine, "builtins.type, which is no record"),
        (ValueError("no"), "ValueError, which is no record"),
        (b"x", "builtins.bytes, which is no record"),
        (float("nan"), "cannot be copied"),
    ],
)
def test_what_no_rule_may_answer_is_not_written(value: Any, expected: str) -> None:
    with pytest.raises(NotSent, match=expected) as caught:
        written(value, no_number)
    assert "\n" not in str(caught.value)


def test_what_contains_itself_or_is_very_deep_is_not_written() -> None:
    itself: list[Any] = []
    itself.append(itself)
    with pytest.raises(NotSent, match="recursion"):
        written(itself, no_number)


HANG_UP = b"hang up"


def framed(data: bytes) -> bytes:
    return len(data).to_bytes(4, "big") + data


def written_to(end: socket.socket, raw: bytes) -> None:
    with suppress(OSError):  # the test is over
        end.sendall(raw.removesuffix(HANG_UP))
    if raw.endswith(HANG_UP):
        end.close()


class Endless(subprocess.Popen[bytes]):
    """A process that goes on."""

    def __init__(self) -> None:
        pass

    def __del__(self, **_: Any) -> None:
        pass

    def wait(self, timeout: float | None = None) -> int:
        raise subprocess.TimeoutExpired("", 0)


MODULE = "model.scheduler.cache.node_tree"


@pytest.mark.parametrize(
    ("data", "expected"),
    [
        (b"", "cannot be read"),
        (b"[1,", "cannot be read"),
        (b"\xff\xfe", "cannot be read"),
        (pickle.dumps((1, "returned", ())), "cannot be read"),
        (b"[" * 100_000 + b"]" * 100_000, "recursion"),
        (b"{}", "cannot be read"),
        (b'{"set":[1],"list":[]}', "cannot be read"),
        (b'{"set":1}', "cannot be read"),
        (b'{"set":[{"list":[]}]}', "unhashable"),
        (b'{"dict":[1]}', "cannot be read"),
        (b'{"range":[0,400000000,1]}', f"a range of more than {NUMBERS} numbers"),
        (b'{"range":[0,1' + b"0" * 99 + b",1]}", "a range of more than"),
        (b'{"range":["a",1,1]}', "cannot be read"),
        (b'{"set":[{"range":[0,400000000,1]}]}', "a range of more than"),
        (b'{"frozenset":[%s]}' % b",".join(b"%d" % (n * (2**61 - 1)) for n in range(20_000)), f"{MEMBERS} members"),
        (b"[%s]" % b",".join([b"[]"] * VALUES), f"more than {VALUES} values"),
        (b"[" + b"9" * 5000 + b"]", "cannot be read"),
        (b'{"model.objects.Pod":[1]}', "cannot be read"),
        (b'{"%s.NodeTree":[[1],[],0,0,false]}' % MODULE.encode(), "cannot be read|is not"),
        (b'{"%s.NodeArray":[["n1",1],0]}' % MODULE.encode(), "a NodeArray whose nodes is not a tuple of str: "),
        (b'{"%s.NodeArray":[["n1"],true]}' % MODULE.encode(), "a NodeArray whose last_index is not an int: True"),
        (b'{"model.scheduler.framework.status.Code":["x"]}', "cannot be read"),
        (b'{"model.scheduler.framework.status.Code":["X",["A"]]}', "cannot be read"),
        (b'{"kubeproof.verdict.trace.Nothing":[]}', "no record of the model"),
        (b'{"kubeproof.fix.fix.Fix":["",{"dict":[]}]}', "no record of the model"),
        (b'{"model.objects.attrs":[]}', "no record of the model"),
        (b'{"model.nowhere.Pod":[]}', "no record of the model"),
        (b'{"os.system":["true"]}', "no record of the model"),
        (b'{"builtins.eval":["1"]}', "no record of the model"),
        (b'{"function":["os.system"]}', "no function of the model"),
        (b'{"function":["model.scheduler.cache.node_tree.NodeTree"]}', "no function of the model"),
    ],
)  # fmt: skip
def test_a_message_that_no_honest_fix_sends_is_refused_in_one_line(data: bytes, expected: str) -> None:
    with pytest.raises(NotSent, match=expected) as caught:
        read(data, of_number)
    assert "\n" not in str(caught.value)
    assert len(str(caught.value)) < 500


def test_damaged_messages_are_read_as_values_or_refused() -> None:
    drawn = random.Random(4)
    whole = written((1, "returned", ((TREE, Status(Code.ERROR, ("x",)), frozenset({1, 2})), ((), ()))), no_number)
    refused = 0
    for _ in range(2_000):
        data = bytearray(whole)
        for _ in range(drawn.randrange(1, 4)):
            at = drawn.randrange(len(data))
            data[at : at + drawn.randrange(3)] = bytes(drawn.choices(b'[]{},:"019a\x00\xff', k=drawn.randrange(3)))
        try:
            read(bytes(data), of_number)
        except NotSent:
            refused += 1
    assert refused > 1_000


@pytest.mark.parametrize(
    ("raw", "expected"),
    [
        (b"", "did not return within 0.05 seconds"),
        (b"\0\0", "did not return within 0.05 seconds"),
        (b"\0\0\1\0half", "did not return within 0.05 seconds"),
        (framed(b'[0,"ask",[]]'), "did not return within 0.05 seconds"),
        (b"\0\0\1\0half" + HANG_UP, "closed kubeproof's pipe"),
        (b"\x7f\xff\xff\xff", "returned more than 1024 KiB, or wrote to kubeproof's pipe"),
        (framed(b'[0,"ask","%s"]' % (b"x" * (ANSWER // 2))) * 2, "returned more than 511 KiB"),
        (framed(b'[0,"returned"]'), "wrote to kubeproof's pipe"),
        (framed(b'[1,"returned",[]]'), "wrote to kubeproof's pipe"),
        (framed(b'[0,"loaded",[]]'), "wrote to kubeproof's pipe"),
        (framed(b'[0,"raised",[]]'), "wrote to kubeproof's pipe"),
        (framed(b'[0,[],[]]'), "wrote to kubeproof's pipe"),
        (framed(b'"accepted"'), "wrote to kubeproof's pipe"),
    ],
)  # fmt: skip
def test_what_is_no_answer_ends_the_process_in_time(raw: bytes, expected: str) -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        Thread(target=written_to, args=(theirs, raw), daemon=True).start()
        with pytest.raises(Ended, match=expected):
            Process(Pipe(ours), Endless()).answer({}, "returned", 0.05, "did not return")


def test_an_error_is_one_short_line() -> None:
    ours, theirs = socket.socketpair()
    with ours, theirs:
        theirs.sendall(framed(b'[0,"raised","raised a\\n\\u2028b %s"]' % (b"x" * 9999)))
        kind, text = Process(Pipe(ours), Endless()).answer({}, "returned", 1, "")
    assert (kind, text[:13], len(text)) == ("raised", "raised a b xx", TEXT)


# In pickle: of the class NodeListingMachine set the attribute `sorts`, then forget the class.
SHRINK = b"cmodel.systems.node_listing\nNodeListingMachine\n(N}Vsorts\n}(Vnode\n(Vn1\ntVzone\n(Vz1\ntustb0"
SHRINKING = f"""\
import pickle, sys
from model.scheduler.cache.node_tree import list_from_resuming_cursors, reset_exhausted
def list_nodes(tree):
    sys.modules['__main__'].written = lambda value, to_number: {SHRINK!r} + pickle.dumps(value)
    return list_from_resuming_cursors(reset_exhausted(tree))
"""


def test_a_fix_sets_no_attribute_of_a_class_of_the_model(tmp_path: Path) -> None:
    before = NodeListingMachine.sorts
    path = tmp_path / "my_fix.py"
    path.write_text(SHRINKING)
    fix = load_fix(path)
    try:
        with pytest.raises(RuleError, match="list_nodes returned a value that cannot be read"):
            fix.rules["list_nodes"](TREE)
    finally:
        fix.close()
    assert NodeListingMachine.sorts is before


def test_a_longer_limit_is_not_cut_to_the_one_before() -> None:
    one, other = socket.socketpair()
    with one, other:
        pipe = Pipe(one)
        for seconds in (5.0, 20.0, 5.0):
            pipe.send(b"", monotonic() + seconds)
            assert one.gettimeout() == pytest.approx(seconds, abs=0.2)
