/// Threads of a program alternate by their clocks, and no step waits for ever.
#include "simulate/turns.hpp"

#include <doctest/doctest.h>

#include <algorithm>
#include <map>
#include <vector>

#include "cli/flow_batch.hpp"
#include "flow_made.hpp"

namespace flow = tierscope::simulate::flow;
using flow::Class;
using flow::Step;
using tierscope::FlowBatches;
using tierscope::SharedBatch;
using tierscope::simulate::Time;
using tierscope::tests::made;

namespace {

const flow::Block WORK{made(Class::integer, {}, {}, {})};

struct Turn {
  Step one;
  [[nodiscard]] const Step& step() const { return one; }
};

/// Threads whose steps take fixed times.
struct Threads {
  std::map<std::uint32_t, Time> clocks, lengths;
  std::vector<std::uint32_t> order;  // of the threads that did a step
  tierscope::simulate::Turns<Turn> turns;

  // before those that use them, since their types follow from their bodies
  auto clock() {
    return [this](auto thread) { return clocks[thread]; };
  }
  auto wait() {
    return [this](auto thread, auto time) { clocks[thread] = std::max(clocks[thread], time); };
  }
  auto go() {
    return [this](const Turn& turn) {
      clocks[turn.one.thread] += lengths[turn.one.thread];
      order.push_back(turn.one.thread);
    };
  }
  void take(std::uint32_t thread) { turns.take(Turn{Step{thread, &WORK, {}, nullptr}}, clock(), wait(), go()); }
  void finish() { turns.finish(clock(), go()); }
};

}  // namespace

TEST_CASE("the thread that is behind goes first") {
  Threads threads;
  threads.lengths = {{0, 10}, {1, 30}};
  threads.take(0);  // alone, so it goes immediately
  for (int n = 0; n < 6; ++n) threads.take(1);
  for (int n = 0; n < 6; ++n) threads.take(0);
  threads.finish();
  // thread 1 begins at 10, where thread 0 is
  CHECK(threads.order == std::vector<std::uint32_t>{0, 0, 1, 0, 0, 0, 1, 0, 0, 1, 1, 1, 1});
}

TEST_CASE("only a thread that was in a call itself continues at the time of the others") {
  const flow::Block call{made(Class::system, {}, {}, {})};
  for (const bool called : {false, true}) {
    Threads threads;
    threads.clocks = {{0, 5}, {1, 1000}};
    threads.turns.know(Step{0, called ? &call : &WORK, {}, nullptr});
    threads.turns.know(Step{1, &call, {}, nullptr});
    threads.take(0);
    CHECK(threads.clocks[0] == (called ? 1000 : 5));
  }
}

TEST_CASE("a thread that is far ahead does not keep a step for ever") {
  Threads threads;
  threads.lengths = {{0, 1}, {1, 1'000'000'000}};
  threads.take(0);
  threads.take(1);
  threads.take(1);
  const auto took = [&] { return std::ranges::count(threads.order, 1U); };
  for (int n = 0; n < 100'000; ++n) threads.take(0);
  CHECK(took() == 1);
  for (int n = 0; n < 300'000; ++n) threads.take(0);
  CHECK(took() == 2);
}

TEST_CASE("a batch that no machine needs is used again") {
  FlowBatches batches(1);
  const Step step{0, &WORK, {}, nullptr};
  const auto* first = batches.add(step).get();
  CHECK(batches.add(step).get() == first);
  const SharedBatch kept = batches.add(step);
  CHECK(kept.get() == first);
  for (int n = 0; n < 5; ++n) CHECK(batches.add(step).get() != first);
}

TEST_CASE("a batch ends with the instructions that warm caches, and knows the last step of each thread") {
  FlowBatches batches;
  const flow::Block other{made(Class::move, {}, {}, {}), made(Class::integer, {}, {}, {})};
  batches.warm(4);
  CHECK(batches.add(Step{0, &WORK, {}, nullptr}) == nullptr);
  CHECK(batches.add(Step{3, &other, {}, nullptr}) == nullptr);
  const auto warm = batches.add(Step{0, &other, {}, nullptr});
  REQUIRE(warm != nullptr);
  CHECK_FALSE(warm->timed());
  CHECK(warm->instructions() == 5);
  REQUIRE(warm->last().size() == 2);
  CHECK(warm->last().at(0).block == &other);
  CHECK(warm->last().at(3).block == &other);
  CHECK(batches.add(Step{3, &WORK, {}, nullptr}) == nullptr);
  const auto timed = batches.close();
  REQUIRE(timed != nullptr);
  CHECK(timed->timed());
  CHECK(timed->operations(0).list.size() == 1);
  CHECK(batches.close() == nullptr);
}
