"""A tritonserver process of the `nvidia-pytriton` wheel, and what the system knows of it."""

import ctypes
import os
import pathlib
import shutil
import signal
import socket
import subprocess
import sys
import sysconfig
import time

SITE = pathlib.Path(sysconfig.get_path("purelib"))
TRITON = SITE / "pytriton/tritonserver"
NAMES = ("trident", "metal_mps", "onnxruntime", "paddle")  # what the library is called
FLAGS = (
    "--exit-on-error=false",
    "--strict-readiness=false",
    "--exit-timeout-secs=10",
    "--model-control-mode=explicit",
)
TICK = os.sysconf("SC_CLK_TCK")
PAGE = os.sysconf("SC_PAGE_SIZE")
PR_SET_PDEATHSIG = 1


class Gone(Exception):
    """The server has ended, or does not start."""


def python_backend(folder):
    """The wheel's Python backend, with the program that runs models in this interpreter."""
    version = f"{sys.version_info.major}.{sys.version_info.minor}"
    stub = TRITON / f"python_backend_stubs/{version}/triton_python_backend_stub"
    shutil.copytree(TRITON / "backends/python", folder / "python")
    copy = folder / "python" / stub.name
    shutil.copy(stub, copy)
    copy.chmod(0o755)


def backends_of_library(folder, library):
    """A folder of backends: our library under its three names, and the Python backend."""
    folder.mkdir(parents=True)
    for name in NAMES:
        file = f"{name}/libtriton_{name}.so"
        (folder / name).mkdir()
        (folder / file).symlink_to((library / file).resolve(strict=True))
    python_backend(folder)
    return folder


def backends_of_stand_in(folder, program):
    """The same with a Python-based backend in place of the library."""
    folder.mkdir(parents=True)
    for name in NAMES:
        (folder / name).mkdir()
        shutil.copy(program, folder / name / "model.py")
    python_backend(folder)
    return folder


def free_ports(count):
    """Ports of the loopback that nobody listens on."""
    sockets = [socket.socket() for _ in range(count)]
    for one in sockets:
        one.bind(("127.0.0.1", 0))
    ports = [one.getsockname()[1] for one in sockets]
    for one in sockets:
        one.close()
    return ports


def die_with_parent():
    """Ask the system to end this process when the suite ends, however that happens."""
    if sys.platform == "linux":
        ctypes.CDLL(None).prctl(PR_SET_PDEATHSIG, signal.SIGTERM)


class Server:
    """A server that listens on the loopback only. Use it with `with`."""

    def __init__(self, backends, repository, log, flags=FLAGS, variables=(), wait=90):
        self.log, self.process = log, None
        log.parent.mkdir(parents=True, exist_ok=True)
        paths = [f"--backend-directory={backends}", f"--model-repository={repository}"]
        # The library path and PATH are for the Python backend's program only.
        libraries, interpreter = str(SITE / "nvidia_pytriton.libs"), pathlib.Path(sys.executable)
        self.variables = os.environ | {
            "LD_LIBRARY_PATH": libraries,
            "PATH": f"{interpreter.parent}{os.pathsep}{os.environ['PATH']}",
            **dict(variables),
        }
        for attempt in range(3):  # a port may be taken between the choice and the start
            self.http, self.grpc, self.metrics = free_ports(3)
            ports = []
            for kind in ("http", "grpc", "metrics"):
                ports += [f"--{kind}-address=127.0.0.1", f"--{kind}-port={getattr(self, kind)}"]
            self.start([str(TRITON / "bin/tritonserver"), *paths, *ports, *flags])
            if self.wait_until_ready(wait):
                return
            if "Address already in use" not in self.said() or attempt == 2:
                break
        said = self.last_words()
        self.stop()
        raise Gone(f"the server does not start: {said}")

    def start(self, command):
        with open(self.log, "wb") as log:
            self.process = subprocess.Popen(
                command,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=subprocess.STDOUT,
                env=self.variables,
                start_new_session=True,
                preexec_fn=die_with_parent,
            )

    def wait_until_ready(self, seconds):
        end = time.monotonic() + seconds
        while time.monotonic() < end and self.process.poll() is None:
            try:
                with socket.create_connection(("127.0.0.1", self.http), 1) as one:
                    one.sendall(b"GET /v2/health/live HTTP/1.1\r\nHost: x\r\n\r\n")
                    one.settimeout(5)
                    if b" 200 " in one.recv(100):
                        return True
            except OSError:
                pass
            time.sleep(0.05)
        return False

    def __enter__(self):
        return self

    def __exit__(self, *_):
        self.stop()

    def said(self):
        return self.log.read_text(errors="replace")

    def last_words(self):
        """The end of the log in one line, for messages."""
        return " | ".join(self.said().split("\n")[-6:])[-500:].strip(" |")

    def alive(self):
        """Raise `Gone` if the process has ended."""
        status = self.process.poll()
        if status is not None:
            raise Gone(f"the server has ended with status {status}: {self.last_words()}")

    def stop(self, seconds=40):
        """End the process politely; its exit status. SIGKILL only when that does not help."""
        if self.process.poll() is None:
            self.process.terminate()
            try:
                self.process.wait(seconds)
            except subprocess.TimeoutExpired:
                os.killpg(self.process.pid, signal.SIGKILL)
        return self.process.wait()

    def memory(self):
        """Resident bytes of the server's own process."""
        return self._pages()[1] * PAGE

    def allocated(self):
        """Those of them that are no file's. The first run that unwinds has the system read 600 KiB
        of the library, which stay."""
        _, resident, of_files, *_ = self._pages()
        return (resident - of_files) * PAGE

    def _pages(self):
        statm = pathlib.Path(f"/proc/{self.process.pid}/statm").read_text()
        return [int(field) for field in statm.split()]

    def threads(self):
        return len(os.listdir(f"/proc/{self.process.pid}/task"))

    def processor_time(self):
        """Seconds of processor time that the server and its children have taken."""
        return sum(times(pid) for pid in tree(self.process.pid))


def stat(pid):
    """The fields of /proc/PID/stat after the name, which may have any character."""
    text = pathlib.Path(f"/proc/{pid}/stat").read_text()
    return text[text.rindex(")") + 2 :].split()


def times(pid):
    """User and system time of a process and of its children that have ended, in seconds."""
    try:
        return sum(int(field) for field in stat(pid)[11:15]) / TICK
    except OSError:  # it has just ended
        return 0.0


def tree(root):
    """A process and all below it."""
    parents = {}
    for entry in os.listdir("/proc"):
        if entry.isdigit():
            try:
                parents[int(entry)] = int(stat(entry)[1])
            except OSError:
                pass
    found, grown = {root}, True
    while grown:
        below = {pid for pid, parent in parents.items() if parent in found}
        grown = not below <= found
        found |= below
    return found
