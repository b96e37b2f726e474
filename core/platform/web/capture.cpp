// A page records nothing and reaches no process.
#include "core/capture/kineto/attacher.h"
#include "core/capture/recorder.h"

namespace lanescope {

namespace {

Error not_here() {
    return {ErrorCode::unsupported, Error::no_offset, "A page of a browser cannot record programs"};
}

}  // namespace

Attacher::Attacher(AttachOptions /*options*/, std::function<void()> changed)
    : changed_(std::move(changed)), view_(std::make_shared<const AttachView>()) {}

Attacher::~Attacher() = default;

std::shared_ptr<const AttachView> Attacher::view() const {
    return view_;
}

void Attacher::capture(std::vector<int32_t> /*pids*/, const CaptureOptions& /*options*/,
                       std::string /*name*/) {}

void Attacher::cancel() {}

const char* name_of(CaptureState /*state*/) {
    return "";
}

Result<std::vector<std::string>> split_command(std::string_view /*text*/) {
    return not_here();
}

bool runs_python(const std::vector<std::string>& /*command*/) {
    return false;
}

std::string recording_log(const std::string& file) {
    return file + ".log";
}

Result<std::unique_ptr<Recorder>> Recorder::start(const std::string& /*program*/,
                                                  const RecorderStart& /*start*/) {
    return not_here();
}

std::optional<int> Recorder::ended() {
    return status_;
}

void Recorder::end_program() const {}

std::string Recorder::first_line() const {
    return {};
}

}  // namespace lanescope
