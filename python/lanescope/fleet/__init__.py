"""Finds the rank of a job that holds the others up, since when, why, and at what cost.

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

    `paths`: a path or a list of paths: files, folders, patterns such as `"run/rank*.json.gz"`, and fsspec URLs such as
    `"s3://bucket/run/"`.
    `client`: a `distributed.Client` whose workers have this package and see `out` and the traces at the same paths. The default
    is a LocalCluster with `workers` processes, by default one for each core, which is closed at the end.
    `out`: the folder for the results, which must be new or empty. The default is a new folder in the temporary folder, which is
    kept. `resume=True` continues in a folder with results, and reads only files that are new or have changed. `verify=True` also
    compares the SHA-256 of their content.
    `memory`: bytes that loading one trace may take.
    `limits`: a dict with limits of lanescope.compare_ranks().
    `progress`: a function that is called with the number of traces done and the number of all traces."""
    from lanescope.fleet import _run

    return _run.analyse(paths, client, out, resume, verify, workers, memory, limits or {}, progress)


def _need(*modules):
    """Raises MissingPackage for the first module that is not installed."""
    import importlib.util

    for module in modules:
        if importlib.util.find_spec(module) is None:
            raise MissingPackage(f"lanescope.fleet needs the package {module}: pip install distributed pyarrow cryptography")


from lanescope.fleet._fleet import Fleet  # noqa: E402
