// Evidence: what stands beside a trace and analyses may use: at most one piece of each type.
#pragma once

#include <map>
#include <memory>
#include <typeindex>
#include <utility>

namespace lanescope {

// A value whose copies share the pieces. Pieces never change.
class Evidence {
  public:
    Evidence() = default;
    // Null pieces count as absent.
    template <typename... Pieces>
    explicit Evidence(std::shared_ptr<const Pieces>... pieces) {
        (add(std::move(pieces)), ...);
    }

    // The same pieces and this one, which replaces one of its type.
    template <typename Piece>
    [[nodiscard]] Evidence with(std::shared_ptr<const Piece> piece) const {
        Evidence more = *this;
        more.add(std::move(piece));
        return more;
    }

    // Null: there is no such piece. It lives as long as a copy of this evidence.
    template <typename Piece>
    const Piece* find() const {
        const auto found = pieces_.find(typeid(Piece));
        return found == pieces_.end() ? nullptr : static_cast<const Piece*>(found->second.get());
    }
    // The piece; without one, Piece::built_in().
    template <typename Piece>
    const Piece& get() const {
        const Piece* const found = find<Piece>();
        return found ? *found : Piece::built_in();
    }

  private:
    template <typename Piece>
    void add(std::shared_ptr<const Piece> piece) {
        if (piece) pieces_[typeid(Piece)] = std::move(piece);
    }

    std::map<std::type_index, std::shared_ptr<const void>> pieces_;
};

}  // namespace lanescope
