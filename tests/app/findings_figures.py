"""Figures for findings, computed from a trace's JSON alone. Times are in nanoseconds."""
import bisect
import re
import statistics

from device_times import spans_of_steps
from trace_times import category, common, is_communication, length, span, union, without

GPU_WORK = ("kernel", "gpu_memcpy", "gpu_memset")
CALLS = ("cuda_runtime", "cuda_driver", "hip_runtime")
PLAIN = re.compile(r"(volta|turing|ampere|maxwell)_(sgemm|cgemm|gcgemm|scudnn)|convolve_sgemm<float|dgrad\w*<float|"
                   r"wgrad\w*<float|winograd\w*<float|fft[12]d_[rc]2[rc]|simt_sgemm|_ffma_|gemm(SN|k1)\w*<float|^sgemm_")
# (32 bits, tensor cores) in TFLOP/s, from NVIDIA's white papers.
RATES = {"V100": (15.7, 125), "A100": (19.5, 156), "PG509": (19.5, 156), "2080 Ti": (13.4, 53.8)}


# PyTorch's copies between equal types, not in one piece.
STRIDED = re.compile(r"native::elementwise_kernel\w*<.*nocast<at::native::direct_copy_kernel")


class Device:
    """The work of one GPU in its window."""

    def __init__(self, events, window):
        self.window = window
        begins = [begin for begin, _ in window]

        def inside(event):
            at = bisect.bisect_right(begins, span(event)[0]) - 1
            return at >= 0 and span(event)[0] < window[at][1]
        self.everything = sorted(events, key=span)
        self.work = [event for event in self.everything if inside(event)]
        self.kernels = [e for e in self.work if category(e) == "kernel"]
        self.computing = union(span(e) for e in self.everything if category(e) == "kernel" and not is_communication(e))
        self.busy = union(span(e) for e in self.everything)
        self.idle = subtract(window, self.busy)

    def total(self, wanted):
        return length(common(union(span(e) for e in self.work if wanted(e)), self.window))


def subtract(a, b):
    out = []
    for begin, end in a:
        for other_begin, other_end in b[max(0, bisect.bisect_left(b, (begin,)) - 1):]:
            if other_begin >= end:
                break
            if other_end <= begin:
                continue
            if other_begin > begin:
                out.append((begin, other_begin))
            begin = max(begin, other_end)
        if begin < end:
            out.append((begin, end))
    return out


class Figures:
    def __init__(self, trace, steps, pace=None):
        self.pace = pace
        self.on_device = None
        self.events = [e for e in trace["traceEvents"] if e.get("ph") == "X" and "dur" in e and "ts" in e]
        self.properties = trace.get("deviceProperties", [])
        self.origin = min(span(e)[0] for e in self.events)
        self.steps = steps
        self.around = None
        self.operators = {e["args"]["External id"]: e for e in self.events
                          if category(e) == "cpu_op" and "External id" in e.get("args", {})}

    def device(self, name):
        if name is None:
            return None
        number = int(name.removeprefix("GPU "))
        work = [e for e in self.events if category(e) in GPU_WORK and e.get("args", {}).get("device", number) == number]
        launches = {e["args"].get("correlation") for e in work}
        users = {e["pid"] for e in self.events if category(e) in CALLS and e["args"].get("correlation") in launches}
        return Device(work, self.window(work, users))

    def window(self, work, users):
        marks = [e for e in self.events if str(e["name"]).startswith("ProfilerStep#") and e.get("cat") != "gpu_user_annotation"]
        if marks and len({e["pid"] for e in marks}) > 1:
            return union(span(e) for e in marks if e["pid"] in users)
        gap = self.gap_at_begin(work)
        if gap:
            return [(gap, max(span(e)[1] for e in work))]
        spans = [self.step_span(i) for i, s in enumerate(self.steps) if not s["warm_up"] and s["bound"]]
        if spans:
            return union(spans)
        return [(min(span(e)[0] for e in work), max(span(e)[1] for e in work))]

    def gap_at_begin(self, work):
        """The end of a gap longer than all of the rest that has a hundredth of the work before it, if there is one step."""
        busy = union(span(e) for e in work)
        gaps = [(begin - end, end, begin) for (_, end), (begin, _) in zip(busy, busy[1:])]
        if len(self.steps) != 1 or not gaps:
            return None
        longest, begin, end = max(gaps)
        before = sum(span(e)[1] - span(e)[0] for e in work if span(e)[0] < begin)
        few = 100 * before <= sum(span(e)[1] - span(e)[0] for e in work)
        return end if few and 2 * longest > busy[-1][1] - busy[0][0] else None

    def step_span(self, i):
        """A step on the host or, if the device is behind, on the device; the first one reaches back as far as it does on the host."""
        hosts = [(self.origin + s["start_ns"], self.origin + s["start_ns"] + s["duration_ns"]) for s in self.steps]
        if self.pace not in ("behind", "host ahead"):
            return hosts[i]
        if self.on_device is None:
            self.on_device = spans_of_steps(self.events, hosts)
        if self.on_device[i] is None:
            return hosts[i]
        begin, end = self.on_device[i]
        if i == 0:
            begin = min(begin, max(hosts[i][0], end - (hosts[i][1] - hosts[i][0])))
        return begin, end

    def calls(self, test):
        calls = {}
        for event in self.events:
            if test(str(event["name"])) and event.get("cat") != "gpu_user_annotation" and category(event) not in GPU_WORK:
                calls.setdefault((event["pid"], event["tid"]), []).append(span(event))
        return calls

    def host(self, test):
        return union(one for spans in self.calls(test).values() for one in spans)

    def property(self, name):
        return next((p[name] for p in self.properties if name in p), None)

    def operator(self, kernel):
        """The operator with the same id, or the innermost one around the launch."""
        by_id = self.operators.get(kernel["args"].get("External id", kernel["args"].get("external id")))
        if by_id:
            return by_id
        if self.around is None:
            self.around = self.around_launches()
        return self.around.get(kernel["args"].get("correlation"))

    def around_launches(self):
        threads = {}
        for event in self.events:
            if category(event) in ("cpu_op", *CALLS):
                threads.setdefault((event["pid"], event["tid"]), []).append(event)
        around = {}
        for events in threads.values():
            stack = []
            for event in sorted(events, key=lambda e: (span(e)[0], -span(e)[1])):
                while stack and span(stack[-1])[1] <= span(event)[0]:
                    stack.pop()
                if category(event) == "cpu_op":
                    stack.append(event)
                elif stack:
                    around[event["args"].get("correlation")] = stack[-1]
        return around


