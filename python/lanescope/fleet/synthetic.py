"""Writes the traces of a model of a training job, one for each rank, and what is wrong with it.

    python -m lanescope.fleet.synthetic DIR --ranks 8 --steps 12 --fault slow-gpu:rank=5,from=7,factor=1.2

Faults, each in the steps from `from` (0) to `to` (the last one):

    slow-gpu:rank=R,factor=F      all kernels that compute take F times as long
    slow-host:rank=R,factor=F     the thread takes F times as long to launch each kernel
    data-loader:rank=R,ms=T       the data loader takes T ms longer in each step
    late-link:rank=R,factor=F     transfers of all groups with this rank take F times as long
    imbalance:rank=R,factor=F     the rank computes F times as many kernels in each layer
    clock:offset=T,drift=P        clocks are up to T ms apart when the job begins, and drift by up to P ppm

DIR/truth.json says what a report should find. `cost_ns` of a fault is the time that it adds to the rank's work: to its kernels,
its loader or, over all collectives with the rank, to transfers; of a slow host, whose launches mostly overlap, the time by which the
job takes longer. `longer_ns` is that time for every fault, and `waited_ns` the time more that ranks wait in collectives for the last
one, added up over all ranks; both compare the job with the same job without the fault.
"""

import argparse
import json
import os
import random
import sys

from lanescope.fleet import _kineto, _model

SIZES = {"slow-gpu": "factor", "slow-host": "factor", "data-loader": "ms", "late-link": "factor", "imbalance": "factor"}


def parse_fault(text, job):
    """Parses a fault. Raises ValueError with a message for the user."""
    kind, words = _split(text)
    if kind not in SIZES:
        raise ValueError(f"{text}: no fault is named {kind}: {', '.join([*SIZES, 'clock'])}")
    size = SIZES[kind]
    values = {"from": 0, "to": job.steps - 1, **_numbers(text, words, {"rank", "from", "to", size})}
    if "rank" not in values or size not in values:
        raise ValueError(f"{text}: {kind} needs rank and {size}")
    rank, first, last = (int(values[word]) for word in ("rank", "from", "to"))
    if not 0 <= rank < job.ranks or not 0 <= first <= last < job.steps:
        raise ValueError(f"{text}: ranks are 0 to {job.ranks - 1}, steps 0 to {job.steps - 1}")
    if values[size] <= 0 or (size == "factor" and values[size] < 1):
        raise ValueError(f"{text}: {size} is too small")
    return _model.Fault(kind, rank, first, last, values[size] * (1e6 if size == "ms" else 1))


def parse_clock(text):
    """Parses `clock:offset=T,drift=P`. Returns the largest offset in ns and the largest drift in ppm."""
    values = _numbers(text, _split(text)[1], {"offset", "drift"})
    return int(values.get("offset", 0) * 1e6), values.get("drift", 0.0)


def _split(text):
    kind, _, words = text.partition(":")
    return kind, [word for word in words.split(",") if word]


def _numbers(text, words, known):
    values = {}
    for word in words:
        name, _, value = word.partition("=")
        if name not in known:
            raise ValueError(f"{text}: no option is named {name}: {', '.join(sorted(known))}")
        try:
            values[name] = float(value)
        except ValueError:
            raise ValueError(f"{text}: {name} needs a number") from None
    return values


def clocks_of(job, offset, drift):
    """The clock of each rank. Rank 0 has the true clock."""
    noise = random.Random(f"{job.seed} clocks")
    drawn = [_kineto.Clock(round(noise.uniform(-offset, offset)), noise.uniform(-drift, drift)) for _ in range(job.ranks)]
    return [_kineto.Clock(), *drawn[1:]]


def _truth(job, faults, clocks, course):
    """The content of truth.json."""
    said = []
    for fault in faults:
        without = _model.simulate(job, [other for other in faults if other is not fault])
        longer = course.end - without.end
        said.append({"kind": fault.kind, "rank": fault.rank, "first_step": fault.first, "last_step": fault.last,
                     "cost_ns": course.added.get(fault, longer), "longer_ns": longer,
                     "waited_ns": course.waited - without.waited})
    return {"ranks": job.ranks, "steps": job.steps, "job_ns": course.end, "faults": said,
            "clocks": [{"rank": rank, "offset_ns": clock.offset, "drift_ppm": clock.drift}
                       for rank, clock in enumerate(clocks)]}


def write(folder, job, faults=(), offset=0, drift=0.0):
    """Writes rank00000.pt.trace.json.gz … and truth.json to a folder. Returns the content of truth.json."""
    os.makedirs(folder, exist_ok=True)
    clocks, groups = clocks_of(job, offset, drift), _model.groups_of(job)
    course = _model.simulate(job, faults)
    for rank, clock in enumerate(clocks):
        sink = _kineto.Sink(rank, clock, job.node_size)
        _model.replay(job, rank, faults, course, sink)
        sink.write(os.path.join(folder, f"rank{rank:05d}.pt.trace.json.gz"), job, groups[rank].values())
    truth = _truth(job, faults, clocks, course)
    with open(os.path.join(folder, "truth.json"), "w", encoding="utf-8") as file:
        json.dump(truth, file, indent=1)
        file.write("\n")
    return truth


def _arguments(words):
    parser = argparse.ArgumentParser(prog="python -m lanescope.fleet.synthetic", description=__doc__,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("folder", metavar="DIR", help="the folder for the traces, which is made if it is missing")
    parser.add_argument("--ranks", type=_positive, required=True)
    parser.add_argument("--steps", type=_positive, required=True)
    parser.add_argument("--layers", type=_positive, default=4)
    parser.add_argument("--node-size", type=_positive, default=4, help="GPUs of a node, which gather activations (4)")
    parser.add_argument("--fault", action="append", default=[], metavar="FAULT")
    parser.add_argument("--seed", type=int, default=0, help="of all that is random; the same seed writes the same bytes (0)")
    parser.add_argument("--jitter", type=float, default=0.003,
                        help="the standard deviation of a kernel's duration, as a share of it (0.003)")
    return parser.parse_args(words)


def _positive(text):
    number = int(text)
    if number < 1:
        raise ValueError
    return number


def main(words=None):
    given = _arguments(words)
    job = _model.Job(given.ranks, given.steps, given.layers, given.node_size, given.seed, given.jitter)
    clocks = [text for text in given.fault if _split(text)[0] == "clock"]
    try:
        offset, drift = parse_clock(clocks[-1]) if clocks else (0, 0.0)
        faults = [parse_fault(text, job) for text in given.fault if text not in clocks]
    except ValueError as problem:
        print(f"lanescope.fleet.synthetic: {problem}", file=sys.stderr)
        return 2
    truth = write(given.folder, job, faults, offset, drift)
    for fault in truth["faults"]:
        print(f"{fault['kind']} on rank {fault['rank']} from step {fault['first_step']}: {fault['cost_ns'] / 1e6:.3f} ms")
    print(f"{given.ranks} traces of {given.steps} steps in {given.folder}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
