#!/usr/bin/env python3
"""Answers typical questions in the window, from opening the file on, within a number of keys and clicks. Checks the
texts of the panels; the expected answers were computed from the files by other means."""

import sys
import tempfile

from panels_test import ready, table
from window import SYNTHETIC, TRANSFORMER, Window, and_real, has_real_traces, real_trace, rows_of, run, x_of

from made_traces import made_from_sample  # in tests, whose path window.py adds


class Journey(Window):
    """A window that counts keys and clicks."""

    def __init__(self, *traces):
        super().__init__(*traces)
        self.inputs = 0

    def __enter__(self):
        super().__enter__()
        self.wait(lambda s: any(ready(name)(s) for name in s["panels"]), "the first table")
        return self

    def press(self, name):
        self.inputs += 1
        return self.key(name)

    def point(self, x, y):
        self.inputs += 1
        return self.click(x, y)

    def choose(self, panel):
        self.inputs += self.click_panel(panel)
        return table(self.wait(ready(panel), f"the table of {panel}"), panel)

    def choose_form(self, panel, form):
        self.inputs += 1
        self.click(*table(self.state(), panel)["forms"][form])
        return table(self.wait(ready(panel), f"{panel} by {form}"), panel)


def trace(name):
    return SYNTHETIC if name == "sample" else real_trace(f"torch/{name}")


def seconds(nanos):
    return round(nanos / 1e9, 2)


def gap(state):
    return state["gap"]


def story(w):
    return " ".join(w.wait(lambda s: s["story"], "the story")["story"]).replace("\u2009", " ")


def where_did_ten_seconds_go():
    with Journey(trace("a100_alexnet_sync.json.gz")) as w:
        assert "55.5 ms of its 66.14 ms of busy time are 16 copies from or to pageable memory" in story(w), story(w)
        w.press("g")
        state = w.wait(gap, "the longest gap")
        found = gap(state)
        assert w.inputs == 1
        assert seconds(found["duration"]) == 10.03, found
        assert found["around"]["name"] == "aten::cudnn_convolution", found
        calls = [(call["name"], seconds(call["inside"])) for call in found["calls"][:3]]
        assert calls == [("cudaFree", 6.01), ("cudaLaunchKernel", 3.06), ("cudaFree", 0.53)], calls
        begin, end = w.still()["range"]
        assert begin < found["start"] and found["start"] + found["duration"] < end, "the view frames it"
        assert end - begin < 1.2 * found["duration"]
        assert not state["message"], "the Selection panel says it; nothing covers the table"
        w.press("g")
        following = gap(w.wait(lambda s: gap(s)["place"] == 1, "the next gap"))
        assert seconds(following["duration"]) == 1.04 and following["calls"][0]["name"] == "cudaMalloc", following
        w.press("shift+g")
        w.wait(lambda s: gap(s)["place"] == 0, "the gap before")


def is_my_data_loader_the_bottleneck():
    with Journey(trace("rtx2080ti_resnet.json.gz")) as w:
        assert "The GPU idles for 48.8 % of the steps while the data loader runs" in story(w), story(w)
        assert "629.8 ms of its 4.734 s of busy time" in story(w), story(w)
        w.press("g")
        found = gap(w.wait(gap, "the longest gap"))
        assert w.inputs == 1
        assert seconds(found["duration"]) == 2.25
        assert found["around"]["name"].startswith("enumerate(DataLoader)#"), found
        assert "__next__" in found["around"]["name"] and seconds(found["around"]["inside"]) == 1.94, found
        assert round(100 * found["busy"] / found["span"], 1) == 32.6 and seconds(found["span"]) == 14.52, found
        w.press("g")
        following = gap(w.wait(lambda s: gap(s)["place"] == 1, "the next gap"))
        assert seconds(following["duration"]) == 1.85, following
        spent = {}
        for call in following["calls"]:
            spent[call["name"]] = spent.get(call["name"], 0) + call["inside"]
        assert (seconds(spent["cudaFree"]), seconds(spent["cudaLaunchKernel"])) == (1.05, 0.73), spent