def exactly(value):
    return value, value


def exposed_on_host(figures):
    """Collectives of Gloo in the steps after the first, without operators that do not only start one."""
    steps = union((figures.origin + s["start_ns"], figures.origin + s["start_ns"] + s["duration_ns"])
                  for s in figures.steps if not s["warm_up"])
    computing = union(span(e) for e in figures.events if category(e) == "cpu_op" and not e["name"].startswith("c10d::"))
    return exactly(without(common(figures.host(lambda name: name.startswith("gloo:")), steps), computing))


def exposed(figures, device, finding):
    if device is None:
        return exposed_on_host(figures)
    return exactly(without(common(union(span(e) for e in device.everything if is_communication(e)), device.window), device.computing))


def waits_for_ranks(figures, device, finding):
    """From a collective's begin here to its latest begin on a GPU where it ends at the same time (within 28 µs)."""
    everywhere = [span(e) for e in figures.events if category(e) == "kernel" and is_communication(e)]
    waits = []
    for event in device.everything:
        if not is_communication(event):
            continue
        begin, end = span(event)
        last = max(b for b, e in everywhere if abs(e - end) < 28_000 and b < end)
        if begin < last < end:
            waits.append((begin, last))
    return exactly(without(common(union(waits), device.window), device.computing))


def small_exposed(figures, device, finding):
    small = union(span(e) for e in device.kernels if is_communication(e) and span(e)[1] - span(e)[0] < 500_000)
    return exactly(without(small, device.computing))


def named(*parts):
    return lambda figures, device, finding: exactly(device.total(lambda e: any(part in e["name"] for part in parts)))


def plain_products(figures, device, finding):
    name = figures.property("name") or ""
    vector, tensor = next(rates for part, rates in RATES.items() if part in name)
    return exactly((1 - vector / tensor) * device.total(lambda e: PLAIN.search(e["name"])))


def few_blocks(figures, device, finding):
    sms = figures.property("numSms")
    parts = []
    for event in device.kernels:
        begin, end = span(event)
        x, y, z = event["args"].get("grid", (sms, 1, 1))
        blocks = x * y * z
        if not is_communication(event) and end - begin >= 10_000 and blocks < sms:
            parts.append((begin, begin + int((end - begin) * (1 - blocks / sms))))
    return exactly(length(union(parts)))


def copies(test):
    def figure(figures, device, finding):
        wanted = union(span(e) for e in device.work if category(e) == "gpu_memcpy" and test(e["name"]))
        others = union(span(e) for e in device.everything if not (category(e) == "gpu_memcpy" and test(e["name"])))
        return exactly(without(common(wanted, device.window), others))
    return figure


