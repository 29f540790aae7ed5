"""Servers in Ray's replicas, without Ray: processes, Envoy's files, and the number of replicas.

`cargo xtask conformance cluster` tests them with Ray and Envoy.
"""

import http.server
import os
import pathlib
import signal
import subprocess
import sys
import textwrap
import threading
import time
from types import SimpleNamespace

import pytest

import trident.ray
from trident.ray import guard, library, replica, scaling
from trident.ray.endpoints import Endpoints, text
from trident.ray.server import Server, ServerError, find_program

DEPLOY = pathlib.Path(__file__).parents[2] / "deploy"
ONE = {"HTTP": "10.0.0.1:8000", "gRPC": "10.0.0.1:8001", "metrics": "10.0.0.1:8002"}
TWO = {"HTTP": "10.0.0.2:8000", "gRPC": "10.0.0.2:8001", "metrics": "10.0.0.2:8002"}


@pytest.fixture
def endpoints(tmp_path):
    """Files in a folder that does not exist yet, on a clock that tests advance."""
    now = [0.0]
    made = Endpoints(str(tmp_path / "new"), lease=10, settle=2, clock=lambda: now[0])
    made.advance = lambda seconds: now.__setitem__(0, now[0] + seconds)
    made.read = lambda: (tmp_path / "new/endpoints-http.yaml").read_text()
    return made


def test_files_have_the_form_of_those_in_deploy():
    for protocol, port in (("http", 8000), ("grpc", 8001)):
        ours = text(protocol, [f"127.0.0.1:{port}"]).replace('"127.0.0.1"', "127.0.0.1")
        theirs = (DEPLOY / f"endpoints-{protocol}.yaml").read_text()
        kept = [line for line in theirs.splitlines() if not line.startswith("#")]
        assert [line for line in ours.splitlines() if not line.startswith("#")] == kept


def test_no_server_is_an_empty_list():
    assert text("http", []).endswith("lb_endpoints: []\n")
    assert 'address: "::1", port_value: 80 ' in text("http", ["[::1]:80"])


def test_servers_are_written_once_earlier_replicas_had_time_to_report(endpoints):
    assert not endpoints.report("app", "a", ONE)
    endpoints.advance(2)
    assert endpoints.report("app", "b", TWO)
    assert "10.0.0.1" in endpoints.read() and "10.0.0.2" in endpoints.read()


def test_servers_leave(endpoints):
    endpoints.advance(2)
    endpoints.report("app", "a", ONE)
    endpoints.report("app", "b", TWO)
    assert endpoints.leave("a") == 1
    assert "10.0.0.1" not in endpoints.read() and "10.0.0.2" in endpoints.read()
    assert endpoints.leave("a") == 1
    assert endpoints.leave("b") == 0
    assert "10.0.0." not in endpoints.read()


def test_silent_replicas_lose_their_place_but_for_the_last(endpoints):
    endpoints.advance(2)
    endpoints.report("app", "a", ONE)
    endpoints.advance(6)
    endpoints.report("app", "b", TWO)
    endpoints.advance(6)
    endpoints.expire()
    assert "10.0.0.1" not in endpoints.read() and "10.0.0.2" in endpoints.read()
    endpoints.advance(60)
    endpoints.expire()
    assert "10.0.0.2" in endpoints.read()


def test_a_folder_has_one_application(endpoints):
    endpoints.report("first", "a", ONE)
    with pytest.raises(ValueError, match="has the servers of the application 'first'.*'second'"):
        endpoints.report("second", "b", TWO)
    endpoints.leave("a")
    endpoints.report("second", "b", TWO)


def test_unchanged_files_are_not_written_again(endpoints, tmp_path):
    endpoints.advance(2)
    endpoints.report("app", "a", ONE)
    before = (tmp_path / "new/endpoints-http.yaml").stat().st_ino
    endpoints.report("app", "a", ONE)
    assert (tmp_path / "new/endpoints-http.yaml").stat().st_ino == before
    endpoints.report("app", "b", TWO)
    assert (tmp_path / "new/endpoints-http.yaml").stat().st_ino != before
    assert sorted(os.listdir(tmp_path / "new")) == ["endpoints-grpc.yaml", "endpoints-http.yaml"]


@pytest.mark.parametrize(
    ("waiting", "wanted"), [({}, 2), ({"a": 0.0}, 0), ({"a": 3.0, "b": 6.0}, 2.25)]
)
def test_replicas_follow_the_requests_that_wait(waiting, wanted):
    context = SimpleNamespace(
        aggregated_metrics={scaling.PENDING: waiting} if waiting else None, target_num_replicas=2
    )
    assert scaling.PendingRequests(target=4.0)(context) == (wanted, {})


#: A program that starts and ends as `trident serve` does.
PROGRAM = """
    import signal, sys, time
    def drain(*_):
        print("drained", file=sys.stderr, flush=True)
        sys.exit()
    signal.signal(signal.SIGTERM, drain)
    print("a line of the log", file=sys.stderr, flush=True)
    place = sys.argv[1]
    for line in ("digits  1  READY", "HTTP on " + place, "metrics on " + place, "ready"):
        print(line, flush=True)
    time.sleep(60)
"""


class Health(http.server.BaseHTTPRequestHandler):
    """The pages of a server that replicas read."""

    def do_GET(self):
        ready = self.path == "/metrics" or self.server.ready
        body = b"# HELP nv_inference_pending_request_count 5\n"
        for model, count in (("a", 2), ("b} 7", 3)):
            body += b'nv_inference_pending_request_count{model="%s"} %d\n' % (model.encode(), count)
        self.send_response(200 if ready else 400)
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *arguments):
        pass


@pytest.fixture
def pages():
    server = http.server.HTTPServer(("127.0.0.1", 0), Health)
    server.ready = True
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield server
    server.shutdown()
    server.server_close()


