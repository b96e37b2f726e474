#!/usr/bin/env python3
"""lanescope report, end to end: the page's parts, its data compared with the file's, and names that try to be markup."""
import base64
import gzip
import html.parser
import json
import random
import re
from collections import Counter

from compare_runs import Run
from program import SAMPLES, error_of, has_real_traces, lanescope, real_trace, run_all, scratch, traces_here
from made_traces import made_from_sample  # noqa: E402  in tests/, which program adds to sys.path

SYNTHETIC = SAMPLES / "synthetic_step.json.gz"
NASTY = ["</script><script>alert(1)</script>", "\"quoted\" & 'single' <b>bold</b>", "\u202eright to left \u05d0\u05d1",
         "emoji \U0001f525\U0001f680", "]]> <!-- comment", "&lt;escaped&gt;", "onerror=alert(1) x", "{{7*7}} ${7*7}"]


class Page(html.parser.HTMLParser):
    def __init__(self, text):
        super().__init__()
        self.tags, self.attributes, self.text, self.scripts = Counter(), [], [], {}
        self.open = []
        self.feed(text)
        self.close()

    def handle_starttag(self, tag, attrs):
        self.tags[tag] += 1
        self.attributes += [(tag, key, value) for key, value in attrs]
        self.open.append((tag, dict(attrs)))

    def handle_endtag(self, tag):
        while self.open and self.open.pop()[0] != tag:
            pass

    def handle_data(self, data):
        if self.open and self.open[-1][0] == "script":
            key = self.open[-1][1].get("id", "script")
            self.scripts[key] = self.scripts.get(key, "") + data
        else:
            self.text.append(data)


def report_of(trace, *words):
    with scratch() as folder:
        lanescope("report", trace, "-o", f"{folder}/page.html", *words)
        with open(f"{folder}/page.html", encoding="utf-8") as file:
            return file.read()


def extract_of(text):
    """Lanes with (name, start, duration) for each slice, and links between slices' numbers."""
    data = gzip.decompress(base64.b64decode(Page(text).scripts["extract"]))
    length = int.from_bytes(data[:4], "little")
    head = json.loads(data[4:4 + length])
    at = 4 + length

    def number():
        nonlocal at
        value = shift = 0
        while True:
            value |= (data[at] & 127) << shift
            shift += 7
            at += 1
            if data[at - 1] < 128:
                return value
    slices = []
    for lane in head["lanes"]:
        for count in lane["counts"]:
            time = 0
            for _ in range(count):
                start = time + number()
                duration = number()
                slices.append((*head["labels"][number()][:2], start, duration))
                time = start + duration
    links, source = [], 0
    for _ in range(head["links"]):
        source += number()
        links.append((source, number()))
    assert at == len(data), (at, len(data))
    return head, slices, links


def nanoseconds(text):
    whole, _, part = str(text).partition(".")
    return int(whole) * 1000 + int((part + "000")[:3])


def test_the_timeline_has_the_slices_of_the_file():
    for path in (SYNTHETIC, *traces_here("torch/h100_bert_small.json.gz", "torch/mi300_qwen_chat.json.gz")):
        name = path.name
        head, slices, links = extract_of(report_of(path))
        with gzip.open(path) as file:
            events = json.load(file, parse_float=str, parse_int=str)["traceEvents"]
        events = [e for e in events if e.get("ph") == "X" and (e.get("cat") in
                  ("kernel", "gpu_memcpy", "gpu_memset", "cuda_runtime", "cuda_driver", "cpu_op", "cuda_sync")
                  or "annotation" in e.get("cat", "") and e["name"].startswith("nccl:"))]
        kinds = {c["name"]: i for i, c in enumerate(head["classes"])}
        found = Counter((label, start, duration) for label, kind, start, duration in slices
                        if kind in (kinds["kernel"], kinds["memory"], kinds["runtime"], kinds["operator"], kinds["sync"], kinds["communication"]))
        begin = min(nanoseconds(e["ts"]) for e in events)
        first = min(start for _, start, _ in found)
        wanted = Counter((e["name"], nanoseconds(e["ts"]) - begin + first, nanoseconds(e["dur"])) for e in events)
        assert found == wanted, (name, list((wanted - found).items())[:5], list((found - wanted).items())[:5])
        calls = {e["args"].get("correlation") for e in events if e["cat"] in ("cuda_runtime", "cuda_driver")}
        launched = sum(1 for e in events if e["cat"] in ("kernel", "gpu_memcpy", "gpu_memset") and e["args"].get("correlation") in calls)
        kernels = [to for source, to in links if slices[to][1] in (kinds["kernel"], kinds["memory"], kinds["communication"])
                   and slices[source][1] == kinds["runtime"]]
        assert len(kernels) == launched > 0, (name, len(kernels), launched)


