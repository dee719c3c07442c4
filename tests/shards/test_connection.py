"""The connection to a cluster: addresses, missing parts, who may connect, and workers that do not start."""

import os
import signal
import socket
import ssl
import sys
import threading
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from aligner.errors import ConfigError, DataError
from aligner.messages import EXTRAS
from aligner.shards import connection
from aligner.shards.connection import connected
from tests.shards.cases import needs_distributed

linux = pytest.mark.skipif(not sys.platform.startswith("linux"), reason="reads /proc")


@pytest.mark.parametrize("library", ["distributed", "cryptography"])
def test_without_the_extra(library, monkeypatch, align, trained, tmp_path):
    if library == "cryptography":
        pytest.importorskip("distributed")
    monkeypatch.setitem(sys.modules, library, None)
    _, err = align("train", trained / "train.tsv", "-m", tmp_path / "model", "--cluster", "local:2", status=1)
    assert "needs the extra cluster" in err
    assert f"pip install {' '.join(EXTRAS['cluster'])}" in err


@needs_distributed
@pytest.mark.parametrize("address", ["local", "local:0", "local:x"])
def test_addresses_of_no_cluster(address):
    with pytest.raises(ConfigError, match="expected local:N"), connected(address):
        pass


@needs_distributed
def test_a_scheduler_that_does_not_answer(monkeypatch):
    monkeypatch.setattr(connection, "_SECONDS_TO_CONNECT", 0.2)
    with pytest.raises(DataError, match="no scheduler answers"), connected("tcp://127.0.0.1:9"):
        pass


def children(pid):
    """Return the ids of the child processes of a process, and of their children."""
    own = []
    with suppress(OSError):  # a process that has ended
        for task in Path(f"/proc/{pid}/task").glob("*/children"):
            own += map(int, task.read_text().split())
    return own + [grandchild for child in own for grandchild in children(child)]


def open_ports(pids):
    """Return the pairs of address and port at which processes listen, by /proc."""
    sockets = set()
    for pid in pids:
        for file in Path(f"/proc/{pid}/fd").iterdir():
            try:
                sockets.add(os.readlink(file))
            except OSError:  # closed since
                continue
    found = []
    for version, family in ("tcp", socket.AF_INET), ("tcp6", socket.AF_INET6):
        for line in Path(f"/proc/net/{version}").read_text().splitlines()[1:]:
            _, local, _, state, *_ = fields = line.split()
            if state == "0A" and f"socket:[{fields[9]}]" in sockets:
                packed, port = local.split(":")
                words = bytes.fromhex(packed)
                packed = b"".join(words[n : n + 4][::-1] for n in range(0, len(words), 4))
                found.append((socket.inet_ntop(family, packed), int(port, 16)))
    return found


def answer(port, context=None):
    """Return the first bytes of the answer of a port of this machine; nothing if it refuses to answer."""
    try:
        with socket.create_connection(("127.0.0.1", port), timeout=60) as request:
            encrypted = request if context is None else context.wrap_socket(request)
            encrypted.sendall(b"GET /info/main/workers.html HTTP/1.0\r\n\r\n")
            return encrypted.recv(100)
    except OSError:  # errors of TLS, too
        return b""


def key_of_a_stranger():
    """Return a context of TLS with a key of its own, that believes whatever a server says."""
    from distributed import Security

    context = Security.temporary().get_connection_args("client")["ssl_context"]
    context.check_hostname, context.verify_mode = False, ssl.CERT_NONE
    return context


@linux
@needs_distributed
def test_f1_f2_other_users_of_this_machine_cannot_use_local_workers():
    """All ports listen on this machine only. Each needs the keys of the run, or serves no page."""
    before = set(open_ports([os.getpid(), *children(os.getpid())]))  # a driver of Chromium has ports, too
    with connected("local:1") as client:
        ports = set(open_ports([os.getpid(), *children(os.getpid())])) - before
        assert {address for address, _ in ports} == {"127.0.0.1"}
        answers = {port: answer(port) for _, port in ports}
        assert all(text.startswith(b"HTTP/1.1 404") for text in answers.values() if text)
        guarded = [port for port, text in answers.items() if text == b""]
        assert len(guarded) == 3  # of the scheduler, a nanny and a worker
        stranger = key_of_a_stranger()
        assert {answer(port, stranger) for port in guarded} == {b""}
        assert client.scheduler.address.startswith("tls://")
        assert client.submit(os.getuid).result() == os.getuid()


@pytest.fixture
def guarded(tmp_path):
    """Start a scheduler that needs TLS; return its address and the settings of Dask that have its keys."""
    from distributed import LocalCluster, Security

    security = Security.temporary()
    config = security.get_tls_config_for_role("client")
    names = {"ca-file": "ca_file", "client.cert": "cert", "client.key": "key"}
    settings = {f"distributed.comm.tls.{name}": str(tmp_path / name) for name in names}
    for name, key in names.items():
        (tmp_path / name).write_text(config[key])
    with LocalCluster(n_workers=0, security=security, dashboard_address=None) as cluster:
        yield cluster.scheduler_address, settings


@needs_distributed
def test_f1_keys_of_a_given_address_are_those_of_the_settings_of_dask(guarded):
    import dask

    address, settings = guarded
    with dask.config.set(settings), connected(address) as client:
        assert client.scheduler_info()["address"] == address
    with pytest.raises(ConfigError, match="DASK_DISTRIBUTED__COMM__TLS__CA_FILE"), connected(address):
        pass


@contextmanager
def killing_workers(most):
    """Kill up to a number of workers while they start; yield the list of their ids."""
    killed, ended = [], threading.Event()

    def kill():
        while not ended.wait(0.02):
            for pid in set(children(os.getpid())) - set(killed):
                with suppress(OSError):  # a process that has ended
                    if len(killed) < most and b"spawn_main" in Path(f"/proc/{pid}/cmdline").read_bytes():
                        os.kill(pid, signal.SIGKILL)
                        killed.append(pid)

    thread = threading.Thread(target=kill)
    thread.start()
    try:
        yield killed
    finally:
        ended.set()
        thread.join()


@linux
@needs_distributed
def test_f4_a_worker_that_is_killed_while_it_starts_is_started_again():
    with killing_workers(1) as killed, connected("local:1") as client:
        assert len(client.scheduler_info()["workers"]) == 1
    assert len(killed) == 1


@linux
@needs_distributed
def test_f4_workers_that_never_start_are_an_error(align, trained, tmp_path):
    options = "-m", tmp_path / "model", "--cluster", "local:2"
    with killing_workers(99):
        _, err = align("train", trained / "train.tsv", *options, status=1)
    assert "a worker did not start" in err
    assert not (tmp_path / "model").exists()
