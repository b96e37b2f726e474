#include "app/inject/capture_range.h"

#include <unistd.h>

#include <cstdlib>
#include <cstring>

#include "app/inject/cuda.h"
#include "app/inject/nvtx_ranges.h"

namespace lanescope {

namespace {

constexpr char kCudaProfiler[] = "cudaProfilerApi";
// Set in the ids of ranges that are captures; ids count from 1.
constexpr uint64_t kIsCapture = uint64_t{1} << 63;

// "NAME" or "NAME@DOMAIN".
struct WantedRange {
    const char* name;
    std::size_t length;
    const char* domain;  // null: any
};

WantedRange wanted;

// The outermost capture that this thread opened by a push. A forked child has not opened it.
struct PushedCapture {
    uint32_t pid;  // 0: none
    uint32_t slot;
    int level;
};
__thread PushedCapture pushed __attribute__((tls_model("initial-exec")));

// The functions that record.
struct Recording {
    int (*push_ex)(const nvtxEventAttributes_t*);
    int (*push_ascii)(const char*);
    int (*pop)();
    nvtxRangeId_t (*start_ex)(const nvtxEventAttributes_t*);
    nvtxRangeId_t (*start_ascii)(const char*);
    void (*end)(nvtxRangeId_t);
    int (*domain_push)(nvtxDomainHandle_t, const nvtxEventAttributes_t*);
    int (*domain_pop)(nvtxDomainHandle_t);
    nvtxRangeId_t (*domain_start)(nvtxDomainHandle_t, const nvtxEventAttributes_t*);
    void (*domain_end)(nvtxDomainHandle_t, nvtxRangeId_t);
};
Recording recording;

bool is_wanted(nvtxDomainHandle_t handle, const char* text) {
    const char* domain = domain_of(handle).name;
    if (wanted.domain && (!domain || std::strcmp(domain, wanted.domain) != 0)) return false;
    return text && std::strlen(text) == wanted.length &&
           std::memcmp(text, wanted.name, wanted.length) == 0;
}

bool is_wanted(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes) {
    return with_text(attributes,
                     [&](const NvtxText& text) { return is_wanted(handle, text.text); });
}

template <typename Push>
int push(nvtxDomainHandle_t handle, bool is_capture, const Push& push_it) {
    const auto pid = static_cast<uint32_t>(getpid());
    if (!is_capture || pushed.pid == pid) return push_it();
    begin_capture();
    const int level = push_it();
    if (level < 0)
        end_capture();
    else
        pushed = {pid, domain_of(handle).slot, level};
    return level;
}

void note_pop(nvtxDomainHandle_t handle, int level) {
    if (pushed.pid == 0 || level != pushed.level || domain_of(handle).slot != pushed.slot) return;
    const bool is_own = pushed.pid == static_cast<uint32_t>(getpid());
    pushed.pid = 0;
    if (is_own) end_capture();
}

template <typename Start>
nvtxRangeId_t start(bool is_capture, const Start& start_it) {
    if (!is_capture) return start_it();
    begin_capture();
    const nvtxRangeId_t id = start_it();
    if (id != 0) return id | kIsCapture;
    end_capture();
    return 0;
}

int watched_push_ex(const nvtxEventAttributes_t* attributes) {
    return push(nullptr, is_wanted(nullptr, attributes),
                [&] { return recording.push_ex(attributes); });
}
int watched_push_ascii(const char* message) {
    return push(nullptr, is_wanted(nullptr, message),
                [&] { return recording.push_ascii(message); });
}
int watched_push_wide(const wchar_t* message) {
    return watched_push_ascii(Narrow(message).text());
}
int watched_pop() {
    const int level = recording.pop();
    note_pop(nullptr, level);
    return level;
}
nvtxRangeId_t watched_start_ex(const nvtxEventAttributes_t* attributes) {
    return start(is_wanted(nullptr, attributes), [&] { return recording.start_ex(attributes); });
}
nvtxRangeId_t watched_start_ascii(const char* message) {
    return start(is_wanted(nullptr, message), [&] { return recording.start_ascii(message); });
}
nvtxRangeId_t watched_start_wide(const wchar_t* message) {
    return watched_start_ascii(Narrow(message).text());
}
void watched_end(nvtxRangeId_t id) {
    recording.end(id & ~kIsCapture);
    if (id & kIsCapture) end_capture();
}
int watched_domain_push(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
    return push(domain, is_wanted(domain, attributes),
                [&] { return recording.domain_push(domain, attributes); });
}
int watched_domain_pop(nvtxDomainHandle_t domain) {
    const int level = recording.domain_pop(domain);
    note_pop(domain, level);
    return level;
}
nvtxRangeId_t watched_domain_start(nvtxDomainHandle_t domain,
                                   const nvtxEventAttributes_t* attributes) {
    return start(is_wanted(domain, attributes),
                 [&] { return recording.domain_start(domain, attributes); });
}
void watched_domain_end(nvtxDomainHandle_t domain, nvtxRangeId_t id) {
    recording.domain_end(domain, id & ~kIsCapture);
    if (id & kIsCapture) end_capture();
}

// Keeps the function of a slot as `kept`, and puts `watching` there. Every copy of NVTX in the
// program has slots of its own, filled with the same functions.
template <typename Function>
void watch(NvtxFunctionTable slots, unsigned size, unsigned index, Function*& kept,
           Function* watching) {
    if (index >= size || !slots[index]) return;
    kept = reinterpret_cast<Function*>(*slots[index]);
    *slots[index] = reinterpret_cast<NvtxFunctionPointer>(watching);
}

template <typename Function>
void replace(NvtxFunctionTable slots, unsigned size, unsigned index, Function* watching) {
    if (index < size && slots[index])
        *slots[index] = reinterpret_cast<NvtxFunctionPointer>(watching);
}

}  // namespace

bool has_capture_range() {
    if (wanted.name) return true;
    const char* name = std::getenv("LANESCOPE_CAPTURE_RANGE");
    if (!name || !*name) return false;
    const char* at = std::strrchr(name, '@');
    wanted = {name, at ? static_cast<std::size_t>(at - name) : std::strlen(name),
              at ? at + 1 : nullptr};
    // The program may change its environment.
    wanted.name = keep_text(name);
    if (wanted.domain) wanted.domain = wanted.name ? wanted.name + wanted.length + 1 : nullptr;
    return wanted.name != nullptr;
}

bool is_cuda_capture() {
    return has_capture_range() && std::strcmp(wanted.name, kCudaProfiler) == 0;
}

void begin_capture() {
    __atomic_fetch_add(&spool.header->captures, 1, __ATOMIC_RELAXED);
    if (__atomic_fetch_add(&spool.header->open_captures, 1, __ATOMIC_ACQ_REL) == 0)
        change_spool_control(*spool.header, kSpoolPaused, kSpoolRecording);
    record_cuda_from_now();
}

void end_capture() {
    if (__atomic_fetch_sub(&spool.header->open_captures, 1, __ATOMIC_ACQ_REL) != 1) return;
    leave_out_cuda_from_now();
    change_spool_control(*spool.header, kSpoolRecording, kSpoolPaused);
}

void end_capture_of_thread() {
    const bool is_own = pushed.pid == static_cast<uint32_t>(getpid());
    pushed.pid = 0;
    if (is_own) end_capture();
}

void watch_core(NvtxFunctionTable slots, unsigned size) {
    watch(slots, size, NVTX_CBID_CORE_RangePushEx, recording.push_ex, watched_push_ex);
    watch(slots, size, NVTX_CBID_CORE_RangePushA, recording.push_ascii, watched_push_ascii);
    replace(slots, size, NVTX_CBID_CORE_RangePushW, watched_push_wide);
    watch(slots, size, NVTX_CBID_CORE_RangePop, recording.pop, watched_pop);
    watch(slots, size, NVTX_CBID_CORE_RangeStartEx, recording.start_ex, watched_start_ex);
    watch(slots, size, NVTX_CBID_CORE_RangeStartA, recording.start_ascii, watched_start_ascii);
    replace(slots, size, NVTX_CBID_CORE_RangeStartW, watched_start_wide);
    watch(slots, size, NVTX_CBID_CORE_RangeEnd, recording.end, watched_end);
}

void watch_core2(NvtxFunctionTable slots, unsigned size) {
    watch(slots, size, NVTX_CBID_CORE2_DomainRangePushEx, recording.domain_push,
          watched_domain_push);
    watch(slots, size, NVTX_CBID_CORE2_DomainRangePop, recording.domain_pop, watched_domain_pop);
    watch(slots, size, NVTX_CBID_CORE2_DomainRangeStartEx, recording.domain_start,
          watched_domain_start);
    watch(slots, size, NVTX_CBID_CORE2_DomainRangeEnd, recording.domain_end, watched_domain_end);
}

}  // namespace lanescope
