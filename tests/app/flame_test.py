#!/usr/bin/env python3
"""lanescope flame, end to end."""
import json
import tempfile
import xml.etree.ElementTree as ElementTree
from pathlib import Path

from program import SAMPLES, error_of, json_of, run_all, text_of

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
STACKS = SAMPLES / "torch_cpu" / "convnet_stack.json.gz"
NO_STACKS = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"


def folded(*arguments):
    """Weight by stack."""
    stacks = {}
    for line in text_of("flame", *arguments).splitlines():
        stack, weight = line.rsplit(" ", 1)
        stacks[stack] = stacks.get(stack, 0) + int(weight)
    return stacks


def test_folded_calls_add_up_to_the_own_time_of_all_slices_of_threads():
    slices = json_of("table", "slices", NO_STACKS)
    expected = sum(row["self_ns"] for row in slices if row["category"] != "Trace")
    assert sum(folded(NO_STACKS).values()) == expected > 0


def test_python_frames_are_hidden_among_other_calls():
    stacks = folded(SYNTHETIC)
    assert not any(".py(" in stack or "nn.Module" in stack for stack in stacks)
    assert any("nn.Module" in stack for stack in folded(SYNTHETIC, "--of", "gpu"))
    assert any(stack.startswith("ProfilerStep;aten::linear;") for stack in stacks), list(stacks)[:5]


def test_gpu_time_adds_up_to_that_of_the_kernels():
    kernels = json_of("table", "kernels", SYNTHETIC)
    stacks = folded(SYNTHETIC, "--of", "gpu")
    assert sum(stacks.values()) == sum(row["total_ns"] for row in kernels)
    by_name = {}
    for stack, weight in stacks.items():
        name = stack.rsplit(";", 1)[-1]
        by_name[name] = by_name.get(name, 0) + weight
    totals = {}
    for row in kernels:
        name = row["name"].replace(";", ":")
        totals[name] = totals.get(name, 0) + row["total_ns"]
    assert by_name == totals


def test_ranges_beside_each_other_share_the_time():
    whole = sum(folded(SYNTHETIC, "--of", "gpu").values())
    parts = [sum(folded(SYNTHETIC, "--of", "gpu", "--range", text).values()) for text in ("0..5ms", "5ms..")]
    assert sum(parts) == whole and all(parts), parts


def test_lanes_limit_it_to_some_threads_or_streams():
    whole = folded(SYNTHETIC)
    one = folded(SYNTHETIC, "--lanes", "pt_autograd_0")
    other = folded(SYNTHETIC, "--lanes", "4711 .python.")
    assert any(stack.startswith("autograd::engine") for stack in one)
    assert not any(stack.startswith("autograd::engine") for stack in other)
    assert sum(one.values()) + sum(other.values()) <= sum(whole.values())
    streams = [sum(folded(SYNTHETIC, "--of", "gpu", "--lanes", name).values()) for name in ("^stream 7$", "^stream 20$")]
    assert all(streams) and sum(streams) == sum(folded(SYNTHETIC, "--of", "gpu").values()), streams
    assert "lanes" in error_of("flame", SYNTHETIC, "--lanes", "(", status=2)


def test_json_lists_nodes_in_preorder():
    nodes = json_of("flame", SYNTHETIC)
    path, inside = [], []
    for node in nodes:
        assert node["depth"] <= len(path), node
        del path[node["depth"]:]
        path.append(node)
        assert node["self_ns"] <= node["total_ns"]
        inside.append((node, path[-2] if len(path) > 1 else None))
    for parent in nodes:
        children = sum(node["total_ns"] for node, above in inside if above is parent)
        assert parent["total_ns"] == parent["self_ns"] + children, parent
    assert sum(node["self_ns"] for node in nodes) == sum(folded(SYNTHETIC).values())


def replayed(profile):
    """Checks that events are balanced and in order; returns the time in which any frame is open."""
    stack, busy, last = [], 0, profile["startValue"]
    for event in profile["events"]:
        assert event["at"] >= last, event
        busy += event["at"] - last if stack else 0
        last = event["at"]
        if event["type"] == "O":
            stack.append(event["frame"])
        else:
            assert stack.pop() == event["frame"], event
    assert not stack and last <= profile["endValue"]
    return busy


def test_speedscope_profiles_are_consistent():
    for arguments in ((SYNTHETIC,), (SYNTHETIC, "--of", "gpu"), (SYNTHETIC, "--inverted"),
                      (STACKS, "--of", "python"), (STACKS, "--of", "modules")):
        file = json.loads(text_of("flame", *arguments, "--format", "speedscope"))
        assert file["$schema"] == "https://www.speedscope.app/file-format-schema.json"
        # The members that the published schema knows; it requires $schema, shared and profiles.
        assert set(file) == {"$schema", "exporter", "name", "activeProfileIndex", "shared", "profiles"}, set(file)
        assert set(file["shared"]) == {"frames"} and 0 <= file["activeProfileIndex"] < len(file["profiles"])
        for frame in file["shared"]["frames"]:
            assert set(frame) == {"name"} and isinstance(frame["name"], str), frame
        frames = len(file["shared"]["frames"])
        for profile in file["profiles"]:
            assert set(profile) == {"type", "name", "unit", "startValue", "endValue", "events"}, set(profile)
            assert profile["type"] == "evented" and profile["unit"] == "nanoseconds"
            assert all(set(event) == {"type", "frame", "at"} and event["type"] in "OC" for event in profile["events"])
            assert all(0 <= event["frame"] < frames for event in profile["events"])
        busy = sum(replayed(profile) for profile in file["profiles"])
        assert busy == sum(folded(*arguments).values()) > 0, arguments


def test_inverted_and_focused_trees_keep_the_time():
    whole = folded(SYNTHETIC)
    inverted = folded(SYNTHETIC, "--inverted")
    assert sum(inverted.values()) == sum(whole.values())
    linear = sum(weight for stack, weight in whole.items() if "aten::linear" in stack.split(";"))
    inside = folded(SYNTHETIC, "--focus", "aten::linear")
    callers = folded(SYNTHETIC, "--focus", "aten::linear", "--inverted")
    assert sum(inside.values()) == sum(callers.values()) == linear > 0
    assert all(stack.split(";")[0] == "aten::linear" for stack in [*inside, *callers])


def test_a_picture_is_valid_svg_with_a_title_for_each_box():
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "flame.svg"
        assert text_of("flame", SYNTHETIC, "--format", "svg", "-o", path) == ""
        root = ElementTree.parse(path).getroot()
    space = "{http://www.w3.org/2000/svg}"
    titles = [box.find(space + "title").text for box in root.iter(space + "g")]
    assert any(title.startswith("ProfilerStep\n") and "of the whole" in title for title in titles), titles[:3]
    dark = text_of("flame", SYNTHETIC, "--format", "svg", "--theme", "dark")
    assert 'fill="#0e1116"' in dark


def test_what_a_trace_lacks_and_wrong_usage():
    message = error_of("flame", SYNTHETIC, "--of", "samples", status=1)
    assert "no samples" in message and "wrote no events" not in message, message
    assert "needs --of samples" in error_of("flame", SYNTHETIC, "--weight", "samples", status=2)
    assert "No call has nothing like it" in error_of("flame", SYNTHETIC, "--focus", "nothing like it", status=2)
    assert "names contain aten::" in error_of("flame", SYNTHETIC, "--focus", "aten::", status=2)
    error_of("flame", SYNTHETIC, "--format", "text", status=2)
    assert "no-such-file" in error_of("flame", "no-such-file", status=1)


run_all(globals())
