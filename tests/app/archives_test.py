#!/usr/bin/env python3
"""Tests folders and archives on the command line: a single trace in them is opened; several are listed or opened together."""
import contextlib
import gzip
import io
import json
import os
import pathlib
import shutil
import sqlite3
import struct
import tarfile
import zipfile

from program import SAMPLES, error_of, json_of, lanescope, run_all, scratch, text_of, traces_here

SAMPLE = SAMPLES / "synthetic_step.json.gz"


def trace(name, count=3):
    """A small Chrome trace as bytes."""
    events = [{"ph": "X", "name": f"{name}{i}", "pid": 1, "tid": 1, "ts": 10 * i, "dur": 5} for i in range(count)]
    return json.dumps({"traceEvents": events}).encode()


def zip_of(path, files, method=zipfile.ZIP_DEFLATED):
    with zipfile.ZipFile(path, "w", method) as archive:
        for name, data in files.items():
            archive.writestr(name, data)
    return path


def tar_of(path, files, mode="w", form=tarfile.PAX_FORMAT):
    with tarfile.open(path, mode, format=form) as archive:
        for name, data in files.items():
            info = tarfile.TarInfo(name)
            info.size = len(data)
            archive.addfile(info, io.BytesIO(data))
    return path


def events_in(path):
    return json_of("info", path)["events"]


def name_of(path, **options):
    """The name of the trace."""
    return text_of("info", path, **options).splitlines()[0]


@contextlib.contextmanager
def temporaries():
    """Yields an environment with an empty folder for temporary files. Checks that the folder is empty again at the end."""
    with scratch() as folder:
        yield {"TMPDIR": folder}
        assert os.listdir(folder) == [], os.listdir(folder)


def listed(message):
    """The paths in the message that lists the traces."""
    return [line.split("  ")[1] for line in message.splitlines()[1:] if line.startswith("  ")]


def test_one_trace_in_an_archive_is_opened():
    sample = SAMPLE.read_bytes()
    other = {"notes.txt": b"nothing\n", "config.json": b'{"model": "x"}', "empty": b""}
    whole = json_of("info", SAMPLE)
    with scratch() as folder, temporaries() as environment:
        archives = [
            zip_of(f"{folder}/a.zip", {**other, "run/trace.json.gz": sample}),
            zip_of(f"{folder}/stored.zip", {"run/trace.json.gz": sample}, zipfile.ZIP_STORED),
            zip_of(f"{folder}/plain.zip", {"run/trace.json": gzip.decompress(sample)}),
            tar_of(f"{folder}/a.tar", {**other, "run/trace.json.gz": sample}),
            tar_of(f"{folder}/a.tar.gz", {"./run/trace.json": gzip.decompress(sample)}, "w:gz"),
            tar_of(f"{folder}/gnu.tgz", {"x" * 150 + "/trace.json.gz": sample}, "w:gz", tarfile.GNU_FORMAT),
            tar_of(f"{folder}/pax.tar", {"ü" * 150 + "/trace.json.gz": sample}),
            tar_of(f"{folder}/ustar.tar", {"y" * 90 + "/" + "x" * 90: sample}, form=tarfile.USTAR_FORMAT),
        ]
        before = sorted(os.listdir(folder))
        for path in archives:
            assert json_of("info", path, env=environment)["events"] == whole["events"] > 0, path
            name = name_of(path, env=environment)
            assert name.startswith(path + "/"), name
            assert text_of("table", "kernels", path, "--format", "csv", env=environment) == \
                text_of("table", "kernels", SAMPLE, "--format", "csv")
            # The trace's name opens the trace, too, and its arguments are read from it.
            assert events_in(name) == whole["events"]
            assert text_of("find", name, "args:stream=7", "--format", "csv") == \
                text_of("find", SAMPLE, "args:stream=7", "--format", "csv")
        assert sorted(os.listdir(folder)) == before  # nothing is written beside the archives


def test_a_folder_with_one_trace_is_opened():
    with scratch() as folder:
        run = pathlib.Path(folder) / "plugins" / "profile" / "run"
        run.mkdir(parents=True)
        (run / "trace.json").write_bytes(trace("a"))
        (run / "readme.md").write_text("text")
        (run / ".hidden.json").write_bytes(trace("hidden"))
        (pathlib.Path(folder) / ".git").mkdir()
        (pathlib.Path(folder) / ".git" / "x.json").write_bytes(trace("hidden"))
        assert events_in(folder) == 3
        for path in traces_here("xplane/mi300_jax_conv.xplane.pb"):
            (run / "trace.json").unlink()
            shutil.copy(path, run / "host.xplane.pb")
            assert events_in(folder) == events_in(path)


