"""The connection to a cluster of Dask distributed, or to worker processes on this machine."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aligner.errors import ConfigError, DataError
from aligner.messages import missing_extra

if TYPE_CHECKING:
    from distributed import Client, LocalCluster

_LOCAL_SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 10,
    # Dask sets MALLOC_TRIM_THRESHOLD_, with which glibc returns the arrays of each block to the system.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
    "distributed.admin.tick.interval": "500ms",  # ticks of 20 ms take 2 to 5 % of a core in each process
    "distributed.scheduler.http.routes": [],  # no pages about the run for other users of this machine
    "distributed.worker.http.routes": [],
}
"""Settings of Dask for local workers."""

_ATTEMPTS = 2
"""How often local workers are started. A worker that is killed while it starts ends the attempt."""

_SECONDS_TO_CONNECT = 30


@contextmanager
def connected(address: str, threads: int = 1) -> Iterator[Client]:
    """Connect to a cluster.

    Parameters
    ----------
    address
        The address of a scheduler, such as tcp://host:8786, or "local:N" for N worker processes on this
        machine, which end with the context. Any program that reaches a scheduler can run code as its owner.
        Local workers use TLS with temporary keys, which only processes of this run have. A scheduler at
        tls://host:8786 is reached by the keys that Dask's settings ``distributed.comm.tls`` name.
    threads
        Number of threads of all local workers together; at least 1 for each.

    Raises
    ------
    ConfigError
        If the extra ``cluster`` is not installed, if the address has another form, or if it needs TLS and
        Dask's settings name no keys.
    DataError
        If no scheduler answers, or if local workers cannot be started.
    """
    try:
        import dask
        from distributed import Client
    except ImportError:
        raise ConfigError(missing_extra("--cluster", "cluster")) from None
    local = re.fullmatch(r"local:([1-9][0-9]{0,3})", address)
    if address.startswith("local") and local is None:
        raise ConfigError(f"--cluster {address}: expected local:N, such as local:4, or a scheduler's address")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised, too
    if local is None:
        with _remote_client(address) as client:
            yield client
        return
    with (
        dask.config.set(_LOCAL_SETTINGS),
        _local_cluster(int(local[1]), threads) as cluster,
        Client(cluster) as client,
    ):
        yield client


def _remote_client(address: str) -> Client:
    """Return a client of the scheduler at an address. Errors: see ``connected``."""
    from distributed import Client

    try:
        return Client(address, timeout=_SECONDS_TO_CONNECT)
    except (TypeError, RuntimeError) as error:
        if "TLS" not in str(error):
            raise
        raise ConfigError(
            f"--cluster {address}: found no keys for TLS, or no encryption where Dask's settings require it;"
            f" expected the settings distributed.comm.tls of Dask, and an address tls://host:port; set"
            f" DASK_DISTRIBUTED__COMM__TLS__CA_FILE, __CLIENT__CERT and __CLIENT__KEY"
        ) from None
    except (OSError, ValueError) as error:
        raise DataError(
            f"--cluster {address}: no scheduler answers ({error}); expected the address that dask"
            f" scheduler prints, such as tcp://host:8786"
        ) from None


def _local_cluster(workers: int, threads: int) -> LocalCluster:
    """Start worker processes that only this process can reach; try again if one does not start."""
    from distributed import LocalCluster, Security

    try:
        security = Security.temporary()
    except ImportError:
        raise ConfigError(missing_extra("--cluster", "cluster")) from None
    for attempt in range(1, _ATTEMPTS + 1):
        try:
            return LocalCluster(
                n_workers=workers,
                threads_per_worker=max(threads // workers, 1),
                memory_limit=0,
                host="127.0.0.1",
                security=security,
                dashboard_address="127.0.0.1:0",
                scheduler_kwargs={"dashboard": False},
                silence_logs=logging.CRITICAL,
            )
        except (RuntimeError, TimeoutError) as error:
            if attempt == _ATTEMPTS:
                raise DataError(
                    f"--cluster: found that a worker did not start ({error}); expected {workers}"
                    f" local workers; use fewer, or allow more memory or processes"
                ) from None
    raise AssertionError


def workers_of(client: Client) -> int:
    """Return the number of workers that are there now, and at least 1."""
    return max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
