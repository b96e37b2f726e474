#!/usr/bin/env python3
"""Databases of rocprofv3 (rocpd), made here from the schemas 3.0 and 4.1."""
import json
import sqlite3

from program import json_of, lanescope, run_all, scratch, text_of

ID = "_01980000_aaaa_7bbb_8ccc_000000000001"
EVENT = "id INTEGER PRIMARY KEY, guid TEXT DEFAULT 'g', "
SECRET = "hunter2"


def tables_of(new, suffix):
    """The schema as a list of (table, columns). `new`: 4.1."""
    where = "track_id INTEGER, start_id INTEGER, end_id INTEGER, " if new else "nid INTEGER, pid INTEGER, tid INTEGER, start BIGINT, end BIGINT, "
    on = "" if new else "agent_id INTEGER, queue_id INTEGER, stream_id INTEGER, "
    tables = {
        "metadata": "id INTEGER PRIMARY KEY, tag TEXT, value TEXT",
        "string": EVENT + "string TEXT",
        "info_node": EVENT + "hostname TEXT",
        "info_process": EVENT + "pid INTEGER, command TEXT, environment JSONB DEFAULT '{}'",
        "info_thread": EVENT + "pid INTEGER, tid INTEGER, name TEXT",
        "info_agent": EVENT + "type TEXT, absolute_index INTEGER, type_index INTEGER, name TEXT, product_name TEXT, extdata JSONB",
        "info_queue": EVENT + "name TEXT",
        "info_pmc": EVENT + "agent_id INTEGER, name TEXT, symbol TEXT",
        "info_kernel_symbol": EVENT + "kernel_name TEXT, display_name TEXT, group_segment_size INTEGER, sgpr_count INTEGER, arch_vgpr_count INTEGER, "
                                      "accum_vgpr_count INTEGER",
        "track": EVENT + "nid INTEGER, pid INTEGER, tid INTEGER, name_id INTEGER" + (", agent_id INTEGER, queue_id INTEGER, stream_id INTEGER" if new else ""),
        "event": EVENT + "category_id INTEGER, stack_id INTEGER, parent_stack_id INTEGER, correlation_id INTEGER, extdata JSONB DEFAULT '{}'",
        "arg": EVENT + "event_id INTEGER, position INTEGER, type TEXT, name TEXT, value TEXT",
        "pmc_event": EVENT + "event_id INTEGER, pmc_id INTEGER, value REAL",
        "region": EVENT + where + "name_id INTEGER, event_id INTEGER",
        "sample": EVENT + "track_id INTEGER, event_id INTEGER, " + ("name_id INTEGER, timestamp_id INTEGER" if new else "timestamp BIGINT"),
        "kernel_dispatch": EVENT + where + on + "kernel_id INTEGER, dispatch_id INTEGER, group_segment_size INTEGER, workgroup_size_x INTEGER, "
                           "workgroup_size_y INTEGER, workgroup_size_z INTEGER, grid_size_x INTEGER, grid_size_y INTEGER, grid_size_z INTEGER, event_id INTEGER",
        "memory_copy": EVENT + where + "name_id INTEGER, dst_agent_id INTEGER, src_agent_id INTEGER, size INTEGER, event_id INTEGER",
        "memory_allocate": EVENT + where + on + "type TEXT, level TEXT, address INTEGER, size INTEGER, event_id INTEGER",
    }
    if new:
        tables["timestamp"] = EVENT + "value BIGINT, phase INTEGER, track_id INTEGER"
        tables["info_category"] = EVENT + "name TEXT"
    return {f"rocpd_{name}{suffix}": columns for name, columns in tables.items()}


