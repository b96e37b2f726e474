#include "core/capture/sampling/perf_events.h"

#include <fmt/format.h>
#include <linux/perf_event.h>
#include <sys/ioctl.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <sys/sysinfo.h>
#include <unistd.h>

#include <algorithm>
#include <bit>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <ctime>
#include <utility>

#include "core/capture/process/process_facts.h"
#include "core/capture/sampling/machine_registers.h"
#include "core/capture/sampling/perf_records.h"
#include "core/capture/sampling/unwind_rules.h"

namespace lanescope {

namespace {

// The kernel's default limit of locked memory for each processor, for users without privileges.
constexpr std::size_t kUsualRing = std::size_t{512} << 10;
constexpr std::size_t kMaxRing = std::size_t{8} << 20;
constexpr std::size_t kMinRing = std::size_t{32} << 10;
constexpr std::size_t kMaxRings = std::size_t{128} << 20;  // together, if rings are not minimal
// Larger copies take longer, and smaller ones do not contain the outer functions of deep stacks.
constexpr std::size_t kMaxStack = std::size_t{32} << 10;
constexpr std::size_t kMinStack = std::size_t{2} << 10;

// Settings that need fewer and fewer permissions or kernel features, tried in this order.
struct Attempt {
    bool kernel_time;
    bool build_id;
};
constexpr Attempt kAttempts[] = {{true, true}, {true, false}, {false, true}, {false, false}};

// Larger stacks of waits would take too much of a ring that a program with many waits fills.
constexpr std::size_t kMaxWaitStack = std::size_t{16} << 10;

perf_event_attr common_attributes(const PerfRequest& request, PerfSizes sizes) {
    perf_event_attr attr = {};
    attr.size = sizeof attr;
    attr.type = PERF_TYPE_SOFTWARE;
    attr.sample_type = PERF_SAMPLE_TID | PERF_SAMPLE_TIME | PERF_SAMPLE_CALLCHAIN;
    if (sizes.stack > 0) {
        attr.sample_type |= PERF_SAMPLE_REGS_USER | PERF_SAMPLE_STACK_USER;
        attr.sample_regs_user = kPerfRegisterMask;
        attr.sample_stack_user = static_cast<uint32_t>(sizes.stack);
    }
    attr.disabled = 1;
    attr.enable_on_exec = request.on_exec ? 1 : 0;
    attr.inherit = 1;
    attr.exclude_hv = 1;
    attr.exclude_callchain_kernel = 1;
    attr.sample_id_all = 1;
    attr.use_clockid = 1;
    attr.clockid = CLOCK_MONOTONIC;
    attr.watermark = 1;
    attr.wakeup_watermark = static_cast<uint32_t>(sizes.ring / 4);
    return attr;
}

perf_event_attr sample_attributes(const PerfRequest& request, Attempt attempt, PerfSizes sizes) {
    perf_event_attr attr = common_attributes(request, sizes);
    // The CPU clock: virtual machines often have no cycle counters.
    attr.config = PERF_COUNT_SW_CPU_CLOCK;
    attr.sample_period = static_cast<uint64_t>(request.period);
    attr.exclude_kernel = attempt.kernel_time ? 0 : 1;
    attr.mmap = 1;
    attr.mmap2 = 1;
    attr.build_id = attempt.build_id ? 1 : 0;
    attr.comm = 1;
    attr.comm_exec = 1;
    attr.task = 1;
    attr.context_switch = request.switches ? 1 : 0;
    return attr;
}

perf_event_attr wait_attributes(const PerfRequest& request, PerfSizes sizes) {
    perf_event_attr attr = common_attributes(request, sizes);
    attr.config = PERF_COUNT_SW_CONTEXT_SWITCHES;
    attr.sample_period = 1;
    return attr;
}

int open_event(perf_event_attr& attr, pid_t pid, int processor) {
    return static_cast<int>(
        syscall(SYS_perf_event_open, &attr, pid, processor, -1, PERF_FLAG_FD_CLOEXEC));
}

std::size_t page_bytes() {
    return static_cast<std::size_t>(sysconf(_SC_PAGESIZE));
}

void* map_ring(int fd, std::size_t bytes) {
    void* const at = mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_SHARED, fd, 0);
    return at == MAP_FAILED ? nullptr : at;
}

std::string setting_of_kernel(const char* name) {
    std::string text = text_of_system_file(fmt::format("/proc/sys/kernel/{}", name));
    while (!text.empty() && text.back() == '\n') text.pop_back();
    return text;
}

bool is_permission(int code) {
    return code == EACCES || code == EPERM;
}

}  // namespace

