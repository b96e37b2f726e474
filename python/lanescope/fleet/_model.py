"""Simulates a training job: the work of each rank in a step, collectives that make ranks wait, and faults.

Times are in ns since the start of the job on one true clock. Each rank has a launching thread, a computing stream and a
communicating stream. A collective starts on a rank as soon as its input is ready and the stream is free. It ends on all ranks
of its group at the same time, except for some hundred ns: one transfer time after the last rank has started.
"""

import dataclasses
import random

FORWARD = (("aten::layer_norm", "vectorized_layer_norm_kernel", 24_000), ("aten::mm", "sm90_gemm_bf16_qkv_128x256", 160_000),
           ("flash_attn::fwd", "flash_fwd_kernel", 210_000), ("aten::mm", "sm90_gemm_bf16_proj_128x128", 70_000),
           ("aten::add", "vectorized_elementwise_kernel_add", 18_000), ("aten::mm", "sm90_gemm_bf16_up_128x256", 240_000),
           ("aten::gelu", "vectorized_elementwise_kernel_gelu", 40_000), ("aten::mm", "sm90_gemm_bf16_down_128x256", 230_000))
BACKWARD = (("GeluBackward0", "vectorized_elementwise_kernel_gelu_backward", 60_000),
            ("MmBackward0", "sm90_gemm_bf16_dgrad_128x256", 470_000), ("MmBackward0", "sm90_gemm_bf16_wgrad_128x256", 480_000),
            ("FlashAttnBackward", "flash_bwd_kernel", 520_000), ("MmBackward0", "sm90_gemm_bf16_dgrad_128x128", 230_000),
            ("NativeLayerNormBackward0", "layer_norm_backward_kernel", 50_000))
OPTIMIZER = (("Optimizer.step#AdamW.step", "multi_tensor_apply_kernel_adamw", 420_000),)
HOST_NS = 16_000         # host time of an operator that launches one kernel
LAUNCH_NS = 5_000        # the part in the runtime call
LATENCY_NS = 3_000       # from the end of the launch to the start of the kernel on an idle stream
LOADER_NS = 400_000
COPY_NS = 90_000
COPY_BYTES = 4 << 20
BETWEEN_STEPS_NS = 50_000
LINK_BYTES_PER_NS = 180
COLLECTIVE_NS = 20_000   # the transfer of an empty message
LEAVE_NS = 500           # scale of the half-normal delay at the end of a collective
GRADIENT_ELEMENTS = 25 << 20
ACTIVATION_ELEMENTS = 8 << 20


@dataclasses.dataclass(frozen=True)
class Job:
    """The size of a job. `jitter`: relative standard deviation of the kernels' durations."""

    ranks: int
    steps: int
    layers: int = 4
    node_size: int = 4
    seed: int = 0
    jitter: float = 0.003


@dataclasses.dataclass(frozen=True)
class Fault:
    """A fault of one rank in the steps from `first` to `last`. `size`: a factor; for `data-loader`, ns."""

    kind: str
    rank: int
    first: int
    last: int
    size: float


@dataclasses.dataclass(frozen=True)
class Group:
    """A process group. `name` and `about`: its name and description in the trace."""

    name: str
    about: str
    ranks: tuple


@dataclasses.dataclass(frozen=True)
class Collective:
    kind: str       # name in torch.distributed
    kernel: str
    scope: str      # "node", "across" (the same GPU of all nodes) or "world"
    elements: int
    awaited: bool   # whether the computing stream waits for its end

    def transfer_ns(self):
        return COLLECTIVE_NS + int(self.elements * 2 / LINK_BYTES_PER_NS)


GATHER = Collective("_allgather_base", "ncclDevKernel_AllGather_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "node",
                    ACTIVATION_ELEMENTS, True)
REDUCE = Collective("allreduce", "ncclDevKernel_AllReduce_Sum_bf16_RING_LL(ncclDevKernelArgsStorage<4096ul>)", "world",
                    GRADIENT_ELEMENTS, False)

EMBEDDING = Collective("allreduce", REDUCE.kernel, "across", ACTIVATION_ELEMENTS, False)


def program(layers):
    """The actions of every rank in a step: pairs of a verb and its object."""
    ops = [("load", None), ("copy", None)]
    for _ in range(layers):
        ops += [("kernels", FORWARD), ("collective", GATHER)]
    for _ in range(layers):
        ops += [("kernels", BACKWARD), ("collective", REDUCE)]
    return [*ops, ("collective", EMBEDDING), ("join", None), ("kernels", OPTIMIZER), ("synchronize", None)]


