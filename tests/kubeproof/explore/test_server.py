"""The server of the explorer answers who has the token, from this machine, and what the interface says."""

import json
import socket
from pathlib import Path
from typing import Any

import pytest
from starlette.testclient import TestClient

from kubeproof.cli import app, run
from kubeproof.explore import server
from kubeproof.explore.explorer import Explorer
from kubeproof.explore.link import fragment, run_of_link
from kubeproof.explore.page import choices, page_files
from kubeproof.explore.run import Run
from kubeproof.explore.server import HOST, application, machine_with
from kubeproof.fix.fix import opened_fix
from tests.conftest import ROOT
from tests.kubeproof.explore.test_explorer import of, said

TOKEN = "a-token"
Captured = pytest.CaptureFixture[str]


def client(explorer: Explorer | None = None, **options: Any) -> TestClient:
    return TestClient(
        application(explorer or Explorer(), page_files("server"), TOKEN), base_url=f"http://{HOST}:4711", **options
    )


def test_the_page_and_its_files() -> None:
    page = client().get(f"/{TOKEN}/")
    assert page.status_code == 200
    assert page.headers["referrer-policy"] == "no-referrer"
    assert "default-src 'self'" in page.headers["content-security-policy"]
    assert "{{" not in page.text
    for name in ("explorer.mjs", "explorer.css", "viewer.mjs", "viewer.css"):
        assert client().get(f"/{TOKEN}/{name}").status_code == 200
    # What a page from a file says stands in it without any script.
    assert "python -m http.server" in page.text


@pytest.mark.parametrize("path", ["/", "/other/", "/other/viewer.mjs", f"/{TOKEN}/../server.py", f"/{TOKEN}/server.py"])
def test_nothing_else_is_sent(path: str) -> None:
    assert client().get(path).status_code == 404


def test_without_the_token_nothing_is_answered() -> None:
    assert client().post("/other/ask/look", json={"run": of("NODETREE-CURSOR")}).status_code == 404
    assert client().get(f"/{TOKEN}/ask/look").status_code == 405


def test_another_name_of_the_host_is_refused() -> None:
    assert client().get(f"/{TOKEN}/", headers={"host": "evil.example:4711"}).status_code == 400
    assert client().get(f"/{TOKEN}/", headers={"host": "localhost:4711"}).status_code == 200


def test_the_answer_is_that_of_the_interface() -> None:
    asked = {"run": of("NODETREE-CURSOR"), "at": 3}
    reply = client().post(f"/{TOKEN}/ask/look", json=asked)
    assert (reply.status_code, reply.json()) == (200, said("look", **asked))


@pytest.mark.parametrize("body", [b"", b"{", b"[1]", b"\xff", b'{"run": NaN}', b"[" * 100_000, b" " * (2 << 20)])
def test_wrong_input_is_one_line(body: bytes) -> None:
    reply = client().post(f"/{TOKEN}/ask/look", content=body)
    assert reply.status_code == 400
    assert "\n" not in reply.json()["error"]


