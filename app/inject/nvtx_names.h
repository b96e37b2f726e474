// NVTX's handles and texts.
#pragma once

#include <cstdint>
#include <cwchar>

// Only types, including those for tools.
#define NVTX_NO_IMPL
#include <nvtx3/nvToolsExt.h>
#include <nvtx3/nvToolsExtSync.h>

namespace lanescope {

// The target of an nvtxDomainHandle_t; a null handle is the default domain.
struct NvtxDomain {
    const char* name;  // null: the default domain
    uint32_t slot;     // in ThreadState::depths
    NvtxDomain* next;
};

// An event's text: permanent (registered), or valid only during the call.
struct NvtxText {
    const char* text = nullptr;
    bool stays = false;
};

inline constexpr NvtxDomain kDefaultDomain = {nullptr, 0, nullptr};

inline const NvtxDomain& domain_of(nvtxDomainHandle_t handle) {
    return handle ? *reinterpret_cast<const NvtxDomain*>(handle) : kDefaultDomain;
}
nvtxDomainHandle_t create_domain(const char* name);
// The value of an nvtxStringHandle_t: the address of a copy. Null if there is no memory.
nvtxStringHandle_t register_text(const char* text);

// A wide text as UTF-8, truncated if too long.
class Narrow {
  public:
    explicit Narrow(const wchar_t* wide);
    const char* text() const { return text_; }

  private:
    char text_[2048];
};

}  // namespace lanescope