def what_launched_this_kernel_and_from_which_module():
    check_kernel("sample", "flash_forward_kernel", 590353, 18204, ["ProfilerStep#4", "SelfAttention_0", "aten::scaled_dot_product_attention",
                 "aten::_scaled_dot_product_flash_attention", "cudaLaunchKernel"], [239, 72 << 10, 64, 40, "registers+shared memory"])
    for name in and_real("h100_bert_small.json.gz"):
        # The second flash_fwd_kernel begins at 2,553.0 µs and takes 9.1 µs.
        check_kernel(name, "flash_fwd_kernel", 2553007, 9000, ["ProfilerStep#6", "BertSdpaSelfAttention_1", "aten::scaled_dot_product_attention",
                     "aten::_flash_attention_forward", "cudaLaunchKernel"], [255, 48 << 10, 16, 132, "registers"])


def check_kernel(name, kernel, start, duration, origin, figures):
    """A click selects the kernel, and shows who launched it: names of the chain in this order, up to the call."""
    with Journey(trace(name)) as w:
        state = w.still()
        # The stream is in view at first.
        rows = [row for row in rows_of(state) if row["lane"] == "stream 7" and row["depth"] == 1]
        w.point(x_of(state, start + duration / 2), rows[0]["y"])
        selection = w.wait(lambda s: s["selection"], "the kernel")["selection"]
        assert w.inputs == 1
        assert kernel in selection["name"] and selection["start"] == start, selection
        chain = iter(selection["origin"])
        assert all(any(part in name for name in chain) for part in origin) and next(chain, None) is None, selection["origin"]
        footprint = selection["footprint"]
        found = [footprint[key] for key in ("registers", "shared_bytes", "blocks", "sms", "limiter")]
        assert found == figures, footprint


def the_story_is_shown_without_a_question():
    for name, share in (("sample", 89.1), *and_real(("h100_bert_small.json.gz", 7.9))):
        with Journey(trace(name)) as w:
            assert w.inputs == 0
            assert f"busy for {share} % of its span" in story(w), story(w)


def why_is_my_gpu_idle():
    with Journey(trace("h100_bert_small.json.gz")) as w:
        said = story(w)
        assert "no launch ever found another one in the queue" in said, said
        first = w.wait(lambda s: s["findings"], "the findings")["findings"]["list"][0]
        assert first["rule"] == "overhead-bound" and [p[:5] for p in first["places"][:3]] == ["247.6", "218.4", "153.9"], first
        waits = next(f for f in w.state()["findings"]["list"] if f["rule"] == "sync-in-step")
        assert waits["cost"].startswith("153.9") and "aten::is_nonzero" in waits["title"], waits
        assert w.inputs == 0


def what_should_i_fix_first():
    check_order("sample", {"comm-exposed": "559.5 µs a step", "low-waves": "173.4 µs a step", "allocator-churn": "72.69 µs a step"})
    for name in and_real("h100_owlv2_shapes_stack_memory.json.gz"):
        check_order(name, {"dataloader-wait": "619 ms a step", "unfused-attention": "262.5 ms a step", "unaligned-gemm": "229.7 ms a step"})


def check_order(name, expected):
    with Journey(trace(name)) as w:
        state = w.wait(lambda s: s["findings"] and s["finding_cards"]["boxes"], "the findings")
        found = {f["rule"]: f for f in state["findings"]["list"]}
        names = list(found)
        assert names[:3] == list(expected), names
        costs = [found[name]["cost"].replace("\u2009", " ") for name in names[:3]]
        assert costs == list(expected.values()), costs
        assert "sync-in-step" in names and w.inputs == 0
        for i, name in enumerate(names[:4]):
            before = w.inputs
            x0, y0, x1, y1 = w.state()["finding_cards"]["boxes"][i]
            w.point((x0 + x1) / 2, (y0 + y1) / 2)
            w.wait(lambda s, i=i: s["findings"]["chosen"] == i and (s["selection"] or s["gap"]), "the place of " + name)
            assert w.inputs == before + 1
            w.key("Escape")