PerfRefusal perf_refusal(int code, const std::string& paranoid) {
    if (is_permission(code)) {
        // Up to level 2, users may sample their own programs, so the refusal has another cause.
        constexpr int kOwnPrograms = 2;
        int level = kOwnPrograms + 1;
        std::from_chars(paranoid.data(), paranoid.data() + paranoid.size(), level);
        const std::string problem =
            fmt::format("the kernel does not let this user sample (perf_event_paranoid is {})",
                        paranoid.empty() ? "not known" : paranoid);
        if (level <= kOwnPrograms)
            return {problem + ", which would allow it",
                    "Something else forbids it. In a container, allow perf_event_open in its "
                    "seccomp profile, or give it CAP_PERFMON; elsewhere ask the administrator "
                    "about the machine's security module."};
        return {problem,
                "As root: sysctl kernel.perf_event_paranoid=2, or less; in a container, allow "
                "perf_event_open in its seccomp profile, or give it CAP_PERFMON."};
    }
    if (code == ENOSYS || code == ENOENT || code == EOPNOTSUPP)
        return {"this kernel has no perf events",
                "Use one that was built with them (CONFIG_PERF_EVENTS); some containers and "
                "sandboxes leave them out."};
    if (code == ESRCH)
        return {"the process has ended", "Give the pid of a process that is running."};
    if (code == EMFILE || code == ENFILE)
        return {"the limit of open files is too low for an event on each processor",
                "Raise the limit: ulimit -n 4096."};
    return {fmt::format("the kernel refuses to sample: {}", std::strerror(code)),
            "lanescope record works without --sample."};
}

PerfRefusal perf_memory_refusal(int code, const std::string& limit) {
    if (code != EPERM && code != ENOMEM)
        return {fmt::format("the kernel refuses memory for samples: {}", std::strerror(code)),
                "lanescope record works without --sample."};
    return {fmt::format("the memory that this user may lock for samples is used up "
                        "(perf_event_mlock_kb is {})",
                        limit.empty() ? "not known" : limit),
            "End other sampling programs of this user, such as another recording; or raise the "
            "limit: ulimit -l 8192, or as root sysctl kernel.perf_event_mlock_kb=2048."};
}

std::vector<PerfSizes> perf_sizes(std::size_t processors, Nanos period, std::size_t rings) {
    constexpr Nanos kKept = 50'000'000;
    const std::size_t samples =
        static_cast<std::size_t>(std::max<Nanos>(kKept / std::max<Nanos>(period, 1), 1));
    const std::size_t share = std::bit_floor(kMaxRings / std::max<std::size_t>(processors, 1));
    const std::size_t largest = std::clamp(share, kUsualRing, kMaxRing);
    std::vector<PerfSizes> sizes;
    for (std::size_t all = largest; all >= kMinRing; all /= 2) {
        const std::size_t ring = std::bit_floor(all / std::max<std::size_t>(rings, 1));
        const std::size_t stack = std::min(ring / samples, kMaxStack) / 1024 * 1024;
        sizes.push_back({ring, UnwindRules::available() && stack >= kMinStack ? stack : 0});
    }
    return sizes;
}

// Keeps the event. The first one of a processor has a ring, into which the others write. Returns 0
// or an errno.
int PerfEvents::add(int fd, int processor, PerfSizes sizes, bool has_wait_stacks) {
    const auto [first, is_new] = first_.try_emplace({processor, has_wait_stacks}, fd);
    if (!is_new) {
        others_.push_back(fd);
        return ioctl(fd, PERF_EVENT_IOC_SET_OUTPUT, first->second) == 0 ? 0 : errno;
    }
    Ring& ring = rings_.emplace_back();
    ring.fd = fd;
    ring.bytes = sizes.ring + page_bytes();
    ring.page = map_ring(fd, ring.bytes);
    ring.has_wait_stacks = has_wait_stacks;
    return ring.page ? 0 : errno;
}

PerfEvents::Failure PerfEvents::open_with(const PerfRequest& request, PerfSizes sizes,
                                          std::size_t& attempt) {
    int code = ESRCH;
    for (int processor = 0; processor < get_nprocs_conf(); ++processor)
        for (std::size_t i = 0; i < request.threads.size();) {
            perf_event_attr attr = sample_attributes(request, kAttempts[attempt], sizes);
            const int fd = open_event(attr, request.threads[i], processor);
            code = fd < 0 ? errno : 0;
            if (fd < 0 && code == ENODEV) break;  // the processor is off
            const bool tries_more = rings_.empty() && attempt + 1 < std::size(kAttempts) &&
                                    (is_permission(code) || code == EINVAL || code == E2BIG);
            if (fd < 0 && tries_more) {
                attempt = is_permission(code) && attempt < 2 ? 2 : attempt + 1;
                continue;
            }
            ++i;
            if (code == ESRCH) continue;  // the thread has ended
            if (fd < 0) return {code, false};
            code = add(fd, processor, sizes, false);
            if (code != 0) return {code, true};
        }
    if (rings_.empty()) return {code, false};
    return kAttempts[attempt].kernel_time && request.switches ? open_wait_stacks(request, sizes)
                                                              : Failure();
}

