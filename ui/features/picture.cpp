#include "ui/features/picture.h"

#include <nlohmann/json.hpp>
#include <utility>

namespace lanescope {

std::span<const Action> PictureFeature::actions() const {
    static constexpr Action kActions[] = {Action::screenshot, Action::picture_at_once,
                                          Action::copy_picture};
    return kActions;
}

void PictureFeature::act(Action action, Frame& frame) {
    const ImVec2 size = ImGui::GetIO().DisplaySize;
    if (action == Action::screenshot)
        dialog_.show(static_cast<int>(size.x), static_cast<int>(size.y), frame.look.scale);
    else
        wanted_ = PictureRequest{.path = action == Action::picture_at_once ? picture_name()
                                                                           : std::string()};
}

void PictureFeature::draw_over(Frame& frame) {
    if (auto request = dialog_.draw(frame.look)) wanted_ = std::move(request);
}

bool PictureFeature::take(const Request& request, Frame& /*frame*/) {
    const SavePicture* const picture = std::get_if<SavePicture>(&request);
    if (!picture) return false;
    wanted_ = PictureRequest{.path = picture->part.path, .part = picture->part};
    return true;
}

std::optional<PictureRequest> PictureFeature::take_request() {
    return std::exchange(wanted_, std::nullopt);
}

void PictureFeature::describe(const Frame& /*frame*/, nlohmann::json& state) const {
    if (!dialog_.shown()) return;
    for (const auto& [name, box] : dialog_.choices())
        state["picture_choices"][name] = {box.x, box.y, box.z, box.w};
}

}  // namespace lanescope
