#include "core/capture/kineto/attacher.h"

#include <algorithm>
#include <map>
#include <tuple>
#include <utility>

#include "core/capture/kineto/kineto_daemon.h"
#include "core/capture/process/process_facts.h"

namespace lanescope {

namespace {

using std::chrono::seconds;

constexpr int kStepMs = 50;
constexpr seconds kRetryInterval(1);
// A process asks every five seconds.
constexpr seconds kAllHaveAsked(7);

CaptureTime now() {
    return std::chrono::system_clock::now();
}

// Sorts "2" before "10".
auto order_of(const AttachRow& row) {
    return std::tuple(row.rank.empty(), row.rank.size(), row.rank, row.pid);
}

}  // namespace

// State that only the thread uses.
class Attacher::Loop {
  public:
    Loop(Attacher& owner, AttachOptions options)
        : owner_(owner), options_(std::move(options)), began_(now()) {}

    void run() {
        while (take_requests()) {
            open_socket();
            if (daemon_)
                daemon_->step(kStepMs);
            else
                std::this_thread::sleep_for(std::chrono::milliseconds(kStepMs));
            follow();
            show();
        }
        cancel();
    }

  private:
    // False if the thread must end.
    bool take_requests() {
        std::optional<Request> request;
        bool cancels = false;
        {
            const std::scoped_lock lock(owner_.mutex_);
            if (owner_.stop_) return false;
            request = std::exchange(owner_.request_, std::nullopt);
            cancels = std::exchange(owner_.cancel_, false);
        }
        if (cancels && cancel()) end(true);
        if (request && pids_.empty()) begin(std::move(*request));
        return true;
    }

    // Another daemon may come and go while a window is open.
    void open_socket() {
        if (daemon_ || !pids_.empty() || (view_.way != AttachView::Way::opening && now() < next_))
            return;
        next_ = now() + kRetryInterval;
        Result<KinetoDaemon> daemon = KinetoDaemon::start(options_.socket_folder);
        if (daemon) {
            daemon_.emplace(std::move(*daemon));
            view_.way = AttachView::Way::daemon;
            view_.problem.clear();
            began_ = now();
            return;
        }
        const bool taken = daemon.error().code == ErrorCode::unsupported;
        view_.way = taken ? AttachView::Way::dynolog : AttachView::Way::none;
        view_.problem = daemon.error().text;
        others_.clear();
        // dynolog does not list the processes that it knows: show those that could be captured.
        if (taken)
            for (const int32_t pid : attachable_processes()) {
                KinetoTarget& target = others_.emplace_back();
                target.pid = target.own_pid = pid;
            }
    }

    void begin(Request request) {
        view_.refusal.clear();
        request_ = std::move(request);
        if (daemon_) {
            const Result<void> begun =
                begin_captures(daemon_->targets(), request_.pids, request_.options, now());
            if (!begun) {
                for (const int32_t pid : request_.pids) daemon_->targets().cancel(pid);
                view_.refusal = begun.error().text + ".";
                return;
            }
            pids_ = request_.pids;
            return;
        }
        auto targets =
            begin_by_dynolog(options_.dynolog_port, request_.pids, request_.options, now());
        if (!targets) {
            view_.refusal = targets.error().text + ".";
            return;
        }
        others_ = std::move(*targets);
        for (const KinetoTarget& target : others_) pids_.push_back(target.pid);
    }

    // Returns whether there was anything to cancel.
    bool cancel() {
        if (pids_.empty()) return false;
        for (const int32_t pid : pids_)
            if (daemon_) daemon_->targets().cancel(pid);
        return true;
    }

    const KinetoTarget* find(int32_t pid) {
        if (daemon_) return daemon_->targets().find(pid);
        const auto at = std::ranges::find(others_, pid, &KinetoTarget::pid);
        return at == others_.end() ? nullptr : &*at;
    }

    void follow() {
        if (pids_.empty()) return;
        if (!daemon_)
            for (KinetoTarget& target : others_) follow_by_file(target, now());
        const bool goes_on = std::ranges::any_of(pids_, [&](int32_t pid) {
            const KinetoTarget* target = find(pid);
            return target && target->under_way();
        });
        if (!goes_on) end(false);
    }

    void end(bool cancelled) {
        view_.outcomes.clear();
        for (const int32_t pid : pids_) {
            const KinetoTarget* target = find(pid);
            const bool ended = target && (target->state == CaptureState::complete ||
                                          target->state == CaptureState::failed);
            if (ended)
                view_.outcomes.push_back(
                    take_capture(*target, trace_name(request_.name, pid, pids_.size() > 1)));
        }
        view_.cancelled = cancelled;
        ++view_.ended;
        pids_.clear();
        if (!daemon_) others_.clear();
    }

    const ProcessFacts& facts_of(int32_t pid) {
        const auto [at, is_new] = facts_.try_emplace(pid);
        if (is_new) at->second = facts_of_process(pid).value_or(ProcessFacts{});
        return at->second;
    }

    AttachRow row_of(const KinetoTarget& target) {
        const ProcessFacts& facts = facts_of(target.pid);
        return {target.pid, facts.user, facts.rank, facts.command, target.state, target.problem};
    }

    void show() {
        view_.rows.clear();
        if (daemon_) {
            for (const KinetoTarget& target : daemon_->targets().targets()) {
                // A process that has ended is shown until the whole capture has ended.
                const bool in_capture = std::ranges::find(pids_, target.pid) != pids_.end();
                if (in_capture || is_alive(target.pid)) view_.rows.push_back(row_of(target));
            }
        } else {
            for (const KinetoTarget& target : others_) view_.rows.push_back(row_of(target));
        }
        std::ranges::sort(view_.rows, {}, order_of);
        view_.nobody_asked = daemon_ && view_.rows.empty() && now() - began_ > kAllHaveAsked;
        view_.under_way = !pids_.empty();
        owner_.publish(view_);
    }

    Attacher& owner_;
    AttachOptions options_;
    CaptureTime began_;
    CaptureTime next_;  // when the socket is tried again
    std::optional<KinetoDaemon> daemon_;
    std::vector<KinetoTarget> others_;  // processes seen while another daemon has the socket
    std::map<int32_t, ProcessFacts> facts_;
    Request request_;            // the last request
    std::vector<int32_t> pids_;  // processes with a capture under way
    AttachView view_;
};

Attacher::Attacher(AttachOptions options, std::function<void()> changed)
    : changed_(std::move(changed)), view_(std::make_shared<const AttachView>()) {
    thread_ = std::thread([this, options = std::move(options)] { Loop(*this, options).run(); });
}

Attacher::~Attacher() {
    {
        const std::scoped_lock lock(mutex_);
        stop_ = true;
    }
    thread_.join();
}

std::shared_ptr<const AttachView> Attacher::view() const {
    const std::scoped_lock lock(mutex_);
    return view_;
}

void Attacher::capture(std::vector<int32_t> pids, const CaptureOptions& options, std::string name) {
    const std::scoped_lock lock(mutex_);
    request_ = Request{std::move(pids), options, std::move(name)};
}

void Attacher::cancel() {
    const std::scoped_lock lock(mutex_);
    cancel_ = true;
}

void Attacher::publish(AttachView view) {
    {
        const std::scoped_lock lock(mutex_);
        if (view == *view_) return;
        view_ = std::make_shared<const AttachView>(std::move(view));
    }
    changed_();
}

}  // namespace lanescope
