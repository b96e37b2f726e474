#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <optional>
#include <span>

#include "core/trace/kernel_label.h"
#include "core/trace/label_forms.h"

namespace lanescope {

namespace {

using Words = std::vector<std::string_view>;

struct Matrix {
    std::string what;   // "GEMM", "conv dgrad"
    std::string tile;   // "128×256×64"
    std::string in;     // type of the operands
    std::string out;    // type of the result
    std::string order;  // order of the operands' dimensions: "TN"
    std::vector<std::string> details;
    std::vector<std::string> library;
};

constexpr int kLastRank = 2;

// Sort key of details: additional computations come first, the order of blocks last.
int rank_of(std::string_view detail) {
    constexpr std::array<std::string_view, 9> kFirst = {
        "bias", "relu", "gelu", "splitK", "swiGlu", "geGlu", "biasM", "dynB", "dynBatch"};
    constexpr std::array<std::string_view, 3> kLast = {"v", "h", "bz"};
    if (std::ranges::find(kFirst, detail) != kFirst.end()) return 0;
    return std::ranges::find(kLast, detail) != kLast.end() ? kLastRank : 1;
}

std::string label_of(const Matrix& m) {
    std::vector<std::string> words{m.what};
    if (!m.tile.empty()) words.push_back(m.tile);
    if (!m.in.empty())
        words.push_back(m.out.empty() || m.out == m.in ? m.in : fmt::format("{}→{}", m.in, m.out));
    if (!m.order.empty()) words.push_back(m.order);
    std::vector<std::string> details = m.details;
    std::ranges::stable_sort(details, {}, rank_of);
    const auto last = std::ranges::find(details, kLastRank, rank_of);
    words.insert(words.end(), details.begin(), last);
    words.insert(words.end(), m.library.begin(), m.library.end());
    words.insert(words.end(), last, details.end());
    return label_of_words(words);
}

Words words_of(std::string_view name) {
    Words words;
    for (std::size_t begin = 0; begin <= name.size();) {
        const std::size_t end = std::min(name.find('_', begin), name.size());
        if (end > begin) words.push_back(name.substr(begin, end - begin));
        begin = end + 1;
    }
    return words;
}

bool all_of(std::string_view text, std::string_view characters) {
    return !text.empty() && text.find_first_not_of(characters) == std::string_view::npos;
}
constexpr std::string_view kDigits = "0123456789";

// "128x64x32" → {"128", "64", "32"}; empty: not sizes.
Words sizes_of(std::string_view word) {
    Words sizes;
    while (true) {
        const std::size_t end = std::min(word.find('x'), word.size());
        if (!all_of(word.substr(0, end), kDigits)) return {};
        sizes.push_back(word.substr(0, end));
        if (end == word.size()) break;
        word.remove_prefix(end + 1);
    }
    return sizes.size() >= 2 ? sizes : Words();
}

std::string product(std::span<const std::string_view> sizes) {
    std::string text;
    for (const std::string_view size : sizes) text += (text.empty() ? "" : "×") + std::string(size);
    return text;
}

std::string upper_case(std::string_view text) {
    std::string upper(text);
    std::ranges::transform(upper, upper.begin(), [](char c) {
        return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
    });
    return upper;
}

struct Spelling {
    std::string_view word;
    std::string_view brief;
};
template <std::size_t N>
std::string_view brief_of(const std::array<Spelling, N>& table, std::string_view word) {
    const auto found = std::ranges::find(table, word, &Spelling::word);
    return found == table.end() ? std::string_view() : found->brief;
}

constexpr std::array kTypeWords = {
    Spelling{"bf16", "bf16"},     Spelling{"f16", "f16"},       Spelling{"fp16", "f16"},
    Spelling{"half", "f16"},      Spelling{"tf32", "tf32"},     Spelling{"f32", "f32"},
    Spelling{"fp32", "f32"},      Spelling{"float", "f32"},     Spelling{"f64", "f64"},
    Spelling{"e4m3", "e4m3"},     Spelling{"e5m2", "e5m2"},     Spelling{"s8", "i8"},
    Spelling{"i8", "i8"},         Spelling{"bf16bf16", "bf16"}, Spelling{"f16f16", "f16"},
    Spelling{"tf32f32", "tf32"},  Spelling{"tf32tf32", "tf32"}, Spelling{"f32f32", "f32"},
    Spelling{"bf16f32", "bf16"},  Spelling{"f16f32", "f16"},    Spelling{"f64f64", "f64"},
    Spelling{"e4m3e4m3", "e4m3"}, Spelling{"e4m3bf16", "e4m3"}, Spelling{"i8i8", "i8"},
    Spelling{"i8i32", "i32"},     Spelling{"fp32bf16", "f32"},  Spelling{"s32", "i32"},
};

// The letter before "gemm" or "cudnn" in kernels without tensor cores: the type of all operands.
constexpr std::array kLetters = {
    Spelling{"s", "f32"},  Spelling{"h", "f16"},  Spelling{"d", "f64"}, Spelling{"c", "c64"},
    Spelling{"z", "c128"}, Spelling{"gc", "c64"}, Spelling{"i", "i8"},
};
constexpr std::array kOperations = {
    Spelling{"gemm", "GEMM"},        Spelling{"fprop", "conv fprop"},
    Spelling{"dgrad", "conv dgrad"}, Spelling{"wgrad", "conv wgrad"},
    Spelling{"cudnn", "conv"},
};
// Words without information for the label.
constexpr std::array<std::string_view, 14> kNoise = {
    "xmma",  "implicit", "tensorop", "execute", "kernel", "stages",  "5x",
    "infer", "train",    "off",      "v1",      "g1",     "segment", "k"};
constexpr std::array<std::string_view, 7> kLibraries = {"ampere", "volta", "turing", "maxwell",
                                                        "hopper", "cudnn", "cublas"};

// Collects properties of a product from the words of a name.
class WordReader {
  public:
    Matrix matrix;