def in_calls(prefix):
    def figure(figures, device, finding):
        calls = figures.calls(lambda name: name.startswith(prefix))
        inside = {e["args"].get("correlation") for e in figures.events if category(e) in CALLS
                  and any(b <= span(e)[0] < end for b, end in calls.get((e["pid"], e["tid"]), ()))}
        work = union(span(e) for e in device.work if not is_communication(e) and e["args"].get("correlation") in inside)
        waiting = common(figures.host(lambda name: name.startswith(prefix)), device.idle)
        return exactly(length(common(work, device.window)) + length(waiting))
    return figure


def loading(figures, device, finding):
    return exactly(length(common(figures.host(lambda name: "DataLoader" in name and "__next__" in name), device.idle)))


def idle_of_the_host(figures, device, finding):
    """At most the idle time without the loader's; what has another recorded cause is less than a tenth of the window."""
    loader = length(common(figures.host(lambda name: "DataLoader" in name and "__next__" in name), device.idle))
    idle = length(device.idle) - loader
    return idle - 0.1 * length(device.window), idle


def idle_at_most(figures, device, finding):
    return 0, length(device.idle)


def outside_of_calls(figures, device, finding):
    """At least half of the idle time in which no thread of the host is in a call; not with autograd, whose threads may be idle."""
    host = [e for e in figures.events if category(e) in ("cpu_op", "overhead", *CALLS)]
    nothing = without(device.idle, union(span(e) for e in host))
    has_autograd = any(str(e["name"]).startswith("autograd::engine") for e in host)
    return 0 if has_autograd else 0.5 * nothing, length(device.idle)


def allocating(figures, device, finding):
    return exactly(length(common(figures.host(lambda name: name in ("cudaMalloc", "cudaFree")), device.idle)))


def tiny_gaps(figures, device, finding):
    """Idle time of at most 100 µs that ends with a kernel under 10 µs."""
    begins = {span(e)[0]: e for e in device.everything if category(e) == "kernel" and span(e)[1] - span(e)[0] < 10_000}
    gaps = [(b, e) for b, e in device.idle if e in begins and e - b <= 100_000]
    return 0.8 * length(gaps), length(gaps)


def copies_between_types(figures, device, same):
    for kernel in device.kernels:
        op = figures.operator(kernel)
        if op and op["name"] == "aten::copy_" and len(op["args"].get("Input type", [])) > 1:
            to, source = op["args"]["Input type"][:2]
            if (to == source) == same:
                yield kernel, op


def casts(figures, device, finding):
    found = [kernel for kernel, _ in copies_between_types(figures, device, False)]
    # Without an operator: kernels that only cast wherever it is known.
    named = {kernel["name"] for kernel in found} - {kernel["name"] for kernel, _ in copies_between_types(figures, device, True)}
    found += [e for e in device.kernels if ("float16_copy_kernel" in e["name"] or e["name"] in named) and not figures.operator(e)]
    return exactly(length(union(span(e) for e in found)))


def rearranged(figures, device, finding):
    makers = ("aten::contiguous", "aten::clone", "aten::reshape", "aten::matmul", "aten::flatten", "aten::addmm", "aten::baddbmm")
    around = figures.calls(lambda name: name in makers)
    found = []
    for event in device.work:
        op = figures.operator(event)
        on_device = "DtoD" in event["name"]
        if not op and STRIDED.search(event["name"]):
            found.append(span(event))
        if not op or not (on_device or category(event) == "kernel"):
            continue
        inside = any(b <= span(op)[0] < e for b, e in around.get((op["pid"], op["tid"]), ()))
        # These operators keep the type, so copies without recorded types are to the same type too.
        types = (op["args"].get("Input type") or ["", ""])[:2]
        same = on_device or types[0] == types[-1]
        if inside and same and (op["name"] == "aten::copy_" or on_device):
            found.append(span(event))
    return exactly(length(common(union(found), device.window)))


def size_of(op):
    largest = 0
    for dims in op["args"].get("Input Dims", []):
        if dims and not isinstance(dims[0], list):
            size = 1
            for n in dims:
                size *= n
            largest = max(largest, size)
    return largest


