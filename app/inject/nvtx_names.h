// NVTX's handles and texts.
#pragma once

#include <cstdint>
#include <cwchar>

// Types alone, with those that only tools need.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

namespace lanescope {

// What an nvtxDomainHandle_t points to; a null handle is the default domain.
struct NvtxDomain {
    const char* name;  // null: the default domain
    uint32_t slot;     // in ThreadState::depths
    NvtxDomain* next;
};

// The text of an event: one that stays (registered), or one that may be gone after the call.
struct NvtxText {
    const char* text = nullptr;
    bool stays = false;
};

inline constexpr NvtxDomain kDefaultDomain = {nullptr, 0, nullptr};

inline const NvtxDomain& domain_of(nvtxDomainHandle_t handle) {
    return handle ? *reinterpret_cast<const NvtxDomain*>(handle) : kDefaultDomain;
}
nvtxDomainHandle_t create_domain(const char* name);
// What an nvtxStringHandle_t is: the address of a copy. Null when there is no memory.
nvtxStringHandle_t register_text(const char* text);

// A wide text as UTF-8, cut where it is too long.
class Narrow {
  public:
    explicit Narrow(const wchar_t* wide);
    const char* text() const { return text_; }

  private:
    char text_[2048];
};

}  // namespace lanescope