def how_long_is_a_step_and_is_one_odd():
    with Journey(SYNTHETIC) as w:
        steps = w.choose("Steps")
        assert w.inputs == 1
        found = [(row["name"], row["duration_ns"], row["outlier"]) for row in steps["rows"]]
        assert found == [("ProfilerStep#4", "1.621 ms", "0"), ("ProfilerStep#5", "2.824 ms", "0"), ("ProfilerStep#6", "2.593 ms", "0")], found
    for name in and_real("v100_memory_nccl.json.gz"):
        check_steps_of_training(name)


def check_steps_of_training(name):
    with Journey(trace(name)) as w:
        assert "#3 takes 365.3 ms (5.6 % over the median)" in story(w), story(w)
        steps = w.choose("Steps")
        assert w.inputs == 1
        found = [(row["name"], row["duration_ns"], row["outlier"]) for row in steps["rows"]]
        assert found == [("ProfilerStep#2", "345.8 ms", "0"), ("ProfilerStep#3", "365.3 ms", "1"),
                        ("ProfilerStep#4", "346.1 ms", "0"), ("ProfilerStep#5", "344.3 ms", "0"),
                        ("ProfilerStep#6", "336.3 ms", "0")], found
        left = w.state()["panels"]["Steps"]["box"][0]
        framed = w.point(left + 60, steps["first_row_y"])["selection"]
        assert framed["name"] == "ProfilerStep#2" and round(framed["duration"] / 1e6, 2) == 345.77, framed


def how_much_of_my_time_is_communication():
    check_communication("sample", ("1.679 ms of 3.641 ms of communication are exposed: nothing computes meanwhile",
                                   "(comm-exposed: 559.5 µs a step, 20.6 %)"),
                        ["7.277 ms", "3.641 ms", "1.679 ms", "53.9 %", "8.168 ms"])
    for name in and_real("v100_memory_nccl.json.gz"):
        check_communication(name, ("All communication is exposed: nothing computes during 357.3 ms", "(comm-exposed: 71.47 ms a step, 20.6 %)"),
                            ["1.001 s", "357.3 ms", "357.3 ms", "0.0 %", "1.733 s"])


def check_communication(name, sentences, figures):
    with Journey(trace(name)) as w:
        said = story(w)
        assert all(sentence in said for sentence in sentences), said
        assert w.inputs == 0
        time = w.choose("Breakdown")
        row = time["rows"][0]
        found = [row[key] for key in ("busy_ns", "communication_ns", "exposed_communication_ns", "overlap", "span_ns")]
        assert found == figures, found


def where_is_the_memory_peak_and_what_is_alive_there():
    check_peak("sample", "GPU 0", "106 MiB", ("aten::addmm", "26 MiB"))
    for name in and_real("v100_memory_nccl.json.gz"):
        check_peak(name, "GPU 1", "6.174 GiB", ("aten::mm", "989.4 MiB"))  # 6,629,508,096 B


def check_peak(name, device, peak, holder):
    with Journey(trace(name)) as w:
        peaks = w.choose("Memory")
        gpu = [row for row in peaks["rows"] if row["device"] == device]
        assert [row["peak_allocated_bytes"] for row in gpu] == [peak], gpu
        alive = w.choose_form("Memory", "operator")
        assert w.inputs == 2
        first = alive["rows"][0]
        assert (first["operator"], first["at_peak_bytes"]) == holder, first


def which_operator_costs_most_on_the_cpu_with_which_shapes():
    with Journey(TRANSFORMER) as w:
        by_shape = w.choose_form("Operators", "shape")
        assert w.inputs == 1
        w.wait(lambda s: table(s, "Operators")["ready"] and table(s, "Operators")["rows"][0]["name"].startswith("Opt"), "the order")
        by_shape = table(w.state(), "Operators")
        own = next(row for row in by_shape["rows"] if row["name"].startswith("aten::"))
        assert (own["name"], own["cpu_self_ns"]) == ("aten::gelu_backward", "2.255 ms"), own
        assert own["input_shapes"].startswith("[[4, 32, 256]"), own