    // False: no word names the operation.
    bool read(const Words& words) {
        for (const std::string_view word : words) {
            if (!take_operation(word) && !take_size(word) && !take_type(word) && !take_order(word))
                take_rest(word);
            before_ = word;
        }
        return !matrix.what.empty();
    }

  private:
    // "s16816gemm", "sgemm", "gcgemm", "s1688fprop", "dgrad", "scudnn"
    bool take_operation(std::string_view word) {
        for (const auto& [tail, what] : kOperations) {
            if (!word.ends_with(tail)) continue;
            std::string_view head = word.substr(0, word.size() - tail.size());
            if (tail == "cudnn" && head.empty()) return false;
            std::size_t letters = 0;
            while (letters < head.size() && !all_of(head.substr(letters, 1), kDigits)) ++letters;
            const std::string_view type = brief_of(kLetters, head.substr(0, letters));
            if (!all_of(head.substr(letters), kDigits) && letters != head.size()) return false;
            if (type.empty() && !head.empty() && brief_of(kTypeWords, head).empty()) return false;
            // "sm80_xmma_dgrad_implicit_gemm" is a convolution.
            if (matrix.what.empty() || what != "GEMM") matrix.what = what;
            if (matrix.in.empty() && !head.empty()) {
                const bool tensor = letters != head.size();
                const std::string_view own = brief_of(kTypeWords, head);
                matrix.in = !own.empty() ? own : tensor && type == "f32" ? "tf32" : type;
                guessed_ = tensor;
            }
            if (head == "gc") matrix.details.emplace_back("gauss");
            return true;
        }
        return false;
    }

    // The first sizes are the tile. In "64x6" after "128x256", 64 is K and 6 is the number of
    // stages.
    bool take_size(std::string_view word) {
        bool names_tile = false;
        for (const std::string_view head : {"tilesize", "MT", "bt"})
            if (word.starts_with(head) && !sizes_of(word.substr(head.size())).empty()) {
                word.remove_prefix(head.size());
                names_tile = true;
            }
        const Words sizes = sizes_of(word);
        if (sizes.empty() || (sizes.size() > 3 && !names_tile)) return false;
        if (sizes_ == 0) {
            matrix.tile = product(sizes);
            has_depth_ = sizes.size() > 2;
        } else if (sizes_ == 1 && !has_depth_ && sizes.size() == 2) {
            matrix.tile += "×" + std::string(sizes[0]);
            matrix.details.push_back(fmt::format("{}-stage", sizes[1]));
        } else {
            matrix.details.push_back((sizes_ == 2 && is_jet_ ? "cluster " : "") + product(sizes));
        }
        ++sizes_;
        return true;
    }

