#include "tests/core/ingest/random_events.h"

#include <fmt/format.h>
#include <isa-l/igzip_lib.h>
#include <zstd.h>

#include <cstdlib>

namespace lanescope::testing {

namespace {

// Makes random events in order of time.
class EventMaker {
  public:
    explicit EventMaker(Random& random) : random_(random) {}

    void add(std::vector<std::string>& out) {
        time_ += 1 + below(5000);
        switch (below(16)) {
            case 0:
                return add_launch(out);
            case 1:
                return add_pair(out);
            case 2:
                return add_async(out);
            case 3:
                return add_flow(out);
            case 4:
                return add_counter(out);
            case 5:
                return add_metadata(out);
            case 6:
                return add_mark(out);
            case 7:
                return add_odd(out);
            case 8:
                return add_python(out);
            default:
                return add_operator(out);
        }
    }

  private:
    uint64_t below(uint64_t n) { return random_() % n; }
    uint64_t fresh_time() { return time_ += 1 + below(900); }

    // In microseconds, with as many decimals as writers use, from one million seconds on.
    static std::string micros(uint64_t nanos) {
        if (nanos % 1000 == 0) return fmt::format("1000000{}", 100000000 + nanos / 1000);
        return fmt::format("1000000{}.{:03}", 100000000 + nanos / 1000, nanos % 1000);
    }
    std::string duration() {
        const uint64_t nanos = below(8) == 0 ? 0 : below(20000);
        return fmt::format("{}.{:03}", nanos / 1000, nanos % 1000);
    }
    std::string row() {
        constexpr std::string_view rows[] = {R"("pid": 1, "tid": 1)", R"("pid": 1, "tid": 2)",
                                             R"("pid": "1", "tid": "worker é")",
                                             R"("pid": 2, "tid": -7)", R"("pid": "p", "tid": 07)"};
        return std::string(rows[below(5)]);
    }

    void add_operator(std::vector<std::string>& out) {
        out.push_back(fmt::format(
            R"({{"ph": "X", "cat": "cpu_op", "name": "aten::op{}", {}, "ts": {}, "dur": {}, )"
            R"("args": {{"External id": {}, "Input Dims": [[{}, 2], []], "Sequence number": {}, "x": "}},{{\"name\""}}}})",
            below(7), row(), micros(time_), duration(), below(1000), below(4), below(50)));
    }

    void add_launch(std::vector<std::string>& out) {
        const uint64_t id = ++correlation_;
        const bool has_call = below(6) != 0;
        const bool has_flow = below(3) != 0;
        if (has_call)
            out.push_back(fmt::format(
                R"({{"ph": "X", "cat": "cuda_runtime", "name": "cudaLaunchKernel", "pid": 1, "tid": 3, )"
                R"("ts": {}, "dur": 0.{:03}, "args": {{"correlation": {}, "External id": {}}}}})",
                micros(time_), 1 + below(400), id, below(1000)));
        const std::string flow = fmt::format(R"("id": {}, "cat": "ac2g", "name": "ac2g")", id);
        if (has_flow)
            out.push_back(fmt::format(R"({{"ph": "s", {}, "pid": 1, "tid": 3, "ts": {}}})", flow,
                                      micros(time_)));
        time_ += 500;
        out.push_back(fmt::format(
            R"({{"ph": "X", "cat": "kernel", "name": "gemm{}", "pid": 0, "tid": 7, "ts": {}, )"
            R"("dur": 0.{:03}, "args": {{"device": 0, "stream": 7, "correlation": {}, )"
            R"("grid": [{}, 1, 1], "block": [128, 1, 1], "registers per thread": 40}}}})",
            below(3), micros(time_), 1 + below(400), id, 1 + below(5)));
        if (has_flow)
            out.push_back(
                fmt::format(R"({{"ph": "f", {}, "pid": 0, "tid": 7, "ts": {}, "bp": "e"}})", flow,
                            micros(time_)));
        time_ += 500;
    }

    void add_pair(std::vector<std::string>& out) {
        if (below(8) != 0)
            out.push_back(
                fmt::format(R"({{"name": "pair{}", "ph": "B", "pid": 3, "tid": 1, "ts": {}}})",
                            below(3), micros(fresh_time())));
        if (below(8) != 0)
            out.push_back(fmt::format(R"({{"ph": "E", "pid": 3, "tid": 1, "ts": {}}})",
                                      micros(fresh_time())));
    }

    void add_async(std::vector<std::string>& out) {
        const uint64_t id = below(3);
        const std::string same =
            below(2)
                ? fmt::format(R"("cat": "io", "id": "0x{}", "pid": 3, "tid": 2)", id)
                : fmt::format(R"("cat": "net", "id2": {{"local": {}}}, "pid": 3, "tid": 2)", id);
        for (const char phase : {'b', 'n', 'e'})
            if (below(9) != 0)
                out.push_back(fmt::format(R"({{"ph": "{}", "name": "io{}", {}, "ts": {}}})", phase,
                                          id, same, micros(fresh_time())));
    }

    void add_flow(std::vector<std::string>& out) {
        const uint64_t id = below(20);
        for (const char phase : {'s', 't', 'f'})
            if (below(5) != 0)
                out.push_back(fmt::format(
                    R"({{"ph": "{}", "id": {}, "cat": "fwdbwd", "name": "f", "pid": 1, "tid": 1, "ts": {}}})",
                    phase, id, micros(fresh_time())));
    }

    void add_counter(std::vector<std::string>& out) {
        out.push_back(fmt::format(
            R"({{"ph": "C", "name": "queue", "pid": 3, "ts": {}, "args": {{"a": {}, "b": "{}.5"}}}})",
            micros(fresh_time()), below(9), below(9)));
        out.push_back(fmt::format(
            R"({{"ph": "i", "s": "t", "name": "[memory]", "pid": 3, "tid": 5, "ts": {}, "args": )"
            R"({{"Device Type": 1, "Device Id": 0, "Addr": {}, "Bytes": -{}, "Total Allocated": {}}}}})",
            micros(fresh_time()), below(99), below(99), below(9999)));
    }

    void add_metadata(std::vector<std::string>& out) {
        const uint64_t n = ++metadata_;
        out.push_back(fmt::format(
            R"({{"ph": "M", "name": "process_name", "pid": {}, "tid": 0, "args": {{"name": "p{}"}}}})",
            n == 1 ? 1 : 100 + n, n));
        out.push_back(fmt::format(
            R"({{"ph": "M", "name": "thread_sort_index", "pid": 1, "tid": {}, "args": {{"sort_index": {}}}}})",
            n == 1 ? 2 : 100 + n, n));
    }

    void add_mark(std::vector<std::string>& out) {
        out.push_back(fmt::format(R"({{"ph": "{}", "name": "mark", {}, "ts": {}}})",
                                  "iIRPNODcT?"[below(10)], row(), micros(time_)));
    }

    void add_python(std::vector<std::string>& out) {
        const uint64_t id = ++python_;
        out.push_back(fmt::format(
            R"({{"ph": "X", "cat": "python_function", "name": "f[{}]", {}, "ts": {}, "dur": {}, )"
            R"("args": {{"Python id": {}, "Python parent id": {}}}}})",
            below(9), row(), micros(time_), duration(), id, id - 1));
    }

    void add_odd(std::vector<std::string>& out) {
        constexpr std::string_view odd[] = {
            R"({"ph": "X", "name": "no times", "pid": 1, "tid": 1})",
            R"({"ph": "X", "name": "inf", "pid": 1, "tid": 1, "ts": inf, "dur": NaN})",
            R"({"ph": "X", "name": "huge", "pid": 1, "tid": 1, "ts": 99999999999999999999999, "dur": 1})",
            R"({"name": "nothing"})",
            R"({})",
            R"([1, {"ph": "X"}])",
            R"("text")",
            R"(null)",
            R"({"ph": "longer", "name": "odd", "pid": 1, "tid": 1, "ts": 1000000100000000})",
            R"({"ph": "X", "ph": "i", "ts": 1000000100000001, "ts": "1000000100000002", "name": "twice", "pid": 1})"};
        out.emplace_back(odd[below(10)]);
    }

    Random& random_;
    uint64_t time_ = 0;
    uint64_t correlation_ = 0;
    uint64_t metadata_ = 0;
    uint64_t python_ = 0;
};

}  // namespace

