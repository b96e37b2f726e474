#include "core/session/found_captures.h"

#include <doctest/doctest.h>
#include <stdlib.h>

#include <filesystem>
#include <fstream>

namespace lanescope {
namespace {

namespace fs = std::filesystem;

// A folder with empty files, which is removed at the end.
class FolderOfCaptures {
  public:
    explicit FolderOfCaptures(std::initializer_list<const char*> files) {
        std::string name = (fs::temp_directory_path() / "lanescope-captures-XXXXXX").string();
        REQUIRE(mkdtemp(name.data()));
        path_ = name;
        for (const char* const file : files) {
            fs::create_directories((path_ / file).parent_path());
            std::ofstream(path_ / file).put('x');
        }
    }
    ~FolderOfCaptures() { fs::remove_all(path_); }

    std::vector<std::string> beside(const char* trace,
                                    const std::vector<int64_t>& sizes = {}) const {
        std::vector<std::string> names;
        for (const std::string& found : captures_beside((path_ / trace).string(), sizes))
            names.push_back(fs::relative(found, path_).string());
        return names;
    }

  private:
    fs::path path_;
};

using Names = std::vector<std::string>;

TEST_CASE("captures are found in the places where servers put them") {
    const FolderOfCaptures folder({"run.json.gz", "graph_capture_a.json", "capture_trace.json.gz",
                                   "graph_capture.txt", "other.json",
                                   "capture_traces/any.pt.trace.json.gz",
                                   "capture_traces/execution_details.json",
                                   "graph_capture_profile/cuda_graph_capture-Runner.json.gz",
                                   "capture_traces/folder.json/file"});
    CHECK(folder.beside("run.json.gz") ==
          Names{"capture_trace.json.gz", "capture_traces/any.pt.trace.json.gz",
                "graph_capture_a.json", "graph_capture_profile/cuda_graph_capture-Runner.json.gz"});
    // A capture is not beside itself.
    CHECK(folder.beside("graph_capture_a.json").size() == 3);
    CHECK(captures_beside("-", {}).empty());
    CHECK(captures_beside("ssh://host/run.json", {}).empty());
    CHECK(captures_beside("/no/such/folder/run.json", {}).empty());
}

TEST_CASE("of several ranks the trace's own counts") {
    const FolderOfCaptures folder(
        {"capture_traces/bs_1_rank0.json.gz", "capture_traces/bs_1_rank1.json.gz",
         "capture_traces/cuda_graph_capture-Runner-TP-1.json.gz", "capture_traces/graph.json"});
    CHECK(folder.beside("decode-rank_1.json") ==
          Names{"capture_traces/bs_1_rank1.json.gz",
                "capture_traces/cuda_graph_capture-Runner-TP-1.json.gz",
                "capture_traces/graph.json"});
    CHECK(folder.beside("decode.json").size() == 4);
    CHECK(folder.beside("decode-rank7.json").size() == 4);
}

TEST_CASE("of several batch sizes those count that the steps fit into") {
    const FolderOfCaptures folder({"capture_traces/bs_1.json", "capture_traces/bs_8.json",
                                   "capture_traces/bs_16.json", "capture_traces/all.json"});
    CHECK(folder.beside("run.json", {5, 16}) == Names{"capture_traces/all.json",
                                                      "capture_traces/bs_16.json",
                                                      "capture_traces/bs_8.json"});
    CHECK(folder.beside("run.json", {17}).size() == 4);
    CHECK(folder.beside("run.json").size() == 4);
}

}  // namespace
}  // namespace lanescope