    bool take_type(std::string_view word) {
        const std::string_view type = brief_of(kTypeWords, word);
        if (type.empty()) return false;
        if (matrix.in.empty() || guessed_) {
            matrix.in = type;
            guessed_ = false;
        } else if (types_ == 0 || matrix.out.empty()) {
            // All TF32 kernels accumulate in FP32.
            if (!(matrix.in == "tf32" && type == "f32")) matrix.out = type;
        }
        ++types_;
        return true;
    }

    bool take_order(std::string_view word) {
        if (!matrix.order.empty() && (word == "n" || word == "t")) return true;
        if (word.size() < 2 || word.size() > 4 || !(all_of(word, "nt") || all_of(word, "NT")))
            return false;
        matrix.order = upper_case(word);
        return true;
    }

    void take_rest(std::string_view word) {
        if (word == "nvjet") {
            is_jet_ = true;
            matrix.what = "GEMM";
            matrix.library.emplace_back("nvjet");
        } else if (is_jet_ && sizes_ == 0 && matrix.in.empty() && all_of(word, "tshdqoubv") &&
                   word.size() >= 3) {
            take_jet_types(word);
        } else if (word.starts_with("sm") && all_of(word.substr(2), kDigits)) {
            matrix.library.emplace_back(word);
        } else if (word.starts_with("cutlass")) {
            matrix.library.emplace_back("cutlass");
        } else if (before_.starts_with("cutlass") && all_of(word, kDigits)) {
            matrix.library.push_back(fmt::format("sm{}", word));
        } else if (std::ranges::find(kLibraries, word) != kLibraries.end()) {
            if (std::ranges::find(matrix.library, word) == matrix.library.end())
                matrix.library.emplace_back(word);
        } else if (word.starts_with("stage") && all_of(word.substr(5), kDigits)) {
            matrix.details.push_back(fmt::format("{}-stage", word.substr(5)));
        } else if (word == "split") {
            matrix.details.emplace_back("splitK");
        } else if (std::ranges::find(kNoise, word) == kNoise.end()) {
            matrix.details.emplace_back(word);
        }
    }

    // One letter for each operand, then for the accumulator, then for the result: "tst", "qqtst".
    void take_jet_types(std::string_view letters) {
        constexpr std::array kJet = {
            Spelling{"t", "bf16"}, Spelling{"h", "f16"}, Spelling{"s", "tf32"},
            Spelling{"d", "f64"},  Spelling{"q", "fp8"}, Spelling{"o", "fp4"},
        };
        matrix.in = brief_of(kJet, letters.substr(0, 1));
        if (matrix.in.empty()) {
            matrix.details.emplace_back(letters);
            return;
        }
        const std::string_view out = brief_of(kJet, letters.substr(letters.size() - 1));
        matrix.out = out == "tf32" ? "f32" : out;
        if (matrix.in == "tf32") matrix.out = {};
    }

