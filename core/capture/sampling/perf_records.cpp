#include "core/capture/sampling/perf_records.h"

#include <linux/perf_event.h>

#include <algorithm>
#include <array>
#include <cstring>
#include <utility>

#include "core/capture/sampling/machine_registers.h"

namespace lanescope {

namespace {

constexpr std::size_t kSampleId = 16;      // pid, tid, time: the end of every record except samples
constexpr std::size_t kBuildIdBytes = 24;  // the length, three bytes, at most twenty bytes of id
constexpr std::size_t kMaxBuildId = 20;
// Our own marks in the headers of samples and of losses; the kernel does not use these bits there.
constexpr uint16_t kWaitStack = PERF_RECORD_MISC_SWITCH_OUT;
constexpr uint16_t kStackDropped = 1 << 11;
constexpr auto kFirstContext = static_cast<uint64_t>(
    PERF_CONTEXT_MAX);  // this value and all larger ones are markers, not addresses
constexpr auto kUserContext = static_cast<uint64_t>(PERF_CONTEXT_USER);

// Reads consecutive fields; returns zeros beyond the end.
class Fields {
  public:
    explicit Fields(std::string_view bytes) : left_(bytes) {}

    template <typename T>
    T next() {
        T value = {};
        if (left_.size() < sizeof value) {
            failed_ = true;
            return value;
        }
        std::memcpy(&value, left_.data(), sizeof value);
        left_.remove_prefix(sizeof value);
        return value;
    }
    std::string_view bytes(std::size_t count) {
        if (left_.size() < count) failed_ = true;
        const std::string_view taken = left_.substr(0, count);
        left_.remove_prefix(taken.size());
        return taken;
    }
    // Up to a zero, or the end.
    std::string text() const { return std::string(left_.substr(0, left_.find('\0'))); }
    std::size_t left() const { return left_.size(); }
    bool failed() const { return failed_; }

