#!/usr/bin/env python3
"""rocprofv3's JSON and CSV files: what the command line says of them equals what json and csv say of the same file."""
import csv
import gzip
import json

from program import error_of, json_of, run_all, scratch, text_of, traces_here


def rows_of(path):
    with open(path, newline="", encoding="utf-8") as file:
        return list(csv.DictReader(file))


def kernels_of_json(path):
    with (gzip.open if str(path).endswith(".gz") else open)(path) as file:
        process, = json.load(file)["rocprofiler-sdk-tool"]
    names = {symbol["kernel_id"]: symbol["formatted_kernel_name"] for symbol in process["kernel_symbols"]}
    return [(names[record["dispatch_info"]["kernel_id"]], record["start_timestamp"], record["end_timestamp"], record["dispatch_info"])
            for record in process["buffer_records"]["kernel_dispatch"]]


def blocks(items, group):
    return -(-items // group)


def test_kernels_are_those_of_the_json_file():
    for path in traces_here("rocm/rocprofv3_results.json.gz"):
        kernels, facts = kernels_of_json(path), json_of("info", path)
        assert len(kernels) == 43915, len(kernels)
        assert facts["complete_by_category"] == {"kernel": len(kernels)}, facts["complete_by_category"]
        assert facts["duration_ns_by_category"] == {"kernel": sum(end - start for _, start, end, _ in kernels)} == {"kernel": 4441741378}
        assert facts["partial_overlaps"] == 0 and not facts["warnings"], facts["warnings"]
        device, = facts["devices"]
        assert (device["id"], device["name"], device["numSms"], device["warpSize"]) == (0, "AMD Instinct MI350X", 256, 64), device
        query = """SELECT name, count(*) AS n, sum(dur) AS dur, min(ts) AS ts, sum(grid_x) AS grid, sum(block_x) AS block FROM kernel
            GROUP BY name ORDER BY name"""
        sums = {}
        for name, start, end, info in kernels:
            row = sums.setdefault(name, [0, 0, start, 0, 0])
            row[0] += 1
            row[1] += end - start
            row[2] = min(row[2], start)
            row[3] += blocks(info["grid_size"]["x"], info["workgroup_size"]["x"])
            row[4] += info["workgroup_size"]["x"]
        first = min(start for _, start, _, _ in kernels)
        found = {row["name"]: [row["n"], row["dur"], row["ts"] + (first - min(r["ts"] for r in json_rows)), row["grid"], row["block"]]
                 for json_rows in [json_of("sql", path, query)] for row in json_rows}
        assert found == sums, next((name, found.get(name), sums[name]) for name in sums if found.get(name) != sums[name])
        for command in (["summary"], ["findings"], ["table", "kernels"], ["table", "hotspots"]):
            text_of(*command, path)


def test_rows_are_those_of_the_csv_files():
    for path in traces_here("rocm/csv/decode_kernel_trace.csv"):
        kernels, calls = rows_of(path), rows_of(str(path).replace("kernel", "hip_api"))
        assert (len(kernels), len(calls)) == (144, 920)
        facts = json_of("info", path)
        assert facts["complete_by_category"] == {"kernel": 144, "hip_runtime": 920}, facts["complete_by_category"]
        spans = {name: sum(int(row["End_Timestamp"]) - int(row["Start_Timestamp"]) for row in rows)
                 for name, rows in (("kernel", kernels), ("hip_runtime", calls))}
        assert facts["duration_ns_by_category"] == spans, facts["duration_ns_by_category"]
        known = {row["Correlation_Id"] for row in calls}
        assert facts["gpu_activities_with_launch"] == sum(row["Correlation_Id"] in known for row in kernels)
        found = json_of("sql", path, "SELECT name, grid_x, grid_y, block_x, dur FROM kernel ORDER BY ts")
        kernels.sort(key=lambda row: int(row["Start_Timestamp"]))
        for have, row in zip(found, kernels):
            wanted = (row["Kernel_Name"], blocks(int(row["Grid_Size_X"]), int(row["Workgroup_Size_X"])),
                      blocks(int(row["Grid_Size_Y"]), int(row["Workgroup_Size_Y"])), int(row["Workgroup_Size_X"]),
                      int(row["End_Timestamp"]) - int(row["Start_Timestamp"]))
            assert tuple(have.values()) == wanted, (have, wanted)
        # Either file of the run shows all of it.
        other = json_of("info", str(path).replace("kernel", "hip_api"))
        assert other["complete_by_category"] == facts["complete_by_category"]
    for path in traces_here("rocm/csv/decode_fetch_counter_collection.csv"):
        rows = rows_of(path)
        assert len(rows) == 34
        assert json_of("info", path)["complete_by_category"] == {"kernel": 34}
        values = json_of("sql", path, "SELECT args.display_value AS value FROM kernel JOIN slice USING (id) JOIN args USING (arg_set_id) WHERE key = 'args.Counter_Value'")
        assert sorted(float(row["value"]) for row in values) == sorted(float(row["Counter_Value"]) for row in rows), values


def handle(number):
    return {"handle": number}


def a_process():
    """A process with a record of each kind."""
    kinds = [("NONE", []), ("HIP_RUNTIME_API_EXT", ["hipMalloc", "hipLaunchKernel", "hipMemcpyAsync"]), ("MARKER_CORE_RANGE_API", ["roctxMarkA", "roctxThreadRangeA", "roctxProcessRangeA"]),
             ("MEMORY_COPY", ["MEMORY_COPY_NONE", "MEMORY_COPY_HOST_TO_HOST", "MEMORY_COPY_HOST_TO_DEVICE"]), ("KERNEL_DISPATCH", ["NONE"]), ("RCCL_API", ["ncclAllReduce"]),
             ("MEMORY_ALLOCATION", ["NONE", "MEMORY_ALLOCATION_ALLOCATE", "VMEM", "MEMORY_ALLOCATION_FREE"])]

    def record(kind, operation, start, end, correlation, **more):
        return {"size": 1, "kind": kind, "operation": operation, "thread_id": 71, "correlation_id": {"internal": correlation, "external": 0},
                "start_timestamp": start, "end_timestamp": end, **more}

    def kernel(start, end, correlation, dispatch):
        return record(4, 0, start, end, correlation, stream_id=handle(9), dispatch_info={
            "agent_id": handle(12), "queue_id": handle(3), "kernel_id": 5, "dispatch_id": dispatch, "group_segment_size": 256,
            "private_segment_size": 0, "workgroup_size": {"x": 64, "y": 2, "z": 1}, "grid_size": {"x": 100, "y": 4, "z": 1}})

    counted = {"thread_id": 71, "dispatch_data": {key: value for key, value in kernel(2000, 2500, 3, 1).items() if key != "kind"},
               "records": [{"counter_id": handle(77), "value": 1.5}, {"counter_id": handle(77), "value": 2.0}]}
    return {
        "metadata": {"pid": 70, "node": {"hostname": "box"}, "command": ["/usr/bin/python3", "train.py", "--x"],
                     "environment": {"TOKEN": "hunter2"}},
        "agents": [{"id": handle(11), "type": 1, "name": "a CPU", "logical_node_type_id": 0},
                   {"id": handle(12), "type": 2, "name": "gfx942", "product_name": "AMD Instinct MI300X", "logical_node_type_id": 1, "cu_count": 304,
                    "wave_front_size": 64, "max_waves_per_cu": 32, "lds_size_in_kb": 64, "gfx_target_version": 90402}],
        "counters": [{"id": handle(77), "name": "SQ_WAVES"}],
        "strings": {"callback_records": [], "buffer_records": [{"kind": kind, "operations": names} for kind, names in kinds],
                    "marker_api": [{"key": 21, "value": "forward \"1\""}, {"key": 22, "value": "a mark"}, {"key": 23, "value": "across threads"}]},
        "kernel_symbols": [{"kernel_id": 5, "kernel_name": "_Z4gemmPf.kd", "formatted_kernel_name": "gemm(float*)", "arch_vgpr_count": 32,
                            "accum_vgpr_count": 4, "sgpr_count": 16, "group_segment_size": 128}],
        "callback_records": {"counter_collection": [counted]},
        "buffer_records": {
            "kernel_dispatch": [kernel(2400, 2900, 4, 2), kernel(2000, 2500, 3, 1)],
            "hip_api": [record(1, 1, 1000, 1100, 3), record(1, 1, 1200, 1300, 4), record(1, 2, 1400, 1500, 5)],
            "marker_api": [record(2, 1, 900, 1600, 21), record(2, 0, 950, 950, 22), record(2, 2, 990, 3000, 23)],
            "rccl_api": [record(5, 0, 1550, 1560, 6)],
            "memory_copy": [record(3, 2, 3000, 3100, 5, src_agent_id=handle(11), dst_agent_id=handle(12), bytes=4096)],
            "memory_allocation": [record(6, 3, 3500, 3510, 8, agent_id=handle(0), address=handle(640), allocation_size=0),
                                  record(6, 1, 800, 810, 7, agent_id=handle(12), address=handle(640), allocation_size=1024)],
            "pc_sample_host_trap": [{"timestamp": 5}]}}


def written(folder, processes, name="out.json"):
    with open(f"{folder}/{name}", "w", encoding="utf-8") as file:
        json.dump({"rocprofiler-sdk-tool": processes}, file)
    return f"{folder}/{name}"


def check_a_process(path):
    facts = json_of("info", path)
    assert facts["complete_by_category"] == {"kernel": 2, "hip_runtime": 3, "user_annotation": 1, "rccl_api": 1, "gpu_memcpy": 1}, facts
    assert facts["gpu_activities_with_launch"] == 3 and facts["partial_overlaps"] == 0, facts
    device, = facts["devices"]
    assert (device["id"], device["name"], device["numSms"]) == (1, "AMD Instinct MI300X", 304), device
    first, second = json_of("sql", path, "SELECT * FROM kernel ORDER BY ts")
    assert (first["name"], first["device"], first["dur"], first["grid_x"], first["grid_y"], first["block_y"]) == ("gemm(float*)", 1, 500, 2, 2, 2), first
    assert (first["registers_per_thread"], first["shared_memory_bytes"]) == (36, 256), first
    assert second["ts"] - first["ts"] == 400, second
    # They overlap, so they have two lanes.
    lanes = json_of("sql", path, "SELECT DISTINCT thread.name AS name FROM kernel JOIN thread_track ON thread_track.id = track_id JOIN thread USING (utid)")
    assert len(lanes) == 2, lanes
    copy, = json_of("sql", path, "SELECT * FROM gpu_activity WHERE name LIKE 'Memcpy%'")
    assert (copy["name"], copy["bytes"], copy["device"]) == ("Memcpy HtoD (Host -> Device)", 4096, 1), copy
    names = {row["name"] for row in json_of("sql", path, "SELECT name FROM slice")}
    assert {"forward \"1\"", "a mark", "across threads", "ncclAllReduce", "hipLaunchKernel"} <= names, names
    counter, = json_of("sql", path, "SELECT max(value) AS value FROM counter JOIN counter_track ON counter_track.id = track_id WHERE name LIKE '%SQ_WAVES%'")
    assert counter["value"] == 3.5, counter
    arguments = {row["key"]: row["display_value"] for row in json_of("sql", path, f"SELECT key, display_value FROM args JOIN slice USING (arg_set_id) WHERE slice.id = {first['id']}")}
    assert arguments["args.SQ_WAVES"] == "3.5" and arguments["args.arch_vgpr_count"] == "32", arguments
    assert arguments["args.dispatch_info.queue_id"] == "3" and arguments["args.correlation_id.internal"] == "3", arguments
    assert len(json_of("find", path, "args:3.5")) == 1
    text_of("convert", path, "-o", f"{path}.kineto.json")
    with open(f"{path}.kineto.json", encoding="utf-8") as file:
        assert "hunter2" not in file.read()
    assert "hunter2" not in text_of("info", path)


def test_a_record_of_each_kind():
    with scratch() as folder:
        path = written(folder, [a_process()])
        check_a_process(path)
        codes = {warning["code"] for warning in json_of("info", path)["warnings"]}
        assert codes == {"unread_records"}, codes
        # Names that come behind the records.
        check_a_process(written(folder, [dict(sorted(a_process().items()))], "sorted.json"))


def test_two_processes_do_not_share_correlations():
    with scratch() as folder:
        other = a_process()
        other["metadata"]["pid"] = 80
        other["buffer_records"]["hip_api"] = []
        other["kernel_symbols"][0]["formatted_kernel_name"] = "other_kernel"
        path = written(folder, [a_process(), other])
        facts = json_of("info", path)
        assert facts["complete_by_category"]["kernel"] == 4 and facts["gpu_activities_with_launch"] == 3, facts
        rows = json_of("sql", path, "SELECT kernel.name AS name, display_value AS vgprs FROM kernel JOIN slice USING (id) JOIN args USING (arg_set_id) WHERE key = 'args.SQ_WAVES'")
        assert sorted((row["name"], row["vgprs"]) for row in rows) == [("gemm(float*)", "3.5"), ("other_kernel", "3.5")], rows


def test_counters_without_a_record_of_their_kernel():
    with scratch() as folder:
        process = a_process()
        process["buffer_records"] = {"kernel_dispatch": []}
        path = written(folder, [process])
        assert json_of("info", path)["complete_by_category"] == {"kernel": 1}


def test_damaged_json():
    with scratch() as folder:
        text = json.dumps({"rocprofiler-sdk-tool": [a_process()]})
        for kept in (0.97, 0.8, 0.5, 0.1):
            path = f"{folder}/cut.json"
            with open(path, "w", encoding="utf-8") as file:
                file.write(text[:int(len(text) * kept)])
            if kept > 0.9:
                facts = json_of("info", path)
                assert facts["warnings"][0]["code"] == "truncated_file", facts["warnings"]
                assert facts["complete_by_category"]["kernel"] == 2, facts
            elif kept < 0.2:
                assert "ends within a record" in error_of("info", path, status=1)
        at = text.index('"rccl_api"')
        with open(path, "w", encoding="utf-8") as file:
            file.write(text[:at] + "@@" + text[at:])
        warning = json_of("info", path)["warnings"][0]
        assert (warning["code"], warning["byte_offset"]) == ("damaged_file", at), warning


KERNELS = '''"Kind","Agent_Id","Queue_Id","Thread_Id","Dispatch_Id","Kernel_Id","Kernel_Name","Correlation_Id","Start_Timestamp","End_Timestamp","Workgroup_Size_X","Workgroup_Size_Y","Workgroup_Size_Z","Grid_Size_X","Grid_Size_Y","Grid_Size_Z"
"KERNEL_DISPATCH","Agent 4","1",71,"1","5","void f<int, ""x"">(int)","3","2000","2500","64","1","1","100","1","1"
"KERNEL_DISPATCH","Agent 4","1",71,"2","5","g","4","2400","2900","64","1","1","64","1","1"
'''
CALLS = '''domain,function,process_id,thread_id,correlation_id,start_timestamp,end_timestamp
HIP_RUNTIME_API_EXT,hipLaunchKernel,70,71,3,1000,1100
MARKER_CORE_RANGE_API,"forward, part 1",70,71,9,900,1500
'''
COPIES = '''"Kind","Direction","Stream_Id","Source_Agent_Id","Destination_Agent_Id","Correlation_Id","Start_Timestamp","End_Timestamp"
"MEMORY_COPY","MEMORY_COPY_HOST_TO_DEVICE","1","Agent 0","Agent 4","3","3000","3100"
'''
AGENTS = '''"Node_Id","Logical_Node_Id","Agent_Type","Cu_Count","Wave_Front_Size","Name","Product_Name"
"0","0","CPU","64","0","a CPU","a CPU"
"3","3","GPU","304","64","gfx942","AMD Instinct MI300X"
"4","4","GPU","304","64","gfx942","AMD Instinct MI300X"
'''
COUNTERS = '''"Correlation_Id","Dispatch_Id","Agent_Id","Queue_Id","Process_Id","Thread_Id","Kernel_Name","Counter_Name","Counter_Value","Start_Timestamp","End_Timestamp"
"3","1","Agent 4","1","70","71","void f<int, ""x"">(int)","FETCH_SIZE","10.5","2000","2500"
"8","3","Agent 4","1","70","71","h","FETCH_SIZE","2","6000","6500"
'''


def test_csv_files_of_one_run():
    with scratch() as folder:
        files = {"kernel_trace": KERNELS, "hip_api_trace": CALLS.replace("\n", "\r\n"), "memory_copy_trace": COPIES, "agent_info": AGENTS, "counter_collection": COUNTERS}
        for name, text in files.items():
            with open(f"{folder}/run_{name}.csv", "w", encoding="utf-8", newline="") as file:
                file.write(text)
        with open(f"{folder}/other_kernel_trace.csv", "w", encoding="utf-8") as file:
            file.write(KERNELS)
        for name in files:
            path = f"{folder}/run_{name}.csv"
            facts = json_of("info", path)
            assert facts["complete_by_category"] == {"kernel": 3, "hip_runtime": 1, "user_annotation": 1, "gpu_memcpy": 1}, (name, facts)
            assert facts["gpu_activities_with_launch"] == 2 and not facts["warnings"], facts
            assert [device["id"] for device in facts["devices"]] == [1], facts["devices"]
            first, *_ = json_of("sql", path, "SELECT * FROM kernel ORDER BY ts")
            assert (first["name"], first["grid_x"], first["device"]) == ('void f<int, "x">(int)', 2, 1), first
            arguments = {row["key"]: row["display_value"] for row in json_of("sql", path, f"SELECT key, display_value FROM args JOIN slice USING (arg_set_id) WHERE slice.id = {first['id']}")}
            assert arguments["args.FETCH_SIZE"] == "10.5" and arguments["args.Agent_Id"] == "Agent 4", arguments
        assert json_of("info", f"{folder}/other_kernel_trace.csv")["complete_by_category"] == {"kernel": 2}


def test_damaged_csv():
    with scratch() as folder:
        path = f"{folder}/run_kernel_trace.csv"

        def codes(text):
            with open(path, "w", encoding="utf-8", newline="") as file:
                file.write(text)
            facts = json_of("info", path)
            return facts["complete_by_category"].get("kernel", 0), [warning["code"] for warning in facts["warnings"]]

        assert codes(KERNELS) == (2, [])
        assert codes(KERNELS[:-1]) == (2, [])
        assert codes(KERNELS[:-3]) == (1, ["truncated_file"]), codes(KERNELS[:-3])
        assert codes(KERNELS.replace('"100"', '"100","7"')) == (1, ["bad_row"])
        open_quote = '"KERNEL_DISPATCH","Agent\n' + KERNELS.splitlines()[2] + "\n"
        assert codes(KERNELS + open_quote)[0] >= 2 and codes(KERNELS + open_quote)[1], codes(KERNELS + open_quote)
        assert codes(KERNELS.replace("2900", "then")) == (1, ["unreadable_time"])
        assert codes(KERNELS.replace("2900", "100")) == (2, ["negative_duration"])
        assert codes(KERNELS.replace("2900", "99999999999999999999999")) == (1, ["unreadable_time"])


def test_files_without_times_are_named():
    for path in traces_here("more/rocprof-compute/mi200_dispatch_0_1_pmc_perf.csv", "more/rocprof-compute/mi200_dispatch_0_1_timestamps.csv",
                            "more/rocprof-compute/mi200_roofline.csv", "more/rocprof-compute/mi300x_rocpd_vcopy_pmc_perf.csv",
                            "more/rocprof-compute/rocprof_compute_23ed6f36.db"):
        message = error_of("info", path, status=1)
        assert "rocprof-compute" in message and "rocprofv3" in message, message
    with scratch() as folder:
        with open(f"{folder}/run_kernel_stats.csv", "w", encoding="utf-8") as file:
            file.write('"Name","Calls","TotalDurationNs","AverageNs"\n"f",1,2,3\n')
        assert "summary of rocprofv3" in error_of("info", f"{folder}/run_kernel_stats.csv", status=1)


if __name__ == "__main__":
    run_all(globals())
