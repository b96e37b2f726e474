// Files: how features open, replace and close the window's trace.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/base/result.h"
#include "core/session/alignment.h"
#include "core/session/document.h"

namespace lanescope {

class Files {
  public:
    virtual ~Files() = default;

    // The user typed this address of another machine in the Open dialog, so open() and reopen() may
    // connect to it from now on. Errors: it is not a sound address.
    virtual Result<void> admit_typed(const std::string& address) = 0;
    // Closes the present trace. Several files are shown below each other. A path that was not
    // admitted is one of this machine.
    virtual void open(const std::vector<std::string>& paths, const Alignment& alignment) = 0;
    // Opens and follows a growing recording. `wait`: first wait until it exists.
    virtual void open_recording(const std::string& path, bool wait) = 0;
    // Opens files in addition to the present ones, or the present ones at other times. The timeline
    // stays as it is until the new joined trace replaces it.
    virtual void reopen(std::vector<PartToOpen> parts, const Alignment& alignment) = 0;
    // Reads the open files again, with the operators of graph replays from this file too.
    virtual void add_graph_capture(const std::string& path) = 0;
    // Reads the open files again, with this compiler log in addition.
    virtual void add_compile_log(const std::string& path) = 0;
    // Reads the open files again, and classifies their kernels by this file.
    virtual void classify_kernels(const std::string& path) = 0;
    virtual void close() = 0;
    // The open file, the first of several, or the one that could not be opened; empty: none.
    virtual std::string path() const = 0;
    // Why the last file could not be opened, until the user dismisses it.
    virtual const std::optional<Error>& error() const = 0;
    virtual void dismiss_error() = 0;
};

}  // namespace lanescope