// Only with the kernel's permission, since the kernel is running when a thread stops.
PerfEvents::Failure PerfEvents::open_wait_stacks(const PerfRequest& request, PerfSizes sizes) {
    sizes.stack = std::min(sizes.stack, kMaxWaitStack);
    for (int processor = 0; processor < get_nprocs_conf(); ++processor)
        for (const pid_t thread : request.threads) {
            perf_event_attr attr = wait_attributes(request, sizes);
            const int fd = open_event(attr, thread, processor);
            if (fd < 0 && errno == ENODEV) break;
            if (fd < 0 && errno == ESRCH) continue;
            if (fd < 0) return {errno, false};
            if (const int code = add(fd, processor, sizes, true); code != 0) return {code, true};
            sees_wait_stacks_ = true;
        }
    return {};
}

// Rings of all processors have the same size: a first large one could leave none to the others.
std::optional<PerfEvents> PerfEvents::open(const PerfRequest& request, PerfRefusal& refusal) {
    PerfEvents events;
    std::size_t attempt = 0;
    Failure failure;
    const auto processors = static_cast<std::size_t>(std::max(get_nprocs_conf(), 1));
    for (const PerfSizes sizes : perf_sizes(processors, request.period, request.switches ? 2 : 1)) {
        failure = events.open_with(request, sizes, attempt);
        if (failure.code == 0) {
            events.sees_kernel_time_ = kAttempts[attempt].kernel_time;
            return events;
        }
        events.close_all();
        const bool is_limit = failure.code == EPERM || failure.code == ENOMEM;
        if (!failure.is_memory || !is_limit) break;
    }
    refusal = failure.is_memory
                  ? perf_memory_refusal(failure.code, setting_of_kernel("perf_event_mlock_kb"))
                  : perf_refusal(failure.code, setting_of_kernel("perf_event_paranoid"));
    return std::nullopt;
}

PerfEvents::PerfEvents(PerfEvents&& other) noexcept
    : rings_(std::exchange(other.rings_, {})),
      others_(std::exchange(other.others_, {})),
      first_(std::move(other.first_)),
      sees_wait_stacks_(other.sees_wait_stacks_),
      sees_kernel_time_(other.sees_kernel_time_) {}

PerfEvents::~PerfEvents() {
    close_all();
}

void PerfEvents::close_all() {
    for (const Ring& ring : rings_) {
        if (ring.page) munmap(ring.page, ring.bytes);
        close(ring.fd);
    }
    for (const int fd : others_) close(fd);
    rings_.clear();
    others_.clear();
    first_.clear();
    sees_wait_stacks_ = false;
}

void PerfEvents::enable() const {
    for (const Ring& ring : rings_) ioctl(ring.fd, PERF_EVENT_IOC_ENABLE, 0);
    for (const int fd : others_) ioctl(fd, PERF_EVENT_IOC_ENABLE, 0);
}

void PerfEvents::disable() const {
    for (const Ring& ring : rings_) ioctl(ring.fd, PERF_EVENT_IOC_DISABLE, 0);
    for (const int fd : others_) ioctl(fd, PERF_EVENT_IOC_DISABLE, 0);
}

std::string PerfEvents::take() {
    std::string all;
    for (const Ring& ring : rings_) {
        auto* const page = static_cast<perf_event_mmap_page*>(ring.page);
        const uint64_t head = __atomic_load_n(&page->data_head, __ATOMIC_ACQUIRE);
        const std::size_t first = page_bytes();
        std::string bytes = bytes_of_ring(static_cast<const char*>(ring.page) + first,
                                          ring.bytes - first, page->data_tail, head);
        if (ring.has_wait_stacks) mark_wait_stacks(bytes);
        all += bytes;
        __atomic_store_n(&page->data_tail, head, __ATOMIC_RELEASE);
    }
    return all;
}

std::vector<int> PerfEvents::descriptors() const {
    std::vector<int> fds;
    fds.reserve(rings_.size());
    for (const Ring& ring : rings_)
        if (!ring.has_wait_stacks) fds.push_back(ring.fd);
    return fds;
}

}  // namespace lanescope
