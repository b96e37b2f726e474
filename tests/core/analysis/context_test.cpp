#include "core/analysis/context.h"

#include <doctest/doctest.h>

#include <atomic>
#include <memory>
#include <thread>
#include <vector>

using namespace lanescope;

namespace {

// How often results were computed; part of the trace, so that tests share no variables.
struct Counters {
    std::atomic<int> inner = 0;
    std::atomic<int> outer = 0;
    std::atomic<int> alive = 0;
};

struct CountedTrace : Trace {
    std::shared_ptr<Counters> counters = std::make_shared<Counters>();
};

Counters& counters_of(const TraceContext& context) {
    return *static_cast<const CountedTrace&>(context.trace()).counters;
}

struct Inner {
    int value = 0;
    std::shared_ptr<Counters> counters;

    explicit Inner(const TraceContext& context)
        : value(++counters_of(context).inner),
          counters(static_cast<const CountedTrace&>(context.trace()).counters) {
        ++counters->alive;
    }
    Inner(const Inner&) = delete;
    ~Inner() { --counters->alive; }

    static Inner compute(const TraceContext& context) {
        // Other threads must wait for this result instead of computing it again.
        std::this_thread::yield();
        return Inner(context);
    }
};

struct Outer {
    int value = 0;

    static Outer compute(const TraceContext& context) {
        return {10 * ++counters_of(context).outer + context.get<Inner>().value};
    }
};

}  // namespace

TEST_CASE("A result is computed once, also for copies of the context") {
    const TraceContext context(std::make_shared<CountedTrace>());
    const TraceContext copy = context;
    CHECK(counters_of(context).inner == 0);
    const Inner& inner = context.get<Inner>();
    CHECK(inner.value == 1);
    CHECK(&copy.get<Inner>() == &inner);
    CHECK(counters_of(context).inner == 1);
    CHECK(counters_of(context).outer == 0);

    const TraceContext other(std::make_shared<CountedTrace>());
    CHECK(&other.get<Inner>() != &inner);
}

TEST_CASE("Threads share one computation, and a result may get another one") {
    const TraceContext context(std::make_shared<CountedTrace>());
    std::vector<const Outer*> seen(8);
    {
        std::vector<std::jthread> threads;
        for (std::size_t i = 0; i < seen.size(); ++i)
            threads.emplace_back([&, i] {
                // Half of them begin with the result that the other one needs.
                if (i % 2 == 0) context.get<Inner>();
                seen[i] = &context.get<Outer>();
            });
    }
    for (const Outer* outer : seen) CHECK(outer == seen[0]);
    CHECK(seen[0]->value == 11);
    CHECK(counters_of(context).inner == 1);
    CHECK(counters_of(context).outer == 1);
}

TEST_CASE("Results live as long as the last copy of their context") {
    auto trace = std::make_shared<CountedTrace>();
    const std::shared_ptr<Counters> counters = trace->counters;
    auto context = std::make_unique<TraceContext>(std::move(trace));
    context->get<Inner>();
    auto copy = std::make_unique<TraceContext>(*context);
    context.reset();
    CHECK(counters->alive == 1);
    copy.reset();
    CHECK(counters->alive == 0);
}