std::vector<std::string> random_events(Random& random, std::size_t count) {
    std::vector<std::string> events;
    EventMaker maker(random);
    while (events.size() < count) maker.add(events);
    return events;
}

std::string trace_text(const std::vector<std::string>& events, Dialect dialect) {
    const bool pretty = dialect == Dialect::pretty;
    std::string text = dialect == Dialect::bare_list || dialect == Dialect::no_end
                           ? "["
                           : R"({"schemaVersion": 1, "traceEvents": [)";
    for (std::size_t i = 0; i < events.size(); ++i) {
        if (i > 0) text += pretty ? "\n  ,\r\n\t" : ",\n";
        text += events[i];
    }
    if (dialect == Dialect::no_end) return text + ",\n";
    text += pretty ? "\n]\n" : "]";
    if (dialect != Dialect::bare_list)
        text += R"(, "traceName": "made", "otherData": {"a": [{}]}})";
    return text;
}

std::string gzip(std::string_view text) {
    isal_zstream stream;
    isal_deflate_stateless_init(&stream);
    stream.gzip_flag = IGZIP_GZIP;
    stream.end_of_stream = 1;
    std::string out(text.size() + text.size() / 8 + 512, '\0');
    std::string in(text);
    stream.next_in = reinterpret_cast<uint8_t*>(in.data());
    stream.avail_in = static_cast<uint32_t>(in.size());
    stream.next_out = reinterpret_cast<uint8_t*>(out.data());
    stream.avail_out = static_cast<uint32_t>(out.size());
    if (isal_deflate_stateless(&stream) != COMP_OK) std::abort();
    out.resize(stream.total_out);
    return out;
}

std::string gzip_members(std::string_view text, std::size_t members) {
    std::string out;
    for (std::size_t i = 0; i < members; ++i) {
        const std::size_t begin = text.size() * i / members;
        out += gzip(text.substr(begin, text.size() * (i + 1) / members - begin));
    }
    return out;
}

std::string zstd(std::string_view text) {
    std::string out(ZSTD_compressBound(text.size()), '\0');
    ZSTD_CCtx* context = ZSTD_createCCtx();
    ZSTD_CCtx_setParameter(context, ZSTD_c_checksumFlag, 1);
    const std::size_t size =
        ZSTD_compress2(context, out.data(), out.size(), text.data(), text.size());
    ZSTD_freeCCtx(context);
    if (ZSTD_isError(size)) std::abort();
    out.resize(size);
    return out;
}

}  // namespace lanescope::testing
