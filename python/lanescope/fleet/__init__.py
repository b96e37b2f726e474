"""Many ranks of one job: which one holds the others up, since when, why, and at what cost.

    fleet = lanescope.fleet.analyse("traces/", out="fleet")
    print(fleet)                # the findings, then tables
    fleet.findings              # a list of dicts
    fleet.report("fleet.html")

Needs the packages distributed (of Dask), pyarrow and cryptography: pip install "lanescope[fleet]", or
pip install distributed pyarrow cryptography.
"""

__all__ = ["Fleet", "MissingPackage", "analyse"]


class MissingPackage(ImportError):
    """A package that lanescope.fleet needs is not installed."""


def analyse(paths, client=None, out=None, resume=False, verify=False, workers=None, memory=4 << 30, limits=None,
            progress=None):
    """Reads the traces of a job's ranks, compares the ranks, and returns a Fleet.

    `paths`: a path or a list of them: files, folders, patterns such as `"run/rank*.json.gz"`, and URLs of fsspec such as
    `"s3://bucket/run/"`. `client`: a client of Dask's distributed, whose workers have this package and see `out` and the traces at
    the same paths; by default a LocalCluster of `workers` processes, one for each core, works until the end.
    `out`: the folder of the results, by default a new one in the temporary folder, which is kept. It must be new or
    empty, except that `resume=True` goes on with one: what was read from a file that is still the same is not read again. `verify=True` also compares
    the SHA-256 of the file's content. `memory`: bytes that loading one trace may take. `limits`: a dict of limits of
    lanescope.compare_ranks(). `progress`: a function of the traces done and of all."""
    from lanescope.fleet import _run

    return _run.analyse(paths, client, out, resume, verify, workers, memory, limits or {}, progress)


def _need(*modules):
    """Raises MissingPackage for the first module that is not installed."""
    import importlib.util

    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise MissingPackage(f"lanescope.fleet needs the package {module}: pip install distributed pyarrow cryptography")


from lanescope.fleet._fleet import Fleet  # noqa: E402