def groups_of(job):
    """For each rank, its process groups by scope."""
    world = Group("0", "default_pg", tuple(range(job.ranks)))
    nodes = -(-job.ranks // job.node_size)
    inside = [Group(str(1 + node), "node", tuple(range(job.ranks))[node * job.node_size:(node + 1) * job.node_size])
              for node in range(nodes)]
    across = [Group(str(1 + nodes + place), "across_nodes", tuple(range(place, job.ranks, job.node_size)))
              for place in range(min(job.node_size, job.ranks))]
    return [{"world": world, "node": inside[rank // job.node_size], "across": across[rank % job.node_size]}
            for rank in range(job.ranks)]


class Rank:
    """The state of a simulated rank. `sink`: receives the rank's actions; None: no trace is written."""

    def __init__(self, job, rank, faults, groups, sink=None):
        self.rank, self.sink = rank, sink
        self._faults = [fault for fault in faults if fault.rank == rank]
        self._groups = groups[rank]
        self._noise = random.Random(f"{job.seed} {rank}")
        self._jitter = job.jitter
        self.cpu = self.gpu = self.communication = 0
        self.added = {}  # ns that each fault has added
        self.step, self._active = 0, {}

    def group(self, collective):
        return self._groups[collective.scope]

    def begin_step(self, step):
        self.step, self._active = step, {fault.kind: fault for fault in self._faults if fault.first <= step <= fault.last}
        self.cpu += BETWEEN_STEPS_NS
        if self.sink:
            self.sink.begin_step(step, self.cpu)

    def end_step(self):
        if self.sink:
            self.sink.end_step(self.cpu)

    def do(self, word, subject):
        getattr(self, "_" + word)(subject)

    def _load(self, _):
        begin, stall = self.cpu, int(self._size("data-loader", 0))
        self.cpu += LOADER_NS + stall
        self._add("data-loader", stall)
        if self.sink:
            self.sink.load(begin, self.cpu)

    def _size(self, kind, usual):
        return self._active[kind].size if kind in self._active else usual

    def _add(self, kind, time):
        if kind in self._active:
            fault = self._active[kind]
            self.added[fault] = self.added.get(fault, 0) + time

    def _launched(self):
        """Simulates a launch. Returns the starts of the operator and of the runtime call, and the earliest start of the work."""
        begin = self.cpu
        self.cpu += int(HOST_NS * self._size("slow-host", 1))
        return begin, self.cpu - LAUNCH_NS, self.cpu + LATENCY_NS

    def _copy(self, _):
        begin, call, ready = self._launched()
        start = max(self.gpu, ready)
        self.gpu = start + COPY_NS
        if self.sink:
            self.sink.copy(begin, call, self.cpu, start, self.gpu, COPY_BYTES)

    def _kernels(self, kernels):
        extra = 0 if kernels is OPTIMIZER else round((self._size("imbalance", 1) - 1) * len(kernels))
        for place in range(len(kernels) + extra):
            operator, kernel, duration = kernels[place % len(kernels)]
            if place < len(kernels):  # faults must not change a rank's noise
                duration *= 1 + self._jitter * self._noise.gauss(0, 1)
            begin, call, ready = self._launched()
            start = max(self.gpu, ready)
            self.gpu = start + int(duration * self._size("slow-gpu", 1))
            self._add("slow-gpu", self.gpu - start - int(duration))
            if place >= len(kernels):
                self._add("imbalance", self.gpu - start)
            if self.sink:
                self.sink.kernel(operator, kernel, begin, call, self.cpu, start, self.gpu)

    def arrive(self, collective):
        """Launches the collective. Returns its start on this rank."""
        begin, call, ready = self._launched()
        start = max(self.gpu, self.communication, ready)
        if self.sink:
            self.sink.launch_collective(collective, self.group(collective), begin, call, self.cpu, start)
        return start

    def leave(self, collective, end):
        self.communication = end = end + int(abs(self._noise.gauss(0, LEAVE_NS)))
        if collective.awaited:
            self.gpu = max(self.gpu, end)
        if self.sink:
            self.sink.end_collective(end)

    def _join(self, _):
        self.gpu = max(self.gpu, self.communication)

    def _synchronize(self, _):
        begin, self.cpu = self.cpu, max(self.cpu + LAUNCH_NS, self.gpu)
        if self.sink:
            self.sink.synchronize(begin, self.cpu)


@dataclasses.dataclass
class Course:
    """The timing of a simulated job. `ends`: ends of the collectives by (step, operation, group name). `end`: end of the job.
    `waited`: sum over all collectives and ranks of the wait for the last rank. `added`: time that each fault added."""

    ends: dict
    end: int = 0
    waited: int = 0
    added: dict = dataclasses.field(default_factory=dict)


def _transfer_ns(collective, group, step, faults, course):
    usual = collective.transfer_ns()
    slow = [fault for fault in faults if fault.kind == "late-link" and fault.rank in group.ranks
            and fault.first <= step <= fault.last]
    for fault in slow:
        course.added[fault] = course.added.get(fault, 0) + int(usual * fault.size) - usual
    return int(usual * max((fault.size for fault in slow), default=1))


def simulate(job, faults):
    """Simulates all ranks, and returns the course of the job."""
    groups = groups_of(job)
    ranks = [Rank(job, rank, faults, groups) for rank in range(job.ranks)]
    ops, course = program(job.layers), Course({})
    for step in range(job.steps):
        for rank in ranks:
            rank.begin_step(step)
        for place, (word, subject) in enumerate(ops):
            if word == "collective":
                _meet(ranks, subject, step, place, faults, course)
            else:
                for rank in ranks:
                    rank.do(word, subject)
    course.end = max(rank.cpu for rank in ranks)
    for rank in ranks:
        course.added.update(rank.added)
    return course


def _meet(ranks, collective, step, place, faults, course):
    arrived = {}
    for rank in ranks:
        arrived.setdefault(rank.group(collective), []).append((rank, rank.arrive(collective)))
    for group, members in arrived.items():
        last = max(begin for _, begin in members)
        end = last + _transfer_ns(collective, group, step, faults, course)
        course.ends[step, place, group.name] = end
        course.waited += sum(last - begin for _, begin in members)
        for rank, _ in members:
            rank.leave(collective, end)


def replay(job, rank, faults, course, sink):
    """Simulates one rank again, with the ends of collectives from simulate(), and passes its actions to the sink."""
    one = Rank(job, rank, faults, groups_of(job), sink)
    ops = program(job.layers)
    for step in range(job.steps):
        one.begin_step(step)
        for place, (word, subject) in enumerate(ops):
            if word == "collective":
                one.arrive(subject)
                one.leave(subject, course.ends[step, place, one.group(subject).name])
            else:
                one.do(word, subject)
        one.end_step()