def test_several_traces_are_listed_with_kind_and_size():
    files = {"b/rank1.json": trace("b"), "a/rank0.json": trace("a"), "log.txt": b"text", "meta.json": b"{}"}
    with scratch() as folder:
        path = zip_of(f"{folder}/runs.zip", files)
        message = error_of("summary", path, status=2)
        assert "holds 2 traces; name one of them, as" in message, message
        assert listed(message) == [f"{path}/a/rank0.json", f"{path}/b/rank1.json"], message
        assert message.count("Chrome and Kineto JSON") == 2 and f"{len(files['a/rank0.json'])} B" in message, message
        unpacked = pathlib.Path(folder) / "unpacked"
        zipfile.ZipFile(path).extractall(unpacked)
        message = error_of("summary", unpacked, status=2)
        assert listed(message) == [f"{unpacked}/a/rank0.json", f"{unpacked}/b/rank1.json"], message
        for one in listed(message):
            assert events_in(one) == 3


def test_commands_for_several_traces_open_all():
    files = {f"rank{i}.json": trace(f"r{i}", 2 + i) for i in range(3)}
    with scratch() as folder:
        archive = tar_of(f"{folder}/runs.tar.gz", files, "w:gz")
        plain = pathlib.Path(folder) / "runs"
        plain.mkdir()
        for name, data in files.items():
            (plain / name).write_bytes(data)
        names = [plain / name for name in files]
        for path in (archive, plain):
            facts = json_of("info", path)
            assert facts["events"] == json_of("info", *names)["events"] == 9
            assert text_of("table", "traces", path, "--format", "csv") == text_of("table", "traces", *names, "--format", "csv")
            query = "select count(*) as n from slice"
            assert text_of("sql", path, query) == text_of("sql", *names, query)
            assert lanescope("compare", path).returncode == lanescope("compare", *names).returncode
            picture = f"{folder}/all.svg"
            text_of("screenshot", path, "-o", picture, "--force")
            assert "r2" in pathlib.Path(picture).read_text()


def test_databases_in_archives_are_recognised():
    for path in traces_here("nsys/rtx3080_two_kernels_full.sqlite"):
        with scratch() as folder, temporaries() as environment:
            data = pathlib.Path(path).read_bytes()
            other = f"{folder}/other.sqlite"
            sqlite3.connect(other).execute("create table t(x)").connection.close()
            files = {"run.sqlite": data, "other.sqlite": pathlib.Path(other).read_bytes()}
            assert len(data) > 1 << 18  # longer than the part by which other files are recognised
            for archive in (zip_of(f"{folder}/a.zip", files), tar_of(f"{folder}/a.tgz", files, "w:gz")):
                assert json_of("info", archive, env=environment)["events"] == events_in(path)


def test_standard_input_may_be_an_archive():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"x.json": trace("a")})
        assert json.loads(text_of("info", "-", "--format", "json", stdin=pathlib.Path(path).read_bytes()))["events"] == 3


def test_what_holds_no_trace_says_so():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"a.txt": b"text", "b.zip": pathlib.Path(
            zip_of(f"{folder}/inner.zip", {"x.json": trace("a")})).read_bytes()})
        message = error_of("info", path, status=1)
        assert "none of its 2 files is a trace" in message and "archives within it (1) are not looked into" in message, message
        assert "holds no files" in error_of("info", zip_of(f"{folder}/none.zip", {}), status=1)
        os.mkdir(f"{folder}/empty")
        assert "holds no files" in error_of("info", f"{folder}/empty", status=1)
        message = error_of("info", f"{path}/missing.json", status=1)
        assert "holds no file missing.json" in message, message
        plain = pathlib.Path(folder) / "plain.json"
        plain.write_bytes(trace("a"))
        assert "is neither a folder nor an archive" in error_of("info", f"{plain}/x.json", status=1)


def test_links_and_names_that_lead_outside_are_refused():
    with scratch() as folder, temporaries() as environment:
        secret = pathlib.Path(folder) / "secret.json"
        secret.write_bytes(trace("secret"))
        inner = pathlib.Path(folder) / "inner"
        inner.mkdir()
        path = f"{inner}/a.tar"
        with tarfile.open(path, "w") as archive:
            for name, kind, target in (("link.json", tarfile.SYMTYPE, "../secret.json"), ("hard.json", tarfile.LNKTYPE, str(secret)),
                                       ("pipe", tarfile.FIFOTYPE, ""), ("device", tarfile.CHRTYPE, "")):
                info = tarfile.TarInfo(name)
                info.type, info.linkname = kind, target
                archive.addfile(info)
            for name in ("../up.json", "/abs.json", "a/../../b.json", "new\nline.json"):
                info = tarfile.TarInfo(name)
                info.size = len(trace("x"))
                archive.addfile(info, io.BytesIO(trace("x")))
            info = tarfile.TarInfo("good.json")
            info.size = len(trace("good"))
            archive.addfile(info, io.BytesIO(trace("good")))
        assert name_of(path, env=environment) == f"{path}/good.json"
        for name, why in (("link.json", "is a link, which is not followed"), ("hard.json", "is a link"), ("pipe", "is not a regular file"),
                          ("../up.json", "has a name that leads out"), ("a/../../b.json", "has a name that leads out")):
            assert why in error_of("info", f"{path}/{name}", status=1, env=environment), name
        zipped = f"{inner}/a.zip"
        with zipfile.ZipFile(zipped, "w") as archive:
            info = zipfile.ZipInfo("link.json")
            info.create_system, info.external_attr = 3, 0o120777 << 16
            archive.writestr(info, "../secret.json")
            archive.writestr("../up.json", trace("up"))
        message = error_of("info", zipped, status=1, env=environment)
        assert "link.json is a link, which is not followed (and 1 more like it)" in message, message
        # Links to files are followed; links to folders are not.
        os.symlink(secret, inner / "linked.json")
        os.symlink(folder, inner / "loop")
        os.unlink(path)
        os.unlink(zipped)
        assert name_of(inner) == f"{inner}/linked.json"
        assert sorted(os.listdir(folder)) == ["inner", "secret.json"]


