"""The connection to a cluster of Dask distributed, or to worker processes on this machine."""

from __future__ import annotations

import logging
import re
from collections.abc import Iterator
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from aligner.errors import ConfigError, DataError

if TYPE_CHECKING:
    from distributed import Client

_LOCAL_SETTINGS: dict[str, Any] = {
    "distributed.scheduler.allowed-failures": 10,
    # Dask sets MALLOC_TRIM_THRESHOLD_, with which glibc returns the arrays of each block to the system.
    "distributed.nanny.pre-spawn-environ": {"OMP_NUM_THREADS": 1, "OPENBLAS_NUM_THREADS": 1},
    "distributed.worker.profile.enabled": False,
}
"""Settings of Dask for local workers."""

_SECONDS_TO_CONNECT = 30


@contextmanager
def connected(address: str, threads: int = 1) -> Iterator[Client]:
    """Connect to a cluster.

    Parameters
    ----------
    address
        The address of a scheduler, such as tcp://host:8786, or "local:N" for N worker processes on this
        machine, which end with the context.
    threads
        Number of threads of all local workers together; at least 1 for each.

    Raises
    ------
    ConfigError
        If the extra ``cluster`` is not installed, or if the address has another form.
    DataError
        If no scheduler answers.
    """
    try:
        import dask
        from distributed import Client, LocalCluster
    except ImportError:
        raise ConfigError(
            "--cluster: found no Dask distributed; expected the extra cluster; install it by"
            " pip install 'accord-align[cluster]'"
        ) from None
    local = re.fullmatch(r"local:([1-9][0-9]{0,3})", address)
    if address.startswith("local") and local is None:
        raise ConfigError(f"--cluster {address}: expected local:N, such as local:4, or a scheduler's address")
    logging.getLogger("distributed").setLevel(logging.CRITICAL)  # errors are raised, too
    if local is None:
        try:
            client = Client(address, timeout=_SECONDS_TO_CONNECT)
        except (OSError, ValueError) as error:
            raise DataError(
                f"--cluster {address}: no scheduler answers ({error}); expected the address that dask"
                f" scheduler prints, such as tcp://host:8786"
            ) from None
        with client:
            yield client
        return
    workers = int(local[1])
    with (
        dask.config.set(_LOCAL_SETTINGS),
        LocalCluster(
            n_workers=workers,
            threads_per_worker=max(threads // workers, 1),
            memory_limit=0,
            dashboard_address=":0",
            silence_logs=logging.CRITICAL,
        ) as cluster,
        Client(cluster) as client,
    ):
        yield client


def workers_of(client: Client) -> int:
    """Return the number of workers that are there now, and at least 1."""
    return max(len(client.scheduler_info(n_workers=-1)["workers"]), 1)
