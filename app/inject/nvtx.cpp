#include "app/inject/nvtx.h"

#include "app/inject/capture_range.h"
#include "app/inject/nvtx_ranges.h"

namespace lanescope {

namespace {

uint32_t attributes_of(SpoolRange& range, const nvtxEventAttributes_t* attributes) {
    const bool known = attributes && attributes->size >= sizeof(nvtxEventAttributes_t);
    return known ? fill_attributes(range, *attributes) : kPlainRange;
}

// Rare cases have a function of their own, so that its stack use costs the common push nothing.
__attribute__((noinline)) int push_attributes(nvtxDomainHandle_t domain,
                                              const nvtxEventAttributes_t* attributes) {
    SpoolRange range = {};
    const uint32_t bytes = attributes_of(range, attributes);
    return with_text(attributes, [&](const NvtxText& text) {
        return push_range(domain_of(domain), text, range, bytes);
    });
}
// The common pushes: a function for each length, and for permanent texts.
template <bool text_stays>
__attribute__((always_inline)) inline int push_any_length(const NvtxDomain* domain,
                                                          const nvtxEventAttributes_t* attributes) {
    const nvtxMessageValue_t& message = attributes->message;
    const char* text =
        text_stays ? reinterpret_cast<const char*>(message.registered) : message.ascii;
    if (attributes->payloadType != NVTX_PAYLOAD_UNKNOWN)
        return push_known<text_stays, 24>(domain, text, attributes);
    if (attributes->colorType == NVTX_COLOR_ARGB || attributes->category != 0)
        return push_known<text_stays, 16>(domain, text, attributes);
    return push_known<text_stays, 8>(domain, text, attributes);
}
int domain_push(nvtxDomainHandle_t handle, const nvtxEventAttributes_t* attributes) {
    const auto* domain = reinterpret_cast<const NvtxDomain*>(handle);
    int level = -1;
    if (attributes && attributes->size >= sizeof(nvtxEventAttributes_t)) {
        if (attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
            level = push_any_length<true>(domain, attributes);
        if (attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
            level = push_any_length<false>(domain, attributes);
    }
    return level >= 0 ? level : push_attributes(handle, attributes);
}
__attribute__((noinline)) int pop_unknown(nvtxDomainHandle_t domain) {
    return pop_range(domain_of(domain));
}
int domain_pop(nvtxDomainHandle_t domain) {
    const int level = pop_known(reinterpret_cast<const NvtxDomain*>(domain));
    return level >= 0 ? level : pop_unknown(domain);
}
int push_ex(const nvtxEventAttributes_t* attributes) {
    return domain_push(nullptr, attributes);
}
__attribute__((noinline)) int push_unknown(const char* message) {
    SpoolRange range = {};
    return push_range(kDefaultDomain, {message, false}, range, kPlainRange);
}
int push_ascii(const char* message) {
    const int level = push_known<false, 8>(nullptr, message, nullptr);
    return level >= 0 ? level : push_unknown(message);
}
int push_wide(const wchar_t* message) {
    return push_ascii(Narrow(message).text());
}
int pop() {
    const int level = pop_known(nullptr);
    return level >= 0 ? level : pop_unknown(nullptr);
}

nvtxRangeId_t domain_start(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
    SpoolRange range = {};
    attributes_of(range, attributes);
    return with_text(attributes, [&](const NvtxText& text) {
        return start_range(domain_of(domain), text, range);
    });
}
nvtxRangeId_t start_ex(const nvtxEventAttributes_t* attributes) {
    return domain_start(nullptr, attributes);
}
nvtxRangeId_t start_ascii(const char* message) {
    SpoolRange range = {};
    return start_range(domain_of(nullptr), {message, false}, range);
}
nvtxRangeId_t start_wide(const wchar_t* message) {
    return start_ascii(Narrow(message).text());
}
void end(nvtxRangeId_t id) {
    end_range(id);
}
void domain_end(nvtxDomainHandle_t, nvtxRangeId_t id) {
    end_range(id);
}

void domain_mark(nvtxDomainHandle_t domain, const nvtxEventAttributes_t* attributes) {
    SpoolRange range = {};
    const uint32_t bytes = attributes_of(range, attributes);
    with_text(attributes,
              [&](const NvtxText& text) { write_mark(domain_of(domain), text, range, bytes); });
}
void mark_ex(const nvtxEventAttributes_t* attributes) {
    domain_mark(nullptr, attributes);
}
void mark_ascii(const char* message) {
    SpoolRange range = {};
    write_mark(domain_of(nullptr), {message, false}, range, kPlainRange);
}
void mark_wide(const wchar_t* message) {
    mark_ascii(Narrow(message).text());
}

void domain_name_category(nvtxDomainHandle_t domain, uint32_t category, const char* name) {
    SpoolStream* facts = name ? take_facts() : nullptr;
    if (!facts) return;
    const char* in = domain_of(domain).name;
    SpoolCategoryName fact = {};
    fact.category = category;
    write_record(spool, *facts, fact, kSpoolCategoryName, sizeof fact,
                 [&](SpoolCategoryName& record) {
                     record.record.text = spool_text(spool, *facts, name, std::strlen(name));
                     record.domain = in ? spool_text(spool, *facts, in, std::strlen(in)) : 0;
                 });
    give_back_facts();
}
void domain_name_category_wide(nvtxDomainHandle_t domain, uint32_t category, const wchar_t* name) {
    domain_name_category(domain, category, Narrow(name).text());
}
void name_category(uint32_t category, const char* name) {
    domain_name_category(nullptr, category, name);
}
void name_category_wide(uint32_t category, const wchar_t* name) {
    domain_name_category(nullptr, category, Narrow(name).text());
}

void name_thread(uint32_t tid, const char* name) {
    SpoolStream* facts = name ? take_facts() : nullptr;
    if (!facts) return;
    SpoolThreadName fact = {};
    fact.tid = tid;
    fact.by_program = 1;
    write_record(spool, *facts, fact, kSpoolThreadName, sizeof fact, [&](SpoolThreadName& record) {
        record.record.text = spool_text(spool, *facts, name, std::strlen(name));
    });
    give_back_facts();
}
void name_thread_wide(uint32_t tid, const wchar_t* name) {
    name_thread(tid, Narrow(name).text());
}

nvtxDomainHandle_t domain_create(const char* name) {
    return create_domain(name);
}
nvtxDomainHandle_t domain_create_wide(const wchar_t* name) {
    return create_domain(Narrow(name).text());
}
nvtxStringHandle_t register_ascii(nvtxDomainHandle_t, const char* text) {
    return register_text(text);
}
nvtxStringHandle_t register_wide(nvtxDomainHandle_t, const wchar_t* text) {
    return register_text(Narrow(text).text());
}

// A lock of the program: waiting for it is a range in a separate domain, which does not mix with
// the program's.
struct UserLock {
    const char* name;
};

const NvtxDomain& lock_domain() {
    static nvtxDomainHandle_t known = nullptr;
    if (!known) known = create_domain("locks");
    return domain_of(known);
}

nvtxSyncUser_t lock_create(nvtxDomainHandle_t, const nvtxSyncUserAttributes_t* attributes) {
    auto* lock = static_cast<UserLock*>(keep_memory(sizeof(UserLock)));
    if (!lock) return nullptr;
    const char* name = nullptr;
    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_ASCII)
        name = keep_text(attributes->message.ascii);
    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_REGISTERED)
        name = reinterpret_cast<const char*>(attributes->message.registered);
    if (attributes && attributes->messageType == NVTX_MESSAGE_TYPE_UNICODE)
        name = keep_text(Narrow(attributes->message.unicode).text());
    lock->name = name ? name : "lock";
    return reinterpret_cast<nvtxSyncUser_t>(lock);
}
void lock_wait(nvtxSyncUser_t handle) {
    SpoolRange range = {};
    if (handle)
        push_range(lock_domain(), {reinterpret_cast<const UserLock*>(handle)->name, true}, range,
                   kPlainRange);
}
void lock_waited(nvtxSyncUser_t handle) {
    if (handle) pop_range(lock_domain());
}

using Slots = NvtxFunctionTable;

template <typename Function>
void put(Slots slots, unsigned size, unsigned index, Function* function) {
    if (index < size && slots[index])
        *slots[index] = reinterpret_cast<NvtxFunctionPointer>(function);
}

void fill_core(Slots slots, unsigned size) {
    put(slots, size, NVTX_CBID_CORE_MarkEx, mark_ex);
    put(slots, size, NVTX_CBID_CORE_MarkA, mark_ascii);
    put(slots, size, NVTX_CBID_CORE_MarkW, mark_wide);
    put(slots, size, NVTX_CBID_CORE_RangeStartEx, start_ex);
    put(slots, size, NVTX_CBID_CORE_RangeStartA, start_ascii);
    put(slots, size, NVTX_CBID_CORE_RangeStartW, start_wide);
    put(slots, size, NVTX_CBID_CORE_RangeEnd, end);
    put(slots, size, NVTX_CBID_CORE_RangePushEx, push_ex);
    put(slots, size, NVTX_CBID_CORE_RangePushA, push_ascii);
    put(slots, size, NVTX_CBID_CORE_RangePushW, push_wide);
    put(slots, size, NVTX_CBID_CORE_RangePop, pop);
    put(slots, size, NVTX_CBID_CORE_NameCategoryA, name_category);
    put(slots, size, NVTX_CBID_CORE_NameCategoryW, name_category_wide);
    put(slots, size, NVTX_CBID_CORE_NameOsThreadA, name_thread);
    put(slots, size, NVTX_CBID_CORE_NameOsThreadW, name_thread_wide);
}

void fill_core2(Slots slots, unsigned size) {
    put(slots, size, NVTX_CBID_CORE2_DomainMarkEx, domain_mark);
    put(slots, size, NVTX_CBID_CORE2_DomainRangeStartEx, domain_start);
    put(slots, size, NVTX_CBID_CORE2_DomainRangeEnd, domain_end);
    put(slots, size, NVTX_CBID_CORE2_DomainRangePushEx, domain_push);
    put(slots, size, NVTX_CBID_CORE2_DomainRangePop, domain_pop);
    put(slots, size, NVTX_CBID_CORE2_DomainNameCategoryA, domain_name_category);
    put(slots, size, NVTX_CBID_CORE2_DomainNameCategoryW, domain_name_category_wide);
    put(slots, size, NVTX_CBID_CORE2_DomainRegisterStringA, register_ascii);
    put(slots, size, NVTX_CBID_CORE2_DomainRegisterStringW, register_wide);
    put(slots, size, NVTX_CBID_CORE2_DomainCreateA, domain_create);
    put(slots, size, NVTX_CBID_CORE2_DomainCreateW, domain_create_wide);
}

void fill_sync(Slots slots, unsigned size) {
    put(slots, size, NVTX_CBID_SYNC_DomainSyncUserCreate, lock_create);
    put(slots, size, NVTX_CBID_SYNC_DomainSyncUserAcquireStart, lock_wait);
    put(slots, size, NVTX_CBID_SYNC_DomainSyncUserAcquireFailed, lock_waited);
    put(slots, size, NVTX_CBID_SYNC_DomainSyncUserAcquireSuccess, lock_waited);
}

void name_device(int device, const char* name) {
    SpoolStream* facts = name ? take_facts() : nullptr;
    if (!facts) return;
    SpoolObjectName fact = {};
    fact.kind = 1;
    fact.id = static_cast<uint32_t>(device);
    write_record(spool, *facts, fact, kSpoolObjectName, sizeof fact, [&](SpoolObjectName& record) {
        record.record.text = spool_text(spool, *facts, name, std::strlen(name));
    });
    give_back_facts();
}
void name_device_wide(int device, const wchar_t* name) {
    name_device(device, Narrow(name).text());
}

}  // namespace

bool take_nvtx(const void* (*get_export_table)(unsigned)) {
    const auto* callbacks =
        static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
    if (!callbacks || callbacks->struct_size < sizeof(NvtxExportTableCallbacks) ||
        !callbacks->GetModuleFunctionTable)
        return false;
    const auto fill = [&](NvtxCallbackModule module, auto&& fill_slots) {
        Slots slots = nullptr;
        unsigned size = 0;
        if (callbacks->GetModuleFunctionTable(module, &slots, &size) == 0 || !slots) return false;
        fill_slots(slots, size);
        return true;
    };
    if (!fill(NVTX_CB_MODULE_CORE, fill_core)) return false;
    fill(NVTX_CB_MODULE_CORE2, fill_core2);
    if (has_capture_range() && !is_cuda_capture()) {
        fill(NVTX_CB_MODULE_CORE, watch_core);
        fill(NVTX_CB_MODULE_CORE2, watch_core2);
    }
    fill(NVTX_CB_MODULE_SYNC, fill_sync);
    fill(NVTX_CB_MODULE_CUDA, [](Slots slots, unsigned size) {
        put(slots, size, NVTX_CBID_CUDA_NameCuDeviceA, name_device);
        put(slots, size, NVTX_CBID_CUDA_NameCuDeviceW, name_device_wide);
    });
    fill(NVTX_CB_MODULE_CUDART, [](Slots slots, unsigned size) {
        put(slots, size, NVTX_CBID_CUDART_NameCudaDeviceA, name_device);
        put(slots, size, NVTX_CBID_CUDART_NameCudaDeviceW, name_device_wide);
    });
    return true;
}

}  // namespace lanescope
