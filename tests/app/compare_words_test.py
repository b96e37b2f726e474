#!/usr/bin/env python3
"""What lanescope compare says: what differs, before all numbers, and what the numbers show."""
import csv
import io
import pathlib

from compare_runs import Run, exact_p, real, steps
from program import SAMPLES, error_of, has_real_traces, json_of, lanescope, run_all, scratch, text_of
from made_traces import made_from_sample  # noqa: E402  in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"


def test_differences_come_before_all_numbers():
    with scratch() as folder:
        of_ranks = [{"distributedInfo": {"backend": "nccl", "rank": 0, "world_size": size}} for size in (8, 2)]
        before = made_from_sample(folder, "before.json", device="NVIDIA A100", **of_ranks[0])
        after = made_from_sample(folder, "after.json", factor=2, device="Tesla V100", **of_ranks[1])
        check_differences(before, after)
    if has_real_traces():
        check_differences(real("torch/a100_train_before"), real("torch/v100_train_after"))


def check_differences(before, after):
    text = text_of("compare", before, after)
    head = text[:text.index("The step:")]
    assert "NVIDIA A100" in head and "Tesla V100" in head and "world size: 8 → 2" in head
    assert "not its cause" in text
    facts = {fact["fact"]: fact for fact in json_of("compare", before, after)["facts"]}
    assert facts["device"]["differs"] == 1 and facts["world size"] == {"fact": "world size", "a": "8", "b": "2", "differs": 1}
    markdown = text_of("compare", before, after, "--format", "md")
    assert markdown.index("differs: `device") < markdown.index("The step:") < markdown.index("| function |")
    run = lanescope("compare", before, after, "--format", "csv")
    assert run.returncode == 0 and b"differs in device" in run.stderr
    rows = list(csv.DictReader(io.StringIO(run.stdout.decode())))
    assert rows[0]["kind"] == "step" and rows[-1]["kind"] == "remainder"


def test_what_cannot_be_compared_is_said():
    with scratch() as folder:
        a = steps(folder, "a.json", [1000 + i for i in range(6)])
        other = Run()
        for i in range(6):
            other.add("user_annotation", f"ProfilerStep#{i}", 1000 * i, 1000 * i + 1000)
            other.op("compile", 1000 * i + 10, 1000 * i + 500)
        other = other.save(folder, "other.json")
        whole = Run()
        whole.op("aten::mm", 0, 100)
        whole = whole.save(folder, "whole.json")
        for second, why in ((other, "share no function"), (whole, "has steps and whole.json has none")):
            text = text_of("compare", a, second, "--fail-over", "5%")
            assert why in text.replace("\n", " ") and "Gate: not judged" in text and "difference" not in text, text
            one = json_of("compare", a, second)
            assert one["comparable"] is False and one["rows"] == [] and one["step"] is None
            text_of("compare", a, second, "--fail-over", "5%", "--strict", status=3)
        cpu = Run()
        for i in range(6):
            cpu.add("user_annotation", f"ProfilerStep#{i}", 3000 * i, 3000 * i + 3000)
            cpu.op("aten::mm", 3000 * i + 100, 3000 * i + 2900)
        assert "Only A has GPU work" in text_of("compare", a, cpu.save(folder, "cpu.json"))
        cut = pathlib.Path(folder) / "cut.json"
        cut.write_text(a.read_text()[:-700])
        assert "cut off" in text_of("compare", a, cut)
        empty = pathlib.Path(folder) / "empty.json"
        empty.write_text('{"traceEvents":[]}')
        assert "empty.json" in error_of("compare", a, empty, status=1)
        assert "gone.json" in error_of("compare", a, folder + "/gone.json", status=1)
    assert "takes two traces" in error_of("compare", SYNTHETIC, status=2)
    error_of("compare", SYNTHETIC, SYNTHETIC, "--row", "x", status=2)
    error_of("compare", SYNTHETIC, SYNTHETIC, "--fail-over", "much", status=2)


