#include "app/inject/cupti_library.h"

#include <dlfcn.h>
#include <link.h>

#include <cstdlib>
#include <cstring>
#include <initializer_list>

namespace lanescope {

namespace {

constexpr uint32_t kMaxPath = 1024;

const char* base_name(const char* path) {
    const char* slash = std::strrchr(path, '/');
    return slash ? slash + 1 : path;
}

bool starts_with(const char* text, const char* begin) {
    return std::strncmp(text, begin, std::strlen(begin)) == 0;
}

// The parts of CUDA that this program has loaded.
struct Loaded {
    char cupti[kMaxPath];
    char runtime[kMaxPath];
};

void keep_path(char (&into)[kMaxPath], const char* path) {
    const std::size_t length = std::strlen(path);
    if (length < sizeof into) std::memcpy(into, path, length + 1);
}

int look_at_library(dl_phdr_info* info, size_t, void* found) {
    auto* loaded = static_cast<Loaded*>(found);
    const char* path = info->dlpi_name;
    if (!path || *path == '\0') return 0;
    const char* name = base_name(path);
    if (starts_with(name, "libcupti.so")) keep_path(loaded->cupti, path);
    if (starts_with(name, "libcudart.so.")) keep_path(loaded->runtime, path);
    return 0;
}

// Builds a path from pieces; a path that is too long becomes "", which cannot be opened.
class Path {
  public:
    explicit Path(const char* begin) { add(begin, std::strlen(begin)); }
    Path(const char* begin, std::size_t length) { add(begin, length); }
    Path& operator+=(const char* more) {
        add(more, std::strlen(more));
        return *this;
    }
    const char* text() const { return text_; }

  private:
    void add(const char* more, std::size_t length) {
        if (length_ + length >= sizeof text_) {
            length_ = 0;
            text_[0] = '\0';
            return;
        }
        std::memcpy(text_ + length_, more, length);
        length_ += length;
        text_[length_] = '\0';
    }
    char text_[kMaxPath] = {};
    std::size_t length_ = 0;
};

void* open_library(const Path& path) {
    return *path.text() == '\0' ? nullptr : dlopen(path.text(), RTLD_NOW | RTLD_LOCAL);
}

// CUPTI's library names by CUDA version, newest first.
struct Named {
    int major;
    const char* name;
};
constexpr Named kNamed[] = {
    {13, "libcupti.so.13"}, {12, "libcupti.so.12"}, {11, "libcupti.so.11.8"}};

// The newest CUDA version that the driver supports; a newer CUPTI does not work with it.
int newest_of_driver() {
    constexpr int any = 1000;
    void* driver = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL | RTLD_NOLOAD);
    if (!driver) return any;
    auto* ask = reinterpret_cast<int (*)(int*)>(dlsym(driver, "cuDriverGetVersion"));
    int version = 0;
    return ask && ask(&version) == 0 && version > 0 ? version / 1000 : any;
}

// The runtime determines which CUPTI is needed, and where it may be: beside it, in NVIDIA's Python
// packages, or in a toolkit.
void* open_beside_runtime(const char* runtime) {
    const char* name = base_name(runtime);
    const int major = std::atoi(name + std::strlen("libcudart.so."));
    const auto folder = static_cast<std::size_t>(name - runtime);
    for (const Named& named : kNamed) {
        if (named.major != major) continue;
        for (const char* where : {"", "../../cuda_cupti/lib/", "../extras/CUPTI/lib64/"}) {
            Path path(runtime, folder);
            path += where;
            path += named.name;
            if (void* library = open_library(path)) return library;
        }
        return open_library(Path(named.name));
    }
    return nullptr;
}

void* open_in_toolkit(const char* root) {
    if (!root || *root == '\0') return nullptr;
    for (const char* where : {"/extras/CUPTI/lib64/libcupti.so", "/lib64/libcupti.so"}) {
        Path path(root);
        path += where;
        if (void* library = open_library(path)) return library;
    }
    return nullptr;
}

void* open_any() {
    Loaded loaded = {};
    dl_iterate_phdr(look_at_library, &loaded);
    if (*loaded.cupti != '\0') return open_library(Path(loaded.cupti));
    if (*loaded.runtime != '\0')
        if (void* library = open_beside_runtime(loaded.runtime)) return library;
    const int newest = newest_of_driver();
    for (const Named& named : kNamed)
        if (named.major <= newest)
            if (void* library = open_library(Path(named.name))) return library;
    for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
        if (void* library = open_in_toolkit(std::getenv(variable))) return library;
    return open_in_toolkit("/usr/local/cuda");
}

}  // namespace

const char* load_cupti(Cupti& cupti) {
    void* library = open_any();
    if (!library) return "";
    const char* missing = nullptr;
    const auto find = [&](auto*& function, const char* name) {
        void* found = dlsym(library, name);
        if (!found) missing = name;
        std::memcpy(&function, &found, sizeof function);
    };
    find(cupti.get_version, "cuptiGetVersion");
    find(cupti.result_text, "cuptiGetResultString");
    find(cupti.subscribe, "cuptiSubscribe");
    find(cupti.unsubscribe, "cuptiUnsubscribe");
    find(cupti.enable_callback, "cuptiEnableCallback");
    find(cupti.callback_name, "cuptiGetCallbackName");
    find(cupti.register_buffers, "cuptiActivityRegisterCallbacks");
    find(cupti.enable, "cuptiActivityEnable");
    find(cupti.disable, "cuptiActivityDisable");
    find(cupti.flush_all, "cuptiActivityFlushAll");
    find(cupti.next_record, "cuptiActivityGetNextRecord");
    find(cupti.count_dropped, "cuptiActivityGetNumDroppedRecords");
    find(cupti.timestamp, "cuptiGetTimestamp");
    find(cupti.set_thread_id_type, "cuptiSetThreadIdType");
    find(cupti.set_attribute, "cuptiActivitySetAttribute");
    return missing;
}

}  // namespace lanescope