class Database:
    def __init__(self, path, new, suffix=ID):
        self.database, self.new, self.suffix = sqlite3.connect(path), new, suffix
        for table, columns in tables_of(new, suffix).items():
            self.database.execute(f'CREATE TABLE IF NOT EXISTS "{table}" ({columns})')
        self.strings, self.tracks, self.times, self.categories = {}, 0, 0, {}

    def add(self, table, **values):
        names = ", ".join(f'"{name}"' for name in values)
        row = self.database.execute(f'INSERT INTO "rocpd_{table}{self.suffix}" ({names}) VALUES ({", ".join("?" * len(values))})', list(values.values()))
        return row.lastrowid

    def string(self, text):
        if text not in self.strings:
            self.strings[text] = self.add("string", string=text)
        return self.strings[text]

    def event(self, category, stack, **extdata):
        if not self.new:
            number = self.string(category)
        elif category in self.categories:
            number = self.categories[category]
        else:
            number = self.categories[category] = self.add("info_category", name=category)
        return self.add("event", category_id=number, stack_id=stack, parent_stack_id=stack, correlation_id=0, extdata=json.dumps(extdata))

    def place(self, start, end, process, thread, **on):
        """The columns that say where and when an event took place."""
        if not self.new:
            return {"nid": 1, "pid": process, "tid": thread, "start": start, "end": end, **on}
        track = self.add("track", nid=1, pid=process, tid=thread, **on)
        return {"track_id": track, "start_id": self.add("timestamp", value=start, phase=1), "end_id": self.add("timestamp", value=end, phase=2)}

    def fill(self, first=1, pid=70, agent=3):
        """One recording; ids of processes and threads begin with `first`."""
        self.add("metadata", tag="schema_version", value="4.1.0" if self.new else "3.0.2")
        self.add("info_node", hostname="box")
        self.add("info_process", id=first, pid=pid, command="/usr/bin/python3 train.py --x", environment=json.dumps({"TOKEN": SECRET}))
        self.add("info_thread", id=first, pid=first, tid=pid + 1, name="worker")
        self.add("info_agent", id=1, type="CPU", type_index=0, name="a CPU", extdata="{}")
        self.add("info_agent", id=agent, type="GPU", type_index=1, name="gfx942", product_name="AMD Instinct MI300X",
                 extdata=json.dumps({"cu_count": 304, "wave_front_size": 64, "gfx_target_version": 90402}))
        self.add("info_queue", id=2, name="Queue 0")
        self.add("info_kernel_symbol", id=5, kernel_name="_Z4gemmPf.kd", display_name="gemm(float*)", group_segment_size=128, sgpr_count=16,
                 arch_vgpr_count=32, accum_vgpr_count=4)
        pmc = self.add("info_pmc", agent_id=agent, name="SQ_WAVES", symbol="SQ_WAVES:xcc=0")
        on = {"agent_id": agent, "queue_id": 2, "stream_id": 9}
        if self.new:
            self.add("timestamp", value=12345)
        for start, end, stack in ((2400, 2900, 4), (2000, 2500, 3)):
            event = self.event("KERNEL_DISPATCH", stack)
            self.add("kernel_dispatch", **self.place(start, end, first, first, **on), kernel_id=5, dispatch_id=stack - 2, group_segment_size=256,
                     workgroup_size_x=64, workgroup_size_y=2, workgroup_size_z=1, grid_size_x=100, grid_size_y=4, grid_size_z=1, event_id=event)
            for value in (1.5, 2.0):
                self.add("pmc_event", event_id=event, pmc_id=pmc, value=value)
        for start, end, stack, name in ((1000, 1100, 3, "hipLaunchKernel"), (1200, 1300, 4, "hipLaunchKernel"), (1400, 1500, 5, "hipMemcpyAsync")):
            event = self.event("HIP_RUNTIME_API_EXT", stack)
            self.add("region", **self.place(start, end, first, first), name_id=self.string(name), event_id=event)
            self.add("arg", event_id=event, position=0, type="void*", name="stream", value=f"0x{stack}")
        name, message = ("forward", "roctxThreadRangeA") if self.new else ("roctxThreadRangeA", "forward")
        event = self.event("MARKER_CORE_RANGE_API", 21, message=message)
        self.add("region", **self.place(900, 1600, first, first), name_id=self.string(name), event_id=event)
        self.add("memory_copy", **self.place(3000, 3100, first, first), name_id=self.string("MEMORY_COPY_HOST_TO_DEVICE"), src_agent_id=1,
                 dst_agent_id=agent, size=4096, event_id=self.event("MEMORY_COPY", 5))
        for kind, start, size in (("FREE", 3500, 0), ("ALLOC", 800, 1024)):
            self.add("memory_allocate", **self.place(start, start + 10, first, first, **on), type=kind, level="REAL", address=640, size=size,
                     event_id=self.event("MEMORY_ALLOCATION", 7))
        # A call without length, and a value of a device.
        track = self.add("track", nid=1, pid=first, tid=first, name_id=self.string("hipGetLastError"))
        values = self.add("track", nid=1, pid=first, name_id=self.string("power"))
        power = self.add("info_pmc", agent_id=agent, name="device_power", symbol="device_power")
        for number, category, time in ((track, "HIP_RUNTIME_API_EXT", 1700), (values, "device", 1800)):
            event = self.event(category, None)
            at = {"timestamp_id": self.add("timestamp", value=time), "name_id": self.string("hipGetLastError")} if self.new else {"timestamp": time}
            self.add("sample", track_id=number, event_id=event, **at)
            if number == values:
                self.add("pmc_event", event_id=event, pmc_id=power, value=250.0)
        self.database.commit()
        return self

    def close(self):
        self.database.close()


def values_of(path, counter):
    return [row["value"] for row in json_of("sql", path, f"SELECT value FROM counter JOIN counter_track ON counter_track.id = track_id WHERE name LIKE '%{counter}%' ORDER BY ts")]


