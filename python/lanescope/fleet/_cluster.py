"""Runs the tasks of a fleet on Dask workers."""

import contextlib
import logging
import os

import lanescope
from lanescope.fleet import _rank

RETRIES = 2  # of a task that raises an exception; a trace that cannot be read raises none


@contextlib.contextmanager
def client_of(client, workers):
    """The given client, or a client of a new LocalCluster, which is closed with the block."""
    if client is not None:
        yield client
        return
    from distributed import Client, LocalCluster

    count = workers or len(os.sched_getaffinity(0))
    # A client can run any code as this user, so the cluster accepts only connections with its own new certificate.
    with LocalCluster(n_workers=count, threads_per_worker=1, memory_limit=0, host="127.0.0.1", dashboard_address="127.0.0.1:0",
                      security=True, silence_logs=logging.CRITICAL) as cluster, Client(cluster) as own:
        yield own


@contextlib.contextmanager
def client_at(address):
    """A client of the scheduler at `address`, such as `tcp://head:8786`. Raises ConnectionError if it does not answer."""
    from distributed import Client

    try:
        client = Client(address, timeout="20s")
    except (OSError, ValueError) as problem:
        raise ConnectionError(f"{address}: no scheduler answers: {problem}") from None
    with client:
        yield client


def _check(client):
    """Raises RuntimeError if a worker lacks the package, or has a different version."""
    def version():  # nested, so pickled by value: the worker need not have the package
        try:
            import lanescope
        except ImportError:
            return None
        return lanescope.__version__

    for worker, found in sorted(client.run(version).items()):
        if found != lanescope.__version__:
            has = f"lanescope {found}" if found else "no package lanescope"
            raise RuntimeError(f"the worker {worker} has {has}; it needs lanescope {lanescope.__version__}, as this program has")


def read_all(client, out, sources, numbers, memory, keep, progress):
    """Reads traces; returns what _rank.read() returned for each. `sources`: by number; `numbers`: those of the traces to read, each with
    the rank that it has if nothing states one. `keep`: see _rank.read(). `progress`: of the traces done and of all."""
    from distributed import as_completed
    from distributed.scheduler import KilledWorker

    _check(client)
    run = os.urandom(4).hex()  # another run of the same scheduler reads again
    futures = {client.submit(_rank.read, out, sources[number], rank, memory, keep, key=f"lanescope-{run}-{number}", retries=RETRIES): number
               for number, rank in numbers.items()}
    results = {}
    progress(0, len(futures))
    for done, future in enumerate(as_completed(list(futures)), 1):
        number = futures[future]
        error = future.exception() if future.status == "error" else None
        if future.status == "cancelled":
            raise ConnectionError("the scheduler was lost; what was read is kept, and --resume goes on with it")
        if isinstance(error, KilledWorker):
            results[number] = {"problem": "worker-lost",
                               "text": "its worker ended several times while it read the trace; it may need more memory"}
        elif error is not None:
            raise error
        else:
            results[number] = future.result()
        future.release()
        progress(done, len(futures))
    return results
