#include "app/inject/nvtx_names.h"

#include "app/inject/process.h"

namespace lanescope {

namespace {

NvtxDomain* domains = nullptr;
uint32_t domain_count = 1;

}  // namespace

nvtxDomainHandle_t create_domain(const char* name) {
    if (!name) return nullptr;
    lock_names();
    NvtxDomain* domain = domains;
    while (domain && std::strcmp(domain->name, name) != 0) domain = domain->next;
    const char* kept = domain ? domain->name : keep_text(name);
    if (!domain && kept) domain = static_cast<NvtxDomain*>(keep_memory(sizeof(NvtxDomain)));
    if (domain && domain->name == nullptr) {
        const uint32_t slot = domain_count < kDomainSlots ? domain_count++ : kDomainSlots - 1;
        *domain = {kept, slot, domains};
        domains = domain;
    }
    unlock_names();
    return reinterpret_cast<nvtxDomainHandle_t>(domain);
}

nvtxStringHandle_t register_text(const char* text) {
    return reinterpret_cast<nvtxStringHandle_t>(
        const_cast<char*>(text ? keep_text(text) : nullptr));
}

Narrow::Narrow(const wchar_t* wide) {
    uint32_t length = 0;
    for (; wide && *wide != 0 && length + 4 < sizeof text_; ++wide) {
        static_assert(sizeof(wchar_t) == sizeof(uint32_t));
        uint32_t c = 0;
        std::memcpy(&c, wide, sizeof c);
        if (c > 0x10FFFF || (c >= 0xD800 && c < 0xE000)) c = 0xFFFD;
        const auto put = [&](uint32_t byte) { text_[length++] = static_cast<char>(byte); };
        const auto put_rest = [&](uint32_t shift) { put(0x80 | (c >> shift & 0x3F)); };
        if (c < 0x80) {
            put(c);
        } else if (c < 0x800) {
            put(0xC0 | c >> 6);
            put_rest(0);
        } else if (c < 0x10000) {
            put(0xE0 | c >> 12);
            put_rest(6);
            put_rest(0);
        } else {
            put(0xF0 | c >> 18);
            put_rest(12);
            put_rest(6);
            put_rest(0);
        }
    }
    text_[length] = '\0';
}

}  // namespace lanescope
