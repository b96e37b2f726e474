#include "api/failure.h"

#include <exception>
#include <new>
#include <utility>

namespace lanescope {

namespace {

struct LastError {
    std::string text;
    std::string path;
    lanescope_error shown = {LANESCOPE_OK, "", "", LANESCOPE_NO_OFFSET};
};

LastError& last_error() {
    thread_local LastError error;
    return error;
}

lanescope_status status_of(ErrorCode code) {
    switch (code) {
        case ErrorCode::io:
            return LANESCOPE_IO;
        case ErrorCode::unsupported:
            return LANESCOPE_UNSUPPORTED;
        case ErrorCode::damaged:
            return LANESCOPE_DAMAGED;
        case ErrorCode::empty:
            return LANESCOPE_EMPTY;
        case ErrorCode::usage:
            return LANESCOPE_USAGE;
        case ErrorCode::cancelled:
            return LANESCOPE_CANCELLED;
        case ErrorCode::no_memory:
            return LANESCOPE_NO_MEMORY;
    }
    return LANESCOPE_INTERNAL;
}

lanescope_status keep(lanescope_status status, const Failure& failure) {
    LastError& last = last_error();
    last.text = failure.error.text;
    last.path = failure.path;
    last.shown = {status, last.text.c_str(), last.path.c_str(), failure.error.byte_offset};
    return status;
}

lanescope_status out_of_memory() noexcept {
    last_error().shown = {LANESCOPE_NO_MEMORY, "There is not enough memory", "",
                          LANESCOPE_NO_OFFSET};
    return LANESCOPE_NO_MEMORY;
}

}  // namespace

lanescope_status failed(const Failure& failure) {
    return keep(status_of(failure.error.code), failure);
}

Error misuse(std::string text) {
    return {ErrorCode::usage, Error::no_offset, std::move(text)};
}

lanescope_status guarded(const std::function<lanescope_status()>& function) {
    try {
        return function();
    } catch (const std::bad_alloc&) {
        return out_of_memory();
    } catch (const std::exception& error) {
        try {
            Failure failure;
            failure.error.text = error.what();
            return keep(LANESCOPE_INTERNAL, failure);
        } catch (const std::bad_alloc&) {
            return out_of_memory();
        }
    }
}

}  // namespace lanescope

extern "C" const lanescope_error* lanescope_last_error(void) {
    return &lanescope::last_error().shown;
}
