// Runs a fuzzer's function on every file of a folder, so that every build tests the inputs that
// fuzzing found.
#include <cstdint>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <vector>

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, std::size_t size);

int main(int argc, char** argv) {
    if (argc != 2) {
        std::cerr << "usage: " << argv[0] << " FOLDER\n";
        return 2;
    }
    int files = 0;
    std::error_code error;
    for (const auto& entry : std::filesystem::directory_iterator(argv[1], error)) {
        std::ifstream file(entry.path(), std::ios::binary);
        std::cout << entry.path().filename().string()
                  << std::endl;  // flushed, so that a crash follows its file's name
        const std::vector<char> text{std::istreambuf_iterator<char>(file), {}};
        LLVMFuzzerTestOneInput(reinterpret_cast<const uint8_t*>(text.data()), text.size());
        ++files;
    }
    if (files == 0) std::cout << argv[1] << " contains no input\n";
    std::cout << (files ? "1 passed, 0 failed" : "0 passed, 1 failed") << ", 0 skipped"
              << std::endl;
    return files ? 0 : 1;
}