def test_the_page_is_alone_and_has_all_parts():
    text = report_of(SAMPLES / "synthetic_step.json.gz")
    page = Page(text)
    policy = next(value for tag, key, value in page.attributes if tag == "meta" and key == "content" and "default-src" in value)
    assert "default-src 'none'" in policy and "unsafe" not in policy, policy
    nonce = re.search(r"script-src 'nonce-([0-9a-f]{32})'", policy).group(1)
    assert [value for tag, key, value in page.attributes if key == "nonce"] == [nonce] * 3, "two scripts and one style"
    assert nonce not in report_of(SAMPLES / "synthetic_step.json.gz"), "a nonce is used once"
    links = [value for _, key, value in page.attributes if key in ("src", "href", "action")]
    assert links and all(link.startswith("#") for link in links), links
    assert not [key for _, key, _ in page.attributes if key.startswith("on") or key == "style"]
    for part in ("findings", "time", "timeline", "details", "steps", "tables", "kernels", "pictures", "facts"):
        assert ("id", part) in [(key, value) for _, key, value in page.attributes], part
    assert page.tags["svg"] >= 3 and page.tags["table"] >= 3, page.tags
    ids = [value for _, key, value in page.attributes if key == "id"]
    assert len(ids) == len(set(ids)), ids
    script = page.scripts["script"]
    assert len(script) < 60_000 and "innerHTML" not in script and "eval(" not in script, len(script)


def nasty_trace(folder):
    events = []
    for i, name in enumerate(NASTY * 3):
        begin = 100 * i
        events.append({"ph": "X", "cat": "cpu_op", "name": name, "pid": 1, "tid": 1, "ts": begin, "dur": 50, "args": {"External id": i + 1}})
        events.append({"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 1, "ts": begin + 1, "dur": 5,
                       "args": {"correlation": i + 1, "External id": i + 1}})
        events.append({"ph": "X", "cat": "kernel", "name": name, "pid": 0, "tid": 7, "ts": begin + 20, "dur": 40,
                       "args": {"correlation": i + 1, "device": 0, "stream": 7, "External id": i + 1}})
    events.append({"ph": "M", "name": "process_name", "pid": 1, "tid": 0, "args": {"name": NASTY[0]}})
    events.append({"ph": "M", "name": "thread_name", "pid": 1, "tid": 1, "args": {"name": NASTY[0]}})
    with open(f"{folder}/<b>nasty.json", "w", encoding="utf-8") as file:
        json.dump({"traceEvents": events, "deviceProperties": [{"id": 0, "name": NASTY[1]}]}, file)
    return f"{folder}/<b>nasty.json"


def test_names_are_never_markup():
    plain = Page(report_of(SAMPLES / "synthetic_step.json.gz"))
    with scratch() as folder:
        text = report_of(nasty_trace(folder))
    page = Page(text)
    assert page.tags["script"] == 2 and page.tags["b"] == 0 and set(page.tags) <= set(plain.tags) | {"p", "li"}, page.tags
    assert "alert(1)" not in page.scripts["script"] and set(page.scripts) == {"extract", "script"}, list(page.scripts)
    assert "<!-- comment" not in text.replace("&lt;!-- comment", "")
    shown = "".join(page.text)
    assert "</script><script>alert(1)</script>" in shown and "emoji \U0001f525\U0001f680" in shown, shown[:500]
    head, _, _ = extract_of(text)
    assert set(NASTY) <= {label[0] for label in head["labels"]} | {"\u202eright to left \u05d0\u05d1"}, head["labels"]


def test_a_page_that_would_be_too_large_draws_short_slices_together():
    numbers = random.Random(3)
    run = Run()
    for step in range(4):
        run.add("user_annotation", f"ProfilerStep#{step}", 100_000 * step, 100_000 * (step + 1))
        for i in range(8000):
            begin = 100_000 * step + 12 * i + numbers.randrange(1000) / 1000
            kernel = begin + 3 + numbers.randrange(1000) / 1000
            run.op(f"aten::op{numbers.randrange(30)}", begin, begin + 2.5, [(f"kernel {numbers.randrange(30)}", kernel, kernel + 5 * numbers.random())])
    with scratch() as folder:
        check_short_slices(run.save(folder, "many.json"), 0.1, 2)
    for path in traces_here("torch/v100_memory_nccl.json.gz"):
        check_short_slices(path, 0.2, 3)


def check_short_slices(path, megabytes, step):
    whole, every, _ = extract_of(report_of(path))
    text = report_of(path, "--max-size", str(megabytes), "--range", f"step:{step}")
    assert len(Page(text).scripts["extract"]) <= megabytes * 1_000_000
    _, some, _ = extract_of(text)
    assert len(some) < len(every) and "are drawn together" in text, (len(some), len(every))
    assert any(name == "short slices" for name, *_ in some)
    assert "are drawn together" not in report_of(path)
    kernels = next(i for i, c in enumerate(whole["classes"]) if c["name"] == "kernel")
    ends = [max(start + duration for _, kind, start, duration in slices if kind == kernels) for slices in (every, some)]
    assert ends[0] - ends[1] < 5_000_000, ends