def test_each_difference_is_said():
    """Each fact is in the text and in the JSON: of both runs, and that of the one which differs."""
    def program(mark, batch=16, shapes=True, module=False):
        run = Run()
        for i in range(6):
            run.add("user_annotation", f"{mark}{i}" if mark.endswith("#") else mark, 1000 * i, 1000 * i + 900)
            if module:
                run.add("python_function", "nn.Module: Net_0", 1000 * i + 10, 1000 * i + 800)
            dims = {"Input Dims": [[batch, 3, 8, 8], [4, 3, 3, 3]]} if shapes else {}
            run.add("cpu_op", "aten::convolution", 1000 * i + 20, 1000 * i + 700, **dims)
        return run

    plain = program("ProfilerStep#")
    cases = (("software", "cupti 18 → cupti 28", plain, dict(cupti_version=28), None),
             ("world size", "2 → 8", plain, dict(distributedInfo={"rank": 0, "world_size": 8}), None),
             ("rank", "0 → 1", plain, dict(distributedInfo={"rank": 1, "world_size": 2}), None),
             ("batch size", "16 → 32", program("ProfilerStep#", batch=32), {}, None),
             ("modules", "not recorded → recorded", program("ProfilerStep#", module=True), {}, "Only B has recorded modules"),
             ("input shapes", "recorded → not recorded", program("ProfilerStep#", shapes=False), {},
              "Only A has recorded input shapes"),
             ("steps", "found by profiler → found by annotation", program("my_step"), {},
              "The steps were found in different ways"))
    usual = dict(cupti_version=18, distributedInfo={"rank": 0, "world_size": 2})
    with scratch() as folder:
        a = plain.save(folder, "a.json", **usual)
        for fact, change, run, more, remark in cases:
            b = run.save(folder, "b.json", **{**usual, **more})
            text = " ".join(text_of("compare", a, b).split())
            assert f"{fact}: {change}" in text[:text.index("The step:")], (fact, text)
            assert remark is None or remark in text[:text.index("The step:")], (remark, text)
            facts = {one["fact"]: one for one in json_of("compare", a, b)["facts"]}
            assert facts[fact]["differs"] == 1, facts
            same = " ".join(text_of("compare", b, b).split())
            assert "They agree in device" in same and "They differ" not in same, same
        job = plain.save(folder, "job.json", **usual, mast_job_version=3)
        assert "mast job" not in text_of("compare", a, job), "the version of a job is none of the software"


def test_the_sentence_about_the_step():
    with scratch() as folder:
        a = steps(folder, "a.json", [1000, 1002, 1004, 1006, 1008, 1010, 1012])
        b = steps(folder, "b.json", [1500, 1502, 1504, 1506, 1508, 1510, 1512])
        for one, other, words, verdict in ((a, b, "The step: 1.006 ms → 1.506 ms, 1.497 times (95 % interval 1.48", "slower"),
                                           (b, a, "The step: 1.506 ms → 1.006 ms, 0.668 times (95 % interval 0.66", "faster"),
                                           (a, a, "The step: 1.006 ms → 1.006 ms, 1.000 times", "no difference")):
            text = " ".join(text_of("compare", one, other).split())
            assert words in text, text
            chance = f" (p = {exact_p(list(range(7)), list(range(7, 14))):.2g})" if one != other else ""
            assert f", {verdict}{chance}." in text, (verdict, chance, text)
        # A slow first step is warm-up.
        slow_begin = steps(folder, "warm.json", [9000, 1000, 1002, 1004, 1006, 1008, 1010, 1012])
        text = text_of("compare", slow_begin, a)
        assert "warm.json (7 steady steps, 1 of warm-up left out)" in text and "no difference" in text, text


def test_too_few_steps_for_so_many_functions():
    def extra(run, at):
        for i in range(12):
            run.op(f"aten::f{i}", at + 910 + 3 * i, at + 912 + 3 * i)

    def run(folder, name, count, duration):
        made, at = Run(), 0
        for i in range(count):
            made.add("user_annotation", f"ProfilerStep#{i}", at, at + 1000)
            made.op("aten::mm", at + 10, at + duration + i)
            extra(made, at)
            at += 1000
        return made.save(folder, name)

    with scratch() as folder:
        # The least p of five and five steps is 1/126, times more than twelve functions above 0.01.
        few = json_of("compare", run(folder, "a.json", 5, 400), run(folder, "b.json", 5, 800))
        many = json_of("compare", run(folder, "a.json", 9, 400), run(folder, "b.json", 9, 800))
    for one, verdict in ((few, "too few"), (many, "slower")):
        row = next(row for row in one["rows"] if row["function"] == "aten::mm")
        assert row["verdict"] == verdict, row
        assert any("of a single function among" in note for note in one["notes"]) == (verdict == "too few"), one["notes"]


def test_names_from_files_are_text():
    with scratch() as folder:
        name = "aten::`|<b>\\n*x*"
        run = Run()
        for i in range(5):
            run.add("user_annotation", f"ProfilerStep#{i}", 1000 * i, 1000 * i + 1000)
            run.op(name, 1000 * i + 10, 1000 * i + 500)
        path = run.save(folder, "odd`name.json")
        markdown = text_of("compare", path, path, "--format", "md")
        table = [line for line in markdown.splitlines() if line.startswith("|")]
        widths = {len(line.replace("\\|", "").split("|")) for line in table}
        assert len(widths) == 1, table


run_all(globals())