  private:
    std::string_view left_;
    bool failed_ = false;
};

// The registers and the copied stack of a sample, if it has them; incomplete ones are ignored.
void read_state(Fields fields, PerfRecord& record) {
    const auto abi = fields.next<uint64_t>();
    if (abi == PERF_SAMPLE_REGS_ABI_NONE) return;
    std::array<uint64_t, 64> values = {};  // by perf's number
    for (std::size_t number = 0; number < values.size(); ++number)
        if (kPerfRegisterMask >> number & 1) values[number] = fields.next<uint64_t>();
    const auto size = fields.next<uint64_t>();
    const std::string_view stack = fields.bytes(size);
    const uint64_t used = size == 0 ? 0 : fields.next<uint64_t>();
    // The registers of 32-bit programs have other numbers.
    if (fields.failed() || abi != PERF_SAMPLE_REGS_ABI_64) return;
    for (const uint8_t number : kPerfRegisters) record.registers.push_back(values[number]);
    record.stack = stack.substr(0, used);
}

bool read_sample(Fields fields, uint16_t misc, PerfRecord& record) {
    record.kind = misc & kWaitStack ? PerfKind::wait_stack : PerfKind::sample;
    record.is_stack_dropped = misc & kStackDropped;
    record.pid = fields.next<uint32_t>();
    record.tid = fields.next<uint32_t>();
    record.time = fields.next<Nanos>();
    const auto count = fields.next<uint64_t>();
    if (fields.failed() || count > fields.left() / sizeof(uint64_t)) return false;
    record.frames.reserve(count);
    bool is_user = false;
    for (uint64_t i = 0; i < count; ++i) {
        const auto address = fields.next<uint64_t>();
        if (address >= kFirstContext)
            is_user = address == kUserContext;
        else if (is_user)
            record.frames.push_back(address);
    }
    read_state(fields, record);
    return true;
}

bool read_mapping(Fields fields, uint16_t misc, PerfRecord& record) {
    record.kind = PerfKind::mapping;
    record.pid = fields.next<uint32_t>();
    record.tid = fields.next<uint32_t>();
    record.address = fields.next<uint64_t>();
    record.bytes = fields.next<uint64_t>();
    record.offset = fields.next<uint64_t>();
    const std::string_view id = fields.bytes(kBuildIdBytes);
    fields.next<uint64_t>();  // protection and flags
    if (fields.failed() || record.address + record.bytes < record.address) return false;
    if (misc & PERF_RECORD_MISC_MMAP_BUILD_ID) {
        const std::size_t length = static_cast<unsigned char>(id.front());
        record.build_id = id.substr(kBuildIdBytes - kMaxBuildId, std::min(length, kMaxBuildId));
    }
    record.text = fields.text();
    return true;
}

bool read_name(Fields fields, uint16_t misc, PerfRecord& record) {
    record.kind = PerfKind::name;
    record.pid = fields.next<uint32_t>();
    record.tid = fields.next<uint32_t>();
    record.text = fields.text();
    record.by_exec = misc & PERF_RECORD_MISC_COMM_EXEC;
    return !fields.failed();
}

bool read_fork(Fields fields, PerfKind kind, PerfRecord& record) {
    record.kind = kind;
    record.pid = fields.next<uint32_t>();
    record.parent = fields.next<uint32_t>();
    record.tid = fields.next<uint32_t>();
    fields.next<uint32_t>();  // the thread that sent it
    return !fields.failed();
}

bool read_lost(Fields fields, uint32_t type, uint16_t misc, PerfRecord& record) {
    record.kind = misc & kWaitStack ? PerfKind::lost_stacks : PerfKind::lost;
    if (type == PERF_RECORD_LOST) fields.next<uint64_t>();  // the event's id
    record.count = fields.next<uint64_t>();
    return !fields.failed();
}

// False if the kind is unknown or the record is damaged. `body` follows the record's header.
bool read_record(uint32_t type, uint16_t misc, std::string_view body, PerfRecord& record) {
    if (type == PERF_RECORD_SAMPLE) return read_sample(Fields(body), misc, record);
    if (body.size() < kSampleId) return false;
    Fields end(body.substr(body.size() - kSampleId));
    const Fields fields(body.substr(0, body.size() - kSampleId));
    const auto pid = end.next<uint32_t>();
    const auto tid = end.next<uint32_t>();
    record.time = end.next<Nanos>();
    switch (type) {
        case PERF_RECORD_MMAP2:
            return read_mapping(fields, misc, record);
        case PERF_RECORD_COMM:
            return read_name(fields, misc, record);
        case PERF_RECORD_FORK:
            return read_fork(fields, PerfKind::fork, record);
        case PERF_RECORD_EXIT:
            return read_fork(fields, PerfKind::exit, record);
        case PERF_RECORD_SWITCH:
            record.kind =
                misc & PERF_RECORD_MISC_SWITCH_OUT ? PerfKind::switched_out : PerfKind::switched_in;
            record.is_preempted = misc & PERF_RECORD_MISC_SWITCH_OUT_PREEMPT;
            record.pid = pid;
            record.tid = tid;
            return true;
        case PERF_RECORD_LOST:
        case PERF_RECORD_LOST_SAMPLES:
            return read_lost(fields, type, misc, record);
        default:
            return false;
    }
}

// Calls take(head, bytes of the whole record) for each complete record.
template <typename Take>
std::size_t for_each(std::string_view bytes, const Take& take) {
    std::size_t at = 0;
    while (bytes.size() - at >= sizeof(perf_event_header)) {
        perf_event_header head = {};
        std::memcpy(&head, bytes.data() + at, sizeof head);
        if (head.size < sizeof head || head.size > bytes.size() - at) break;
        take(head, bytes.substr(at, head.size));
        at += head.size;
    }
    return at;
}

}  // namespace

std::size_t read_perf_records(std::string_view bytes,
                              const std::function<void(PerfRecord&&)>& take) {
    return for_each(bytes, [&](const perf_event_header& head, std::string_view whole) {
        PerfRecord record;
        if (read_record(head.type, head.misc, whole.substr(sizeof head), record))
            take(std::move(record));
    });
}

void mark_wait_stacks(std::string& bytes) {
    for_each(bytes, [&](perf_event_header head, std::string_view whole) {
        head.misc |= kWaitStack;
        std::memcpy(bytes.data() + (whole.data() - bytes.data()), &head, sizeof head);
    });
}

uint64_t drop_samples(std::string& bytes) {
    uint64_t dropped = 0;
    std::string kept;
    for_each(bytes, [&](const perf_event_header& head, std::string_view whole) {
        if (head.type != PERF_RECORD_SAMPLE)
            kept += whole;
        else if (!(head.misc & kWaitStack))
            ++dropped;  // the stack of a wait is no sample
    });
    bytes = std::move(kept);
    return dropped;
}

void drop_stacks(std::string& bytes) {
    std::string kept;
    for_each(bytes, [&](perf_event_header head, std::string_view whole) {
        // Thread, time and the number of addresses precede the addresses.
        constexpr std::size_t kBefore = sizeof head + 3 * sizeof(uint64_t);
        uint64_t count = 0;
        if (head.type == PERF_RECORD_SAMPLE && whole.size() >= kBefore)
            std::memcpy(&count, whole.data() + kBefore - sizeof count, sizeof count);
        const std::size_t end = kBefore + count * sizeof(uint64_t);
        if (head.type != PERF_RECORD_SAMPLE || count > whole.size() / sizeof(uint64_t) ||
            end >= whole.size()) {
            kept += whole;
            return;
        }
        head.size = static_cast<uint16_t>(end);
        head.misc |= kStackDropped;
        kept.append(reinterpret_cast<const char*>(&head), sizeof head);
        kept += whole.substr(sizeof head, end - sizeof head);
    });
    bytes = std::move(kept);
}

std::string bytes_of_ring(const char* ring, std::size_t size, uint64_t tail, uint64_t head) {
    if (size == 0 || head <= tail) return {};
    const std::size_t count = std::min<uint64_t>(head - tail, size);
    const std::size_t from = tail % size;
    const std::size_t first = std::min(count, size - from);
    std::string bytes(ring + from, first);
    bytes.append(ring, count - first);
    return bytes;
}

}  // namespace lanescope