def chains(figures, device, finding):
    cost = 0
    for stream in {e["args"].get("stream") for e in device.everything}:
        chain, size = [], 0
        inside = {id(e) for e in device.work}
        for event in [e for e in device.everything if e["args"].get("stream") == stream] + [None]:
            begin, end = span(event) if event else (0, 0)
            fits = event and id(event) in inside and category(event) == "kernel" and \
                "elementwise_kernel" in event["name"] and end - begin >= 5000
            op = figures.operator(event) if fits else None
            now = size_of(op) if op else 0
            if now == 0 or now != size:
                if len(chain) > 1:
                    joints = [1] + [2] * (len(chain) - 2) + [1]
                    cost += sum(n * joint // 3 for n, joint in zip(chain, joints))
                chain = []
            size = now
            if now:
                chain.append(end - begin)
    return exactly(cost)


def softmaxes(figures, device, finding):
    time = device.total(lambda e: "softmax" in e["name"].lower() and "backward" not in e["name"].lower())
    return 0.9 * time, time


def step_lengths(figures):
    steady = [s["time_ns"] for s in figures.steps if not s["warm_up"] and s["bound"]]
    return steady, statistics.median(steady) if steady else 0


def first_steps(figures, device, finding):
    steady, median = step_lengths(figures)
    if steady and not any(s["warm_up"] for s in figures.steps):
        return first_operators(figures, device)
    if steady:
        return exactly(sum(max(0, s["time_ns"] - median) for s in figures.steps if s["warm_up"]))
    loads = ("cudaFree", "cudaMalloc", "cudaHostAlloc", "cudaLaunchKernel", "aten::cudnn_convolution", "aten::max_pool2d_with_indices", "aten::addmm")
    return 0, length(common(figures.host(lambda name: name in loads), device.idle))


def first_operators(figures, device):
    """Operators of 0.5 ms or more, and five times as long as their median or called less than three times."""
    lengths = {}
    for op in figures.operators.values():
        lengths.setdefault(op["name"], []).append(span(op)[1] - span(op)[0])
    launching = {id(figures.operator(kernel)) for kernel in device.kernels}
    profiler = union(span(e) for e in figures.events if category(e) == "overhead" and not e["name"].startswith("Lazy"))
    slow = []
    for op in figures.operators.values():
        begin, end = span(op)
        usual = statistics.median(lengths[op["name"]]) if len(lengths[op["name"]]) > 2 else 0
        if id(op) in launching and end - begin >= 500_000 and end - begin > 5 * usual and length(common([(begin, end)], profiler)) < 100_000:
            slow.append((begin, end - int(usual)))
    return exactly(length(common(union(slow), device.idle)))


def compiling(figures, device, finding):
    """Idle time during the functions of Triton's jit.py around _do_compile. It is no part of the window."""
    frames = {}
    for event in figures.events:
        if "triton/runtime/jit.py(" in str(event["name"]):
            frames.setdefault((event["pid"], event["tid"]), []).append((*span(event), event["name"]))
    around = []
    for thread in frames.values():
        compiles = [(begin, end) for begin, end, name in thread if name.endswith(": _do_compile")]
        around += [(begin, end) for begin, end, name in thread if name.endswith(": run")
                   and any(begin <= b and e <= end for b, e in compiles)]
    whole = [(min(span(e)[0] for e in device.everything), max(span(e)[1] for e in device.everything))]
    return exactly(length(common(union(around), subtract(whole, device.busy))))


def odd_steps(figures, device, finding):
    median = statistics.median(s["time_ns"] for s in figures.steps if not s["warm_up"])
    return exactly(sum(s["time_ns"] - median for s in figures.steps if s["outlier"]))


def host_time(test):
    return lambda figures, device, finding: exactly(length(figures.host(test)))


FIGURES = {
    "comm-exposed": exposed,
    "comm-small": small_exposed,
    "late-rank": waits_for_ranks,
    "unaligned-gemm": named("_align1>", "_align2>", "_align1::", "_align2::"),
    "layout-conversion": named("nchwToNhwc", "nhwcToNchw", "ranspose"),
    "no-tensor-cores": plain_products,
    "low-waves": few_blocks,
    "pageable-copies": copies(lambda name: "Pageable" in name),
    "copies-not-overlapped": copies(lambda name: "Pinned" in name),
    "allocator-churn": allocating,
    "gradient-zeroing": in_calls("Optimizer.zero_grad#"),
    "unfused-optimizer": in_calls("Optimizer.step#"),
    "overhead-bound": idle_of_the_host,
    "unexplained-idle": idle_at_most,
    "sync-in-step": idle_at_most,
    "input-preparation": idle_at_most,
    "python-overhead": outside_of_calls,
    "tiny-kernels": tiny_gaps,
    "dtype-casts": casts,
    "redundant-copies": rearranged,
    "elementwise-chains": chains,
    "unfused-attention": softmaxes,
    "first-step-costs": first_steps,
    "kernel-compilation": compiling,
    "step-outlier": odd_steps,
    "recompiles": host_time(lambda name: name.startswith("_compile.compile_inner")),
    "lookup-cost": host_time(lambda name: name.startswith("TorchDynamo Cache Lookup")),
}

# The time by which steps would be shorter, for costs of the kind "saved". Without the data loader the host launches earlier by the loader's
# time. The GPU gains the part of this time in which it idled.
SAVED = {"dataloader-wait": loading}