def check_one_recording(path):
    facts = json_of("info", path)
    assert facts["complete_by_category"] == {"kernel": 2, "hip_runtime": 4, "user_annotation": 1, "gpu_memcpy": 1}, facts["complete_by_category"]
    assert facts["gpu_activities_with_launch"] == 3 and facts["partial_overlaps"] == 0, facts
    assert [warning["code"] for warning in facts["warnings"]] == ["untried_writer"], facts["warnings"]
    device, = facts["devices"]
    assert (device["id"], device["name"], device["numSms"]) == (1, "AMD Instinct MI300X", 304), device
    first, second = json_of("sql", path, "SELECT * FROM kernel ORDER BY ts")
    assert (first["name"], first["dur"], first["grid_x"], first["grid_y"], first["block_y"], first["device"]) == ("gemm(float*)", 500, 2, 2, 2, 1), first
    assert (first["registers_per_thread"], first["shared_memory_bytes"], second["ts"] - first["ts"]) == (36, 256, 400), first
    arguments = {row["key"]: row["display_value"] for row in json_of("sql", path, f"SELECT key, display_value FROM args JOIN slice USING (arg_set_id) WHERE slice.id = {first['id']}")}
    assert arguments["args.arch_vgpr_count"] == "32" and arguments["args.stack_id"] == "3" and arguments["args.stream_id"] == "9", arguments
    assert arguments["args.category_id"] == "KERNEL_DISPATCH" and "args.SQ_WAVES:xcc=0" in arguments, arguments
    assert len(json_of("find", path, "args:0x5")) == 1
    names = {row["name"] for row in json_of("sql", path, "SELECT name FROM slice")}
    assert {"forward", "hipGetLastError", "Memcpy HtoD (Host -> Device)"} <= names, names
    assert max(values_of(path, "SQ_WAVES")) == 3.5 and values_of(path, "device_power") == [250.0]
    threads = {row["name"] for row in json_of("sql", path, "SELECT name FROM thread")}
    assert any("worker" in (name or "") for name in threads), threads
    assert {"Queue 0", "Queue 0 · 2"} <= threads, threads
    text_of("convert", path, "-o", f"{path}.json")
    with open(f"{path}.json", encoding="utf-8") as file:
        assert SECRET not in file.read()
    assert SECRET not in text_of("info", path)
    assert SECRET not in lanescope("find", path, "args:TOKEN").stdout.decode()


def test_one_recording_of_each_schema():
    for new in (False, True):
        with scratch() as folder:
            Database(f"{folder}/run.db", new).fill().close()
            check_one_recording(f"{folder}/run.db")


def test_tables_with_plain_names():
    with scratch() as folder:
        Database(f"{folder}/run.db", False, "").fill().close()
        check_one_recording(f"{folder}/run.db")


def test_recordings_in_one_database_do_not_share_ids():
    with scratch() as folder:
        path = f"{folder}/run.db"
        Database(path, False).fill().close()
        Database(path, False, ID.replace("1", "2")).fill(pid=80, agent=4).close()
        facts = json_of("info", path)
        assert facts["complete_by_category"]["kernel"] == 4 and facts["gpu_activities_with_launch"] == 6, facts
        assert len(json_of("sql", path, "SELECT DISTINCT pid FROM process WHERE pid IN (70, 80)")) == 2


def test_missing_tables_and_columns():
    with scratch() as folder:
        path = f"{folder}/run.db"
        database = Database(path, False).fill()
        for table in ("event", "string", "info_agent", "info_thread", "info_process", "info_kernel_symbol", "info_queue", "pmc_event", "track", "arg"):
            database.database.execute(f'DROP TABLE "rocpd_{table}{ID}"')
        database.database.execute(f'ALTER TABLE "rocpd_kernel_dispatch{ID}" DROP COLUMN grid_size_x')
        database.database.commit()
        database.close()
        facts = json_of("info", path)
        assert facts["complete_by_category"]["kernel"] == 2, facts
        assert facts["gpu_activities_with_launch"] == 0, facts
        text_of("summary", path)


def test_wrong_types_and_cut_files():
    with scratch() as folder:
        path = f"{folder}/run.db"
        database = Database(path, True).fill()
        database.database.execute(f"""UPDATE "rocpd_timestamp{ID}" SET value = 'soon' WHERE id = 2""")
        database.database.execute(f"""UPDATE "rocpd_event{ID}" SET extdata = x'00ff', stack_id = 1e30 WHERE id = 1""")
        database.database.execute(f"""UPDATE "rocpd_kernel_dispatch{ID}" SET grid_size_x = -5, workgroup_size_x = 9223372036854775807 WHERE id = 2""")
        database.database.commit()
        database.close()
        facts = json_of("info", path)
        codes = {warning["code"] for warning in facts["warnings"]}
        assert {"unreadable_time", "packed_texts", "untried_writer"} <= codes, codes
        assert facts["complete_by_category"]["kernel"] == 1, facts
        with open(path, "rb") as file:
            whole = file.read()
        for kept in range(4096, len(whole), 4096):
            with open(path, "wb") as file:
                file.write(whole[:kept])
            assert lanescope("info", path).returncode in (0, 1), kept


if __name__ == "__main__":
    run_all(globals())
