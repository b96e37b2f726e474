#include "core/compile/program_text.h"

#include <doctest/doctest.h>

#include "core/compile/provenance.h"

using namespace lanescope;

TEST_CASE("nodes of a graph have the operator and the innermost line of the comments above them") {
    const auto nodes = nodes_of_graph(R"(
class GraphModule(torch.nn.Module):
    def forward(self, x: "f32[8]"):
        # File: /work/train.py:20 in forward, code: h = self.norm(x)
        add: "f32[8][1]cpu" = torch.ops.aten.add.Tensor(x, 1e-05);  x = None
        getitem = add[0]

        # File: /work/train.py:21 in forward, code: y = f(h)
        # File: /work/lib.py:3 in f, code: return a @ b
        mm = torch.ops.aten.mm.default(add, getitem)
        # No stacktrace found for following nodes
        relu = torch.ops.aten.relu.default(mm)
        return (relu,)
)");
    REQUIRE(nodes.size() == 4);
    CHECK(nodes.at("add").name_of_operator == "aten.add.Tensor");
    CHECK(short_place(nodes.at("add").line) == "train.py:20");
    CHECK(nodes.at("add").line.code == "h = self.norm(x)");
    CHECK(nodes.at("add").line.function == "forward");
    CHECK(nodes.at("getitem").name_of_operator.empty());
    CHECK(short_place(nodes.at("mm").line) == "lib.py:3");
    CHECK(nodes.at("relu").line == nodes.at("mm").line);
    CHECK(nodes.at("relu").has_line_of_others);
    CHECK_FALSE(nodes.at("mm").has_line_of_others);
}

TEST_CASE("a traceback has its lines, outermost first") {
    const auto lines = lines_of_traceback(
        "  File \"/a b.py\", line 26, in loss\n    logits = model(x)\n             ^^^^^\n"
        "  File \"/m.py\", line 7, in forward\n    return x\nFile \"cut");
    REQUIRE(lines.size() == 2);
    CHECK(lines[0].file == "/a b.py");
    CHECK(lines[0].line == 26);
    CHECK(lines[0].function == "loss");
    CHECK(lines[0].code == "logits = model(x)");
    CHECK(lines[1].code == "return x");
}

TEST_CASE("generated code has its calls in order, with what its comments say") {
    const OutputCode code = read_output_code(R"(# AOT ID: ['3_forward']
# kernel path: /tmp/cache/ke/ckeabc.py
# Topologically Sorted Source Nodes: [a], Original ATen: [aten.relu, aten.add]
triton_poi_fused_add_relu_0 = async_compile.triton('triton_poi_fused_add_relu_0', '''
import triton
def call(x):
    extern_kernels.inside_the_text(x)
''', device_str='cuda')
async_compile.wait(globals())

class Runner:
    def call(self, args):
        with torch.cuda._DeviceGuard(0):
            buf0 = empty_strided_cuda((8,), (1,), torch.float32)
            # [Provenance debug handles] triton_poi_fused_add_relu_0:1
            triton_poi_fused_add_relu_0.run(arg0, buf0, 8, stream=stream0)
            # Topologically Sorted Source Nodes: [b], Original ATen: [aten.mm]
            # [Provenance debug handles] extern_kernels.mm:2
            extern_kernels.mm(buf0, arg1, out=buf1)
            buf3 = torch.ops.aten.topk.default(buf1, 4)
            del buf0
        return (buf3, )

def benchmark(times):
    extern_kernels.mm(a, b, out=c)
)");
    CHECK(code.aot_id == "3_forward");
    REQUIRE(code.sites.size() == 3);
    CHECK(code.sites[0].name == "triton_poi_fused_add_relu_0");
    CHECK(code.sites[0].kernel_file == "ckeabc");
    CHECK(code.sites[0].operators == std::vector<std::string>{"aten.add", "aten.relu"});
    CHECK(code.sites[0].handles == std::vector<std::string>{"triton_poi_fused_add_relu_0:1"});
    CHECK(code.sites[0].operators_grade == LinkGrade::name);
    CHECK(code.sites[1].name == "extern_kernels.mm");
    CHECK(code.sites[1].operators == std::vector<std::string>{"aten.mm"});
    CHECK(code.sites[2].name == "torch.ops.aten.topk.default");
    CHECK(code.sites[2].operators == std::vector<std::string>{"aten.topk.default"});
}