    std::string_view before_;
    int sizes_ = 0;
    int types_ = 0;
    bool has_depth_ = false;
    bool guessed_ = false;  // derived from the instruction
    bool is_jet_ = false;
};

// "Cijk_Ailk_Bljk_HHS_BH_MT64x64x64_…": the letters after A and B give the order of their
// dimensions; l is the common dimension.
std::string tensile_label(const Words& words) {
    constexpr std::array kTypes = {
        Spelling{"B", "bf16"}, Spelling{"H", "f16"},  Spelling{"S", "f32"},
        Spelling{"D", "f64"},  Spelling{"X", "tf32"}, Spelling{"I", "i8"},
        Spelling{"F", "fp8"},  Spelling{"C", "c64"},  Spelling{"Z", "c128"},
    };
    if (words.size() < 4) return {};
    Matrix matrix;
    matrix.what = "GEMM";
    matrix.order = fmt::format("{}{}", words[1].starts_with("Al") ? 'T' : 'N',
                               words[2].starts_with("Bl") ? 'N' : 'T');
    matrix.in = brief_of(kTypes, words[3].substr(0, 1));
    if (words[3].size() == 3) matrix.out = brief_of(kTypes, words[3].substr(1, 1));
    for (const std::string_view word : std::span(words).subspan(4)) {
        if (word.starts_with("MT") && matrix.tile.empty())
            matrix.tile = product(sizes_of(word.substr(2)));
        else if (word == "Bias" || word == "SB" || word == "SAB" || word == "Grad")
            matrix.details.emplace_back(word == "Bias" ? "bias" : word);
        else if ((word.starts_with("GSU") || word.starts_with("SK")) && word.size() > 2 &&
                 all_of(word.substr(word.starts_with("GSU") ? 3 : 2), kDigits) && word != "GSU1" &&
                 word != "SK0")
            matrix.details.emplace_back(word);
    }
    matrix.library.emplace_back("Tensile");
    return label_of(matrix);
}

// "bmm_Bfloat16_MxE2m1MxE4m3_Fp32_t128x16x256u2_s3_…": result, operands, accumulator, tile, stages.
std::string batched_label(const Words& words) {
    if (words.size() < 6) return {};
    const auto brief = [](std::string_view text) {
        std::string types(text);
        for (const auto& [word, type] :
             {std::pair("Bfloat16", "bf16"), std::pair("Fp16", "f16"), std::pair("Fp32", "f32"),
              std::pair("MxE", "mxe"), std::pair("NvE", "nve"), std::pair("E", "e")})
            for (std::size_t at = types.find(word); at != std::string::npos;
                 at = types.find(word, at + std::string_view(type).size()))
                types.replace(at, std::string_view(word).size(), type);
        return types;
    };
    const std::string operands = brief(words[2]);
    Matrix matrix;
    matrix.what = "BMM";
    matrix.in = operands.substr(0, operands.size() / 2);
    // The operands have one type, written twice, or two types.
    if (matrix.in + matrix.in != operands) {
        matrix.in = operands;
        for (const std::string_view second : {"mxe", "nve"})
            if (const std::size_t at = operands.rfind(second); at != 0 && at != std::string::npos)
                matrix.in = operands.substr(0, at) + "/" + operands.substr(at);
    }
    matrix.out = brief(words[1]);
    std::string_view tile = words[4];
    if (tile.starts_with('t')) tile.remove_prefix(1);
    matrix.tile = product(sizes_of(tile.substr(0, tile.find('u'))));
    for (const std::string_view word : std::span(words).subspan(5)) {
        if (word.starts_with('s') && all_of(word.substr(1), kDigits))
            matrix.details.push_back(fmt::format("{}-stage", word.substr(1)));
        else if (all_of(word, "NTB") && word.size() == 2)
            matrix.order = word;
        else if (word == "swiGlu" || word == "dynB" || word == "dynBatch" || word == "ldgsts" ||
                 word == "splitK" || word == "biasM" || word == "geGlu")
            matrix.details.emplace_back(word);
    }
    matrix.library.emplace_back(words.back());
    return label_of(matrix);
}

}  // namespace

std::string matrix_label(std::string_view word) {
    const Words words = words_of(word);
    if (words.size() < 3) return {};
    if (word.starts_with("Cijk_")) return tensile_label(words);
    if (word.starts_with("bmm_")) return batched_label(words);
    WordReader reader;
    if (word.starts_with("igemm_")) {  // MIOpen's convolutions
        reader.matrix.what = words[1] == "fwd"   ? "conv fprop"
                             : words[1] == "bwd" ? "conv dgrad"
                                                 : "conv wgrad";
        reader.read(Words(words.begin() + 2, words.end()));
        return label_of(reader.matrix);
    }
    if (!reader.read(words) || reader.matrix.tile.empty()) return {};
    return label_of(reader.matrix);
}

}  // namespace lanescope