def made_trace(length_us, longest_us):
    """100,000 slices of 0.1 µs to `longest_us` on five threads, of which one in a thousand is ten times as long as the others can be."""
    numbers = random.Random(5)
    events = []
    for tid in range(5):
        for i in range(20_000):
            duration = longest_us * (10 if i % 1000 == 0 else numbers.uniform(0.1 / longest_us, 1))
            begin = length_us * i / 20_000 + numbers.uniform(0, longest_us / 10)
            events.append({"ph": "X", "pid": 1, "tid": tid, "name": f"call {numbers.randrange(50)}", "ts": round(begin, 3),
                           "dur": round(duration, 3)})
    return events


def test_a_range_that_is_too_dense_is_not_whole():
    for length_us, longest_us in ((900_000, 30), (20_000, 0.9)):
        with scratch() as folder:
            path = f"{folder}/dense.json"
            with open(path, "w", encoding="utf-8") as file:
                json.dump({"traceEvents": made_trace(length_us, longest_us)}, file)
            assert len(Page(report_of(path)).scripts["extract"]) > 200_000
            text = report_of(path, "--max-size", "0.1")
        assert len(Page(text).scripts["extract"]) <= 100_000, len(Page(text).scripts["extract"])
        assert "are drawn together" in text and "outside of" not in text, re.findall("<p class=.low.>[^<]*together[^<]*", text)
        # The limit is the smallest that suffices, so the long slices are still there.
        _, some, _ = extract_of(text)
        kept = [one for one in some if one[0] != "short slices"]
        assert len([one for one in kept if one[3] >= 10_000 * longest_us]) == 100, len(kept)


def test_another_run_is_compared():
    with scratch() as folder:
        one, other = (made_from_sample(folder, f"{name}.json", device=name, factor=factor) for name, factor in (("A100", 1), ("V100", 2)))
        check_comparison(report_of(one, "--compare", other))
    if has_real_traces():
        check_comparison(report_of(real_trace("torch/a100_train_before.json.gz"), "--compare", real_trace("torch/v100_train_after.json.gz")))
    assert "comparison" not in [value for _, key, value in Page(report_of(SYNTHETIC)).attributes if key == "id"]


def check_comparison(text):
    page = Page(text)
    shown = "".join(page.text)
    at = shown.index("Compared with")
    assert "A100" in shown[at:at + 600] and "V100" in shown[at:at + 600], shown[at:at + 600]
    assert ("id", "comparison") in [(key, value) for _, key, value in page.attributes]
    svg = text[text.index('id="comparison-flames"'):]
    svg = svg[:svg.index("</svg>")]
    assert svg.count("<g><title>") > 30 and "Verdict on" in svg and "2 and more" in svg


def test_curves_of_memory():
    path = SAMPLES / "torch_cpu" / "transformer_train_shapes_memory_flops.json.gz"
    with gzip.open(path) as file:
        events = [e for e in json.load(file)["traceEvents"] if e["name"] == "[memory]" and e["args"]["Device Type"] == 0]
    most = max(event["args"]["Total Allocated"] for event in events)
    text = report_of(path)
    number, unit = re.search("<title>CPU: at most ([0-9.]+) (KiB|MiB|GiB) allocated", text).groups()
    assert abs(float(number) * 1024 ** (1 + "KMG".index(unit[0])) / most - 1) < 0.001, (number, unit, most)
    assert "reserved (orange" not in text, "the file says 0 for the CPU"
    assert "reserved (orange" in report_of(SAMPLES / "synthetic_step.json.gz")
    with scratch() as folder:
        assert "allocated (blue)" not in report_of(nasty_trace(folder)), "it has no events of memory"


def test_traces_without_gpu_empty_or_broken():
    with scratch() as folder:
        with open(f"{folder}/empty.json", "w", encoding="utf-8") as file:
            file.write('{"traceEvents":[]}')
        assert "contains no events" in error_of("report", f"{folder}/empty.json", "-o", f"{folder}/no.html", status=1)
        for name, content in (("cpu", '{"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":2}]}'),
                              ("cut", '{"traceEvents":[{"ph":"X","name":"f","pid":1,"tid":1,"ts":1,"dur":2},{"ph":"X","na')):
            with open(f"{folder}/{name}.json", "w", encoding="utf-8") as file:
                file.write(content)
            text = report_of(f"{folder}/{name}.json")
            head, slices, _ = extract_of(text)
            assert len(slices) == 1, (name, slices)
            assert head["span"] >= 0
        with open(f"{folder}/mine.html", "w", encoding="utf-8") as file:
            file.write("<p>not Lanescope's</p>")
        assert "mine.html" in error_of("report", f"{folder}/cpu.json", "-o", f"{folder}/mine.html", status=1)
        lanescope("convert", f"{folder}/cpu.json", "-o", f"{folder}/other.json")
        assert "other.json" in error_of("report", f"{folder}/cpu.json", "--compare", f"{folder}/other.json", "-o", f"{folder}/other.json", "--force", status=1)
        lanescope("report", f"{folder}/cpu.json", "-o", f"{folder}/own.html")
        lanescope("report", f"{folder}/cpu.json", "-o", f"{folder}/own.html")  # its own page may be replaced
    assert "-o" in error_of("report", SAMPLES / "synthetic_step.json.gz", status=2)


run_all(globals())
