// Puts the ranks of several files together.
#include <algorithm>
#include <array>
#include <cctype>
#include <charconv>
#include <set>
#include <utility>

#include "core/analysis/ranks/rank_data.h"

namespace lanescope {

namespace {

constexpr std::array<std::string_view, 4> kRankFromNames = {"recorded", "name", "order", "device"};

bool is_rank_word(std::string_view text) {
    constexpr std::string_view word = "rank";
    return std::ranges::equal(text, word, {},
                              [](char c) { return std::tolower(static_cast<unsigned char>(c)); });
}

}  // namespace

std::string_view rank_from_name(RankFrom from) {
    return kRankFromNames[static_cast<std::size_t>(from)];
}

std::optional<RankFrom> rank_from_of(std::string_view name) {
    const auto found = std::ranges::find(kRankFromNames, name);
    if (found == kRankFromNames.end()) return std::nullopt;
    return static_cast<RankFrom>(found - kRankFromNames.begin());
}

std::string member_name(const RankMember& member) {
    return member.name.empty() ? "rank " + std::to_string(member.rank) : member.name;
}

int64_t rank_in_name(std::string_view file_name) {
    constexpr std::size_t length = 4;
    int64_t rank = kNoValue;
    for (std::size_t i = 0; i + length < file_name.size(); ++i) {
        if (!is_rank_word(file_name.substr(i, length))) continue;
        std::string_view rest = file_name.substr(i + length);
        if (std::string_view("-_.").find(rest.front()) != std::string_view::npos)
            rest.remove_prefix(1);
        int64_t number = 0;
        const bool is_number = !rest.empty() && rest.front() != '-';
        if (is_number &&
            std::from_chars(rest.data(), rest.data() + rest.size(), number).ec == std::errc())
            rank = number;
    }
    return rank;
}

void append_ranks(const RankData& file, const RankFile& of, RankData& all) {
    const auto first = static_cast<uint32_t>(all.members.size());
    std::vector<StringId> texts(file.texts.size());
    for (StringId id = 0; id < texts.size(); ++id) texts[id] = all.texts.intern(file.texts[id]);
    for (RankMember member : file.members) {
        member.trace = of.trace;
        const bool is_only = file.members.size() == 1;
        if (is_only && !member.is_rank_known()) {
            const int64_t named = rank_in_name(of.file_name);
            member.rank_from = named == kNoValue ? RankFrom::order : RankFrom::name;
            member.rank = named == kNoValue ? of.trace : named;
        }
        member.name = is_only ? of.name : of.name + " " + std::to_string(member.rank);
        all.members.push_back(std::move(member));
    }
    for (RankCall call : file.calls) {
        call.member += first;
        call.group = texts[call.group];
        all.calls.push_back(call);
    }
    for (RankWork work : file.work) {
        work.member += first;
        work.name = texts[work.name];
        work.grid = texts[work.grid];
        all.work.push_back(work);
    }
}

void number_ranks_by_order(RankData& all) {
    std::set<int64_t> taken;
    for (const RankMember& member : all.members)
        if (member.is_rank_known()) taken.insert(member.rank);
    for (RankMember& member : all.members) {
        if (member.rank_from != RankFrom::order) continue;
        while (!taken.insert(member.rank).second) ++member.rank;
    }
}

}  // namespace lanescope