def program(tmp_path, code, *arguments):
    file = tmp_path / "program.py"
    file.write_text(textwrap.dedent(code))
    return [sys.executable, str(file), *arguments]


def start(tmp_path, pages, on_end=lambda: None):
    place = f"127.0.0.1:{pages.server_port}"
    return Server(program(tmp_path, PROGRAM, place), on_end)


def test_a_server_is_watched_until_its_end(tmp_path, pages, capfd):
    ended = threading.Event()
    server = start(tmp_path, pages, ended.set)
    assert server.places["HTTP"] == f"127.0.0.1:{pages.server_port}"
    server.check()
    assert server.pending() == 5
    pages.ready = False
    with pytest.raises(ServerError, match="not ready: status 400"):
        server.check()
    assert not ended.is_set()
    server.stop(10)
    assert ended.wait(10)
    with pytest.raises(ServerError, match="status 0"):
        server.check()
    assert "a line of the log\n" in capfd.readouterr().err


def test_a_server_that_is_killed_is_noticed(tmp_path, pages):
    ended = threading.Event()
    server = start(tmp_path, pages, ended.set)
    os.kill(server._process.pid, signal.SIGKILL)
    assert ended.wait(10)
    with pytest.raises(ServerError, match="was ended by SIGKILL"):
        server.check()


def test_a_server_that_does_not_drain_in_time_is_killed(tmp_path, pages):
    code = PROGRAM.replace("sys.exit()", "time.sleep(60)")
    server = Server(program(tmp_path, code, f"127.0.0.1:{pages.server_port}"), lambda: None)
    server.stop(0.5)
    with pytest.raises(ServerError, match="(?s)SIGKILL.*drained"):
        server.check()


def test_the_error_of_a_start_has_the_table_and_the_cause(tmp_path):
    code = """
        import sys
        print("model  version  state")
        print("broken  1  UNAVAILABLE: no model")
        sys.exit("error: load failed")
    """
    with pytest.raises(ServerError) as raised:
        Server(program(tmp_path, code), lambda: None)
    table = "model  version  state\nbroken  1  UNAVAILABLE: no model\n"
    assert str(raised.value).endswith(f"has ended with status 1:\n{table}error: load failed")


def test_the_program_is_the_argument_or_the_variable_or_on_the_path(tmp_path, monkeypatch):
    for name in ("argument", "variable", "trident"):
        (tmp_path / name).write_text("#!/bin/sh\n")
        (tmp_path / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(tmp_path))
    monkeypatch.delenv("TRIDENT_SERVE", raising=False)
    assert find_program(None) == str(tmp_path / "trident")
    monkeypatch.setenv("TRIDENT_SERVE", str(tmp_path / "variable"))
    assert find_program(None) == str(tmp_path / "variable")
    assert find_program(str(tmp_path / "argument")) == str(tmp_path / "argument")
    monkeypatch.setenv("TRIDENT_SERVE", str(tmp_path / "missing"))
    with pytest.raises(ServerError, match="missing.*executable=.*TRIDENT_SERVE.*`serve`"):
        find_program(None)


def ends(pid):
    """Whether a process ends soon. It is no child of this one."""
    end = time.monotonic() + 20
    while time.monotonic() < end:
        status = pathlib.Path(f"/proc/{pid}/stat")
        if not status.exists() or ") Z " in status.read_text():
            return True
        time.sleep(0.05)
    return False


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
@pytest.mark.parametrize("way", ["replace", "watch"])
def test_a_program_ends_with_the_process_that_started_it(tmp_path, way):
    code = """
        import os, subprocess, sys
        module, way, *command = sys.argv[1:]
        code = f"import sys; sys.path.insert(0, {os.path.dirname(module)!r}); import guard; "
        code += f"guard.{way}({os.getpid()}, {command})"
        subprocess.run([sys.executable, "-S", "-c", code])
    """
    told = "import os, time; print(os.getpid(), flush=True); time.sleep(60)"
    command = program(tmp_path, code, guard.__file__, way, sys.executable, "-c", told)
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True) as starter:
        pid = int(starter.stdout.readline())
        starter.kill()
        assert ends(pid)


def test_a_guard_that_stays_passes_the_end_on(tmp_path):
    code = "import sys; sys.exit(7)"
    assert guard.watch(os.getppid(), program(tmp_path, code)) == 7


def test_replicas_listen_on_free_ports_of_their_node(tmp_path):
    plan = replica.Plan(("/models",), ("--log-verbose=1",), sys.executable, 2, "deploy", None, 30)
    command = plan.command("10.0.0.1")
    assert command[:3] == [sys.executable, "serve", "/models"]
    assert {"--threads=2", "--http-address=10.0.0.1", "--grpc-port=0"} < set(command)
    assert command[-1] == "--log-verbose=1"


def test_wrong_numbers_are_refused():
    with pytest.raises(ValueError, match="the fewest come first"):
        trident.ray.app("models", replicas=(3, 1))
    with pytest.raises(ValueError, match="at least 1"):
        trident.ray.app("models", replicas=(0, 1))
    with pytest.raises(ValueError, match="pending and cpus must be above 0"):
        trident.ray.app("models", pending=0)
    with pytest.raises(ValueError, match="replicas=\\(1, 8\\)"):
        trident.ray.app("models", replicas=2, autoscaling={"upscale_delay_s": 1})
    with pytest.raises(ValueError, match="empty list"):
        trident.ray.app([])


def test_a_machine_without_ray_is_told_what_to_install(monkeypatch):
    monkeypatch.setitem(sys.modules, "ray", None)
    with pytest.raises(ModuleNotFoundError, match="pip install 'ray\\[serve\\]"):
        library.load("ray.serve")
