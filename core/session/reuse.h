// One window takes over traces that other programs of the same user want to open on the same
// display: `lanescope --reuse TRACE` and the desktop file's action "Add to open window".
#pragma once

#include <sys/types.h>

#include <chrono>
#include <functional>
#include <memory>
#include <string>
#include <vector>

namespace lanescope {

struct ReuseRules {
    std::string socket_path;                   // see reuse_socket_path(); empty: nobody listens
    uid_t user = 0;                            // whose processes are trusted, on both sides
    std::chrono::milliseconds patience{1000};  // for the answer of the other side
};
// The rules for this process.
ReuseRules reuse_rules_here();

// Gives the paths to the window that listens. False if there is none, it belongs to another user,
// or it does not answer in time: the caller then opens a window of its own.
bool give_to_window(const std::vector<std::string>& paths, const ReuseRules& rules);

// Listens for a window, on a thread of its own. Of several windows, the one that began last or had
// the focus last listens: each claims the socket's name by replacing it.
class ReuseListener {
  public:
    // `wake` is called by the thread when take() has something to return. Null if the socket cannot
    // be created safely.
    static std::unique_ptr<ReuseListener> open(const ReuseRules& rules, std::function<void()> wake);
    ~ReuseListener();  // removes the socket, unless another window has claimed the name
    ReuseListener(const ReuseListener&) = delete;
    ReuseListener& operator=(const ReuseListener&) = delete;

    // The window has the focus: it listens from now on, if it does not already.
    void claim();
    // The paths of a message that waits for the window, which is then answered; mostly empty.
    std::vector<std::string> take();

  private:
    struct State;
    explicit ReuseListener(std::unique_ptr<State> state);
    std::unique_ptr<State> state_;
};

}  // namespace lanescope
