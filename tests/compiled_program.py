"""A small compiled program: the log that torch.compile writes, and a trace of one call."""
import json

HEAD = "V1121 07:36:34.963000 42 torch/a.py:1] "
CODE = """# AOT ID: ['0_inference']
# kernel path: /cache/ab/cabkernel.py
# Topologically Sorted Source Nodes: [y], Original ATen: [aten.relu]
triton_poi_fused_relu_0 = async_compile.triton('triton_poi_fused_relu_0', '''text''')

def call(args):
    # [Provenance debug handles] extern_kernels.mm:1
    extern_kernels.mm(a, b, out=buf0)
    # [Provenance debug handles] triton_poi_fused_relu_0:2
    triton_poi_fused_relu_0.run(buf0, 8, stream=stream0)
    return (buf0,)
"""
GRAPH = """# File: /work/model.py:3 in forward, code: x = a @ b
mm = torch.ops.aten.mm.default(a, b)
# File: /work/model.py:4 in forward, code: return x.relu()
relu = torch.ops.aten.relu.default(mm)
"""


def log_text(pid=42, rank=None):
    """A log of one compilation with a graph of two calls, and of its failed guard and graph break."""
    def record(head, payload=None, frame=0, number=0):
        whose = {} if rank is None else {"rank": rank}
        line = HEAD.replace(" 42 ", f" {pid} ") + json.dumps({**head, **whose, "frame_id": frame, "frame_compile_id": number, "attempt": 0}) + "\n"
        return line + "".join(f"\t{part}\n" for part in payload.split("\n")) if payload else line

    def artifact(name):
        return {"artifact": {"name": name, "encoding": "json"}}

    phases = [json.dumps({"name": "dynamo", "ts": time, "ph": kind}) for time, kind in ((1000.0, "B"), (3000.5, "E"))]
    return "".join([
        record({"chromium_event": {}}, phases[0]),
        record(artifact("inductor_post_grad_graph"), GRAPH), record({"inductor_output_code": {"filename": "/c/ab/cab.py"}}, CODE),
        record(artifact("inductor_provenance_tracking_node_mappings"),
               json.dumps({"cppCodeToPost": {"extern_kernels.mm:1": ["mm"], "triton_poi_fused_relu_0:2": ["relu"]}})),
        record(artifact("fx_graph_cache_miss"), json.dumps({"key": "fkey"})),
        record(artifact("dynamo_graph_break_reason"), "Graph break in user code at /work/model.py:5\nGraph Break Reason: print"),
        record({"compilation_metrics": {"co_name": "forward", "co_filename": "/work/model.py", "co_firstlineno": 2,
                                        "entire_frame_compile_time_s": 2.5, "guard_count": 4}}),
        record({"chromium_event": {}}, phases[1]),
        record(artifact("recompile_reasons"), "0/0: x.size() == 8", number=1)])


def trace_of_compiled_code(key="fkey"):
    """A region calls the graph: a product by an operator, a Triton kernel by a launch. An eager kernel follows."""
    def row(category, name, start, duration, pid=42, tid=42, **arguments):
        return {"ph": "X", "pid": pid, "tid": tid, "cat": category, "name": name, "ts": start, "dur": duration, "args": arguments}

    def kernel(name, start, duration, correlation):
        return row("kernel", name, start, duration, 0, 7, correlation=correlation, device=0, stream=7)

    return {"schemaVersion": 1, "traceEvents": [
        row("cpu_op", "Torch-Compiled Region: 0/0", 0, 100), row("user_annotation", f"## Call CompiledFxGraph {key} ##", 10, 80),
        row("cpu_op", "aten::mm", 20, 30), row("cuda_runtime", "cudaLaunchKernel", 30, 5, correlation=1),
        row("cuda_driver", "cuLaunchKernel", 60, 5, correlation=2),
        row("cpu_op", "aten::add", 110, 20), row("cuda_runtime", "cudaLaunchKernel", 115, 5, correlation=3),
        kernel("gemm", 40, 60, 1), kernel("triton_poi_fused_relu_0", 100, 30, 2), kernel("add_kernel", 130, 10, 3)]}