def test_encrypted_and_unknown_methods_are_named():
    with scratch() as folder:
        path = zip_of(f"{folder}/a.zip", {"x.json": trace("a")}, zipfile.ZIP_BZIP2)
        message = error_of("info", path, status=1)
        assert "x.json is packed by the zip method 12" in message, message
        data = bytearray(pathlib.Path(zip_of(f"{folder}/b.zip", {"x.json": trace("a")})).read_bytes())
        entry = data.index(b"PK\x01\x02")
        data[entry + 8] |= 1
        pathlib.Path(path).write_bytes(data)
        assert "x.json is encrypted" in error_of("info", path, status=1)


def test_cut_archives_say_so():
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/cut"
        files = {"a.json": trace("a", 2000), "b.json": trace("b", 2000)}
        zipped = pathlib.Path(zip_of(f"{folder}/a.zip", files)).read_bytes()
        for size in (4, 40, len(zipped) // 2, len(zipped) - 1):
            pathlib.Path(path).write_bytes(zipped[:size])
            message = error_of("info", path, status=1, env=environment)
            assert "cut short" in message, (size, message)
        plain = pathlib.Path(tar_of(f"{folder}/a.tar", files)).read_bytes()
        second = plain.index(b"b.json") + 1000
        for data in (plain[:second], gzip.compress(plain[:second])):
            pathlib.Path(path).write_bytes(data)
            facts = json_of("info", path, env=environment)
            assert facts["events"] == 2000, facts
            notes = [warning["text"] for warning in facts["warnings"]]
            assert any("the tar archive is cut short after 2 files" in note for note in notes), notes
            assert any("b.json is damaged" in note for note in notes), notes
            message = error_of("info", f"{path}/b.json", status=1, env=environment)
            assert "the tar archive is cut short within this file" in message, message
            assert events_in(f"{path}/a.json") == 2000
        # Cut within the gzip stream.
        pathlib.Path(path).write_bytes(gzip.compress(plain)[:-200])
        assert lanescope("info", path, env=environment).returncode in (0, 1, 2)


def test_false_sizes_and_checksums_are_found():
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/bad.zip"
        data = pathlib.Path(zip_of(f"{folder}/a.zip", {"x.json": trace("a", 20000)})).read_bytes()
        entry = data.index(b"PK\x01\x02")
        for at, value, why in ((entry + 24, 1000, "is longer than the archive says"), (entry + 24, 1 << 31, ""),
                               (entry + 16, 7, "has a wrong checksum"), (entry + 42, 5, "is not where the list of the archive says"),
                               (entry + 42, 1 << 30, "points behind its own end")):
            bad = bytearray(data)
            struct.pack_into("<I", bad, at, value)
            pathlib.Path(path).write_bytes(bad)
            message = error_of("info", f"{path}/x.json", status=1, env=environment)
            assert why in message, (at, message)
        bad = bytearray(data)
        bad[60:80] = b"\xff" * 20
        pathlib.Path(path).write_bytes(bad)
        assert "damaged" in error_of("info", f"{path}/x.json", status=1, env=environment)
        # Larger than any disk.
        bad = bytearray(pathlib.Path(tar_of(f"{folder}/a.tar", {"x.json": trace("a")})).read_bytes())
        bad[124:136] = b"\x80" + (1 << 50).to_bytes(11, "big")
        bad[148:156] = b" " * 8
        bad[148:156] = b"%06o\0 " % sum(bad[:512])
        pathlib.Path(path).write_bytes(bad)
        message = error_of("info", f"{path}/x.json", status=1, env=environment)
        assert "more than the limit of" in message, message


def test_a_list_does_not_unpack_what_it_lists():
    """Only the start of an entry of 8 GB is unpacked for a list."""
    with scratch() as folder, temporaries() as environment:
        path = f"{folder}/bomb.zip"
        with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive, archive.open("bomb.json", "w") as bomb:
            for _ in range(64):
                bomb.write(b" " * (1 << 20))
        data = bytearray(pathlib.Path(path).read_bytes())
        entry = data.index(b"PK\x01\x02")
        struct.pack_into("<I", data, entry + 24, 0xFFFFFFF0)
        pathlib.Path(path).write_bytes(data)
        assert "none of its 1 files is a trace" in error_of("info", path, status=1, env=environment)


if __name__ == "__main__":
    run_all(globals())