TEST_CASE("calls are linked by their handles, and by names only where these are unique") {
    CompiledGraph graph;
    for (const char* const name : {"extern_kernels.mm", "extern_kernels.mm", "cpp_fused_add_0"})
        graph.sites.emplace_back().name = name;
    const GraphTexts texts = {
        "# File: /t.py:5 in f, code: a + b\nadd = torch.ops.aten.add.Tensor(a, b)\n"
        "# File: /t.py:6 in f, code: a @ b\nmm = torch.ops.aten.mm.default(a, b)\n",
        R"({"cppCodeToPost": {"extern_kernels.mm": ["mm"], "cpp_fused_add_0": ["add"],
            "extern_kernels.mm:2": ["mm"]}})",
        R"({"extern_kernels.mm:2": ["  File \"/t.py\", line 9, in f\n    a @ b\n"]})"};
    SUBCASE("without handles") {
        add_provenance(graph, texts);
        CHECK(graph.sites[0].nodes.empty());
        CHECK(graph.sites[1].nodes.empty());
        CHECK(graph.sites[2].operators == std::vector<std::string>{"aten.add.Tensor"});
        CHECK(graph.sites[2].operators_grade == LinkGrade::name);
    }
    SUBCASE("with handles") {
        graph.sites[1].handles = {"extern_kernels.mm:2"};
        add_provenance(graph, texts);
        CHECK(graph.sites[0].nodes.empty());
        CHECK(graph.sites[1].operators == std::vector<std::string>{"aten.mm.default"});
        CHECK(graph.sites[1].operators_grade == LinkGrade::id);
        CHECK(graph.sites[1].lines ==
              std::vector<SourceLine>{{"/t.py", 6, {}, {}}, {"/t.py", 9, {}, {}}});
    }
}

TEST_CASE("lines of nodes that the compiler put in for others are a guess") {
    CompiledGraph graph;
    graph.sites.emplace_back().name = "cpp_fused_mul_0";
    graph.sites.emplace_back().name = "cpp_fused_exp_1";
    add_provenance(graph, {"# File: /t.py:5 in f, code: a\nx = torch.ops.aten.exp.default(a)\n"
                           "# No stacktrace found for following nodes\n"
                           "y = torch.ops.aten.mul.Tensor(x, x)\n",
                           R"({"cppCodeToPost": {"cpp_fused_mul_0": ["y"],
                               "cpp_fused_exp_1": ["x", "y"]}})",
                           ""});
    CHECK(graph.sites[0].lines.size() == 1);
    CHECK(graph.sites[0].lines_grade == LinkGrade::guess);
    CHECK(graph.sites[1].lines_grade == LinkGrade::name);
}

TEST_CASE("a graph break has its place, reason and advice") {
    const GraphBreak found = read_graph_break(
        "Graph break in user code at /a/infer.py:35\n"
        "Graph Break Reason: Encountered graph break when attempting to trace CALL:\n\n"
        "Failed to trace builtin operator\n  Explanation: no print\n  Hint: Avoid print\n"
        "  Hint: Log later\n\nUser code traceback:\n  File \"/a/infer.py\", line 35, in forward\n"
        "    print(x)\n\nTraceback (most recent call last):\n  File \"/x.py\", line 1, in y\n");
    CHECK(short_place(found.place) == "infer.py:35");
    CHECK(found.place.code == "print(x)");
    CHECK(found.reason == "Failed to trace builtin operator");
    CHECK(found.explanation == "no print");
    CHECK(found.hints == std::vector<std::string>{"Avoid print", "Log later"});
    CHECK(found.stack.size() == 1);
    CHECK(read_graph_break("Graph Break Reason: short").reason == "short");
    CHECK(read_graph_break("").reason.empty());
}

TEST_CASE("a failed guard has its entry and the line that it belongs to") {
    const FailedGuard plain = read_failed_guard("0/0: tensor 'x' size mismatch at index 0");
    CHECK(text_of(plain.entry) == "0/0");
    CHECK(plain.guard == "tensor 'x' size mismatch at index 0");
    CHECK(plain.place.file.empty());
    const FailedGuard placed = read_failed_guard(
        "3/1: m.scale == 1.0     # return h * scale  # demo/t.py:22 in forward\n"
        "User stack trace:\n  File \"/tmp/demo/t.py\", line 22, in forward\n");
    CHECK(text_of(placed.entry) == "3/1");
    CHECK(placed.guard == "m.scale == 1.0");
    CHECK(placed.place.file == "/tmp/demo/t.py");
    CHECK(read_failed_guard("no entry: here").guard == "no entry: here");
}

TEST_CASE("ids of compilations are read as they are written") {
    for (const char* const text : {"0/0", "12/3", "!2/0/1", "!7"}) {
        CAPTURE(text);
        CHECK(text_of(compile_id_of(text)) == text);
    }
    CHECK(text_of(compile_id_of("0/0_1")) == "0/0");
    for (const char* const text :
         {"", "x", "1/", "/1", "-1/0", "1/x", "!x/0/0", "99999999999999999999/0"}) {
        CAPTURE(text);
        CHECK(text_of(compile_id_of(text)).empty());
    }
}