def what_changed_between_two_runs():
    with tempfile.TemporaryDirectory() as folder:
        made = [made_from_sample(folder, f"{name}.json", device=name, factor=factor) for name, factor in (("A100", 1), ("V100", 2))]
        check_changes(*made)
    if has_real_traces():
        check_changes(trace("a100_train_before.json.gz"), trace("v100_train_after.json.gz"))


def check_changes(before, after):
    with Journey(before, after) as w:
        w.choose("Compare")
        assert w.inputs == 2
        compare = w.wait(lambda s: s["compare"]["ready"], "the comparison")["compare"]
        differences = compare["text"]["differences"]
        assert differences[0].startswith("device: ") and "A100" in differences[0] and "V100" in differences[0], differences
        assert compare["comparable"] and table(w.still(), "Compare")["row_count"] > 1, table(w.still(), "Compare")


def show_this_to_a_colleague_who_has_nothing_installed():
    for name, share in (("sample", 89.1), *and_real(("h100_bert_small.json.gz", 7.9))):
        check_report(name, share)


def check_report(name, share):
    with Journey(trace(name)) as w:
        w.press("ctrl+e")
        path = w.wait(lambda s: s["saving"], "the dialog")["saving"]
        w.press("Return")
        w.wait(lambda s: s["message"].endswith(" saved as " + path), "the report")
        assert w.inputs == 2
        with open(path, encoding="utf-8") as file:
            text = file.read()
        assert text.startswith("<!DOCTYPE html>") and f"busy for {share}" in text, text[:200]


def which_layer_of_my_decode_step_costs_most():
    if not has_real_traces():
        return
    with Journey("--graph-capture", str(real_trace("graph/sglang_decode_capture.json.gz")), trace("mi300_sglang_decode_graph.json.gz")) as w:
        modules = w.choose("Modules")
        left, right = modules["columns"]["device_ns"]
        w.point((left + right) / 2, modules["first_row_y"] - 24)
        layers = w.wait(lambda s: layers_in(s) and layers_in(s)[0]["module"] == "Qwen3DecoderLayer_7", "the longest layer first")
        assert w.inputs == 2
        assert layers_in(layers)[0]["device_ns"] == "378.5 µs" and layers_in(layers)[0]["floor_ns"].endswith(" µs"), layers_in(layers)[0]


def layers_in(state):
    shown = table(state, "Modules")
    return [row for row in shown["rows"] if row and row["module"].startswith("Qwen3DecoderLayer")] if shown["ready"] else []


def how_much_of_the_step_is_communication_of_which_library():
    if not has_real_traces():
        return
    with Journey(trace("b200_eager_rank0.json.gz")) as w:
        w.choose("Breakdown")
        groups = w.choose_form("Breakdown", "group")
        assert w.inputs <= 3, w.inputs
        rows = {row["group"]: row for row in groups["rows"] if row["group"].startswith("communication")}
        assert rows["communication: symmetric memory"]["time_ns"] == "2.12 ms" and rows["communication: NCCL"]["time_ns"] == "21.95 µs", rows


if __name__ == "__main__":
    sys.exit(run([where_did_ten_seconds_go, is_my_data_loader_the_bottleneck,
                  why_is_my_gpu_idle, what_should_i_fix_first,
                  what_launched_this_kernel_and_from_which_module, the_story_is_shown_without_a_question,
                  how_long_is_a_step_and_is_one_odd, how_much_of_my_time_is_communication,
                  where_is_the_memory_peak_and_what_is_alive_there, which_operator_costs_most_on_the_cpu_with_which_shapes,
                  which_layer_of_my_decode_step_costs_most, how_much_of_the_step_is_communication_of_which_library,
                  what_changed_between_two_runs, show_this_to_a_colleague_who_has_nothing_installed]))