def test_an_error_of_kubeproof_itself_is_told(monkeypatch: pytest.MonkeyPatch) -> None:
    heard: list[Exception] = []
    monkeypatch.setattr(server, "tell_unforeseen", heard.append)
    explorer = Explorer()
    monkeypatch.setattr(explorer, "answer", lambda question, asked: 1 // 0)
    reply = client(explorer).post(f"/{TOKEN}/ask/look", json={})
    assert (reply.status_code, [type(each) for each in heard]) == (500, [ZeroDivisionError])
    assert "not foreseen" in reply.json()["error"]


def test_a_fix_takes_the_same_actions() -> None:
    with opened_fix(ROOT / "examples" / "fixes" / "reset_cursors.py", ()) as fix:
        explorer = Explorer(machine_with(fix))
        run = of("NODETREE-CURSOR", against={"release": "1.18.4", "fix": True})
        found = explorer.answer("look", {"run": run})
        assert list(found["violated"]) == ["listed-exactly-once"]
        assert found["against"]["violated"] == {}
        assert found["against"]["differs"]["at"] == 5
        alone = {**run, "fix": True, "against": None}
        assert explorer.answer("look", {"run": alone})["violated"] == {}
        assert "list_nodes" in explorer.answer("start", {"run": {**of("QH-DONE-SKIP"), "fix": True}})["error"]
        assert "knows no fix" in explorer.answer("save", {"run": alone, "as": "pytest"})["error"]


def test_what_a_fix_raises_is_said_of_its_action(tmp_path: Path) -> None:
    file = tmp_path / "fix.py"
    file.write_text("def list_nodes(tree):\n    raise ValueError('of the fix')\n", encoding="utf-8")
    with opened_fix(file, ()) as fix:
        explorer = Explorer(machine_with(fix))
        run = {**of("NODETREE-CURSOR"), "fix": True, "actions": []}
        enabled = explorer.answer("take", {"run": run, "at": 0, "action": "add_node n1 z1"})["enabled"]
        (update,) = [each for each in enabled if each["text"] == "update_snapshot"]
        assert "list_nodes raised ValueError: of the fix" in update["error"]
        goal = {"property": "listed-exactly-once", "fact": "", "value": "", "seconds": 9}
        found = explorer.answer("search", {"run": run, "at": 0, "goal": goal})
        assert "list_nodes raised ValueError: of the fix" in found["said"]
        assert any("error" in each for each in found["enabled"])


def test_a_link_is_read_as_it_is_written() -> None:
    asked = of("CPU-INIT-OVERLAP", against={"release": "1.18.3", "fix": True})
    assert run_of_link(f"http://{HOST}:1/x/{fragment(Run.read(asked).json())}") == Run.read(asked).json()


def explored(monkeypatch: pytest.MonkeyPatch, capsys: Captured, *args: str) -> tuple[int, str, str]:
    """What the command says, which does not serve."""
    monkeypatch.setattr(server, "serve", lambda fix, port, begin: begin("http://x/"))
    status = run(lambda: app(["explore", *args, "--no-browser"], prog_name="kubeproof", standalone_mode=False))
    return status, *capsys.readouterr()


def test_the_command_prints_the_link_of_the_run(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    status, out, err = explored(monkeypatch, capsys, "--bug", "NODETREE-CURSOR", "--against", "1.18.7")
    assert (status, err, out.count("\n")) == (0, "", 1)
    asked = of("NODETREE-CURSOR", against={"release": "1.18.7", "fix": False})
    assert run_of_link(out.strip()) == asked
    assert explored(monkeypatch, capsys, out.strip()) == (0, out, "")
    status, document, _ = explored(monkeypatch, capsys, out.strip(), "--json")
    assert (status, json.loads(document)) == (0, {"address": out.strip()})


def test_a_release_that_has_less_of_the_run(monkeypatch: pytest.MonkeyPatch, capsys: Captured) -> None:
    status, out, err = explored(monkeypatch, capsys, "--bug", "NOM-STATUS-KEYED", "--release", "1.36.3")
    assert status == 0
    assert err.startswith("note: 1.36.3 has ")
    assert len(run_of_link(out.strip())["actions"]) < len(of("NOM-STATUS-KEYED")["actions"])


@pytest.mark.parametrize(
    ("args", "why"),
    [
        ((), "no system"),
        (("nodes",), "'nodes' is not a system"),
        (("scheduling", "--bug", "NODETREE-CURSOR"), "NODETREE-CURSOR is a bug of node-listing"),
        (("--bug", "CPU-HINTS"), "CPU-HINTS is shown on components"),
        (("node-listing", "--release", "2.0"), "2.0"),
        (("node-listing", "--scope", "nodes=x"), "nodes: 'x' is not a number"),
        (("node-listing", "--fix", "no-such.py"), "no-such.py"),
        (("node-listing", "--site", "out"), "--site: a run is chosen in the page"),
        (("http://x/#a=b",), "expected a link of the explorer's page"),
        (("http://x/#system=node-listing", "--release", "1.18.4"), "SYSTEM: a link has the release"),
    ],
)
def test_wrong_usage_is_one_line(
    monkeypatch: pytest.MonkeyPatch, capsys: Captured, args: tuple[str, ...], why: str
) -> None:
    status, out, err = explored(monkeypatch, capsys, *args)
    assert (status, out, err.count("\n")) == (2, "", 1)
    assert why in err


def test_a_port_that_is_taken_is_refused(capsys: Captured) -> None:
    with socket.socket() as other:
        other.bind((HOST, 0))
        other.listen()
        port = other.getsockname()[1]
        args = ["explore", "node-listing", "--no-browser", "--port", str(port)]
        assert run(lambda: app(args, prog_name="kubeproof", standalone_mode=False)) == 2
    assert capsys.readouterr().err == (
        f"kubeproof: --port {port}: Address already in use: expected a free port, or 0 for any\n"
    )


def test_what_can_be_chosen_is_there() -> None:
    for name, choice in choices().items():
        asked = {"system": name, "fix": False, "scope": choice["scope"], "actions": [], "against": None}
        for release in (choice["releases"][0], choice["releases"][-1]):
            assert said("start", run={**asked, "release": release})["run"]["release"] == release
        newest = said("start", run={**asked, "release": ""})
        assert newest["run"]["release"] == choice["releases"][0]
        assert choice["bugs"]
        for bug, link in choice["bugs"].items():
            assert run_of_link(link) == of(bug)


def test_no_part_of_a_template_is_left_in_the_page() -> None:
    page = page_files("server")["index.html"]
    assert "{%" not in page
    assert "{{" not in page
    assert "--link:" in page
