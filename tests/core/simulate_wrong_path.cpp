/// Wrong paths of the simulated core: which lines they fetch, and that they leave nothing else.
#include <doctest/doctest.h>

#include <random>

#include "core_made.hpp"
#include "flow_made.hpp"

namespace flow = tierscope::simulate::flow;
using flow::Access;
using flow::Block;
using flow::Class;
using flow::Guess;
using flow::Step;
using tierscope::simulate::LINE;
using tierscope::simulate::Time;
using tierscope::tests::made;
using tierscope::tests::MadeCore;

namespace {

constexpr Time NS = 1000;
constexpr std::uint8_t A = 0, B = 1, C = 2, FLAGS = 16;
constexpr std::uint64_t FAR = (1 << 20) + LINE;  // bytes between lines of different sets
const std::string NONE = "0", HALF = "0.5", ALL = "1";

/// A memory of 100 ns behind one cache of 1 ns; a core of one cycle a nanosecond, two instructions wide, with 32 in its
/// reorder buffer, 8 stores in its store buffer and 4 lines in flight. A wrong guess costs 10 cycles.
struct Core : MadeCore {
  explicit Core(const std::string& wrong_path, const std::string& more = "")
      : MadeCore(
            "[cpu]\ncount = 1\ncycle = \"1ns\"\nloads = 4\n"
            "[core]\nwidth = 2\nreorder = 32\nstore_buffer = 8\nwrong_guess = 10\nwrong_path = " +
            wrong_path + "\n" + more +
            "[[cache]]\nname = \"L1d\"\nsize = \"32KiB\"\nways = 8\npolicy = \"lru\"\nlatency = \"1ns\"\n"
            "[memory.m]\nkind = \"flat\"\nsize = \"64GiB\"\nread = \"100ns\"\nwrite = \"100ns\"\n") {}
  void run(const Block& block, const std::vector<Access>& accesses, Guess guess = Guess::wrong) {
    pipeline->run(Step{0, &block, accesses, nullptr, nullptr, guess});
  }
  /// ns of each of 400 runs of a block whose branch is always guessed wrongly. Its first instruction loads a far line.
  double time_of(const Block& block) {
    const Time from = pipeline->drain();
    for (std::uint64_t n = 1; n <= 400; ++n) run(block, {{n * FAR, 8, 0, false}});
    return static_cast<double>(pipeline->drain() - from) / NS / 400;
  }
  [[nodiscard]] std::uint64_t reads() const { return machine->counters().at("m.reads"); }
};

/// A load, a comparison of its bytes, and a branch. address: the registers of the load's address.
Block decided_by_a_load(const std::vector<std::uint8_t>& address, std::uint64_t at = 0x1000) {
  Block block{made(Class::move, address, {}, {A}), made(Class::integer, {}, {A}, {FLAGS}),
              made(Class::branch, {}, {FLAGS}, {})};
  for (auto& one : block) one.address = at;
  return block;
}

/// Return the addresses of branches whose wrong path meets the right one on such a core, and of others.
std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> by_their_path() {
  std::pair<std::vector<std::uint64_t>, std::vector<std::uint64_t>> found;
  for (std::uint64_t at = 0x1000; at < 0x1400; at += 16)
    (Core(HALF).time_of(decided_by_a_load({}, at)) < 60 ? found.first : found.second).push_back(at);
  return found;
}

}  // namespace

TEST_CASE("a wrong path that meets the right one fetches its lines while the branch waits for one") {
  const auto block = decided_by_a_load({});
  CHECK(Core(NONE).time_of(block) == doctest::Approx(101 + 10 + 2).epsilon(0.03));
  // four lines come together; behind each branch, which is known soon then, the core begins again
  const double meeting = Core(ALL).time_of(block);
  CHECK(meeting < 45);
  CHECK(meeting > 101.0 / 4);
}

TEST_CASE("a line whose address is not known yet is not fetched on a wrong path") {
  const auto block = decided_by_a_load({A});
  // it is known when the line has come, two cycles before the branch is, and ten more before the right path begins
  CHECK(Core(ALL).time_of(block) == doctest::Approx(101).epsilon(0.005));
}

TEST_CASE("a wrong path reaches as far as the reorder buffer") {
  auto block = decided_by_a_load({});
  block.insert(block.begin() + 1, 29, made(Class::integer, {}, {}, {B}));  // the next load is not among 32 instructions
  CHECK(Core(ALL).time_of(block) == doctest::Approx(101.5).epsilon(0.005));  // it enters when the line has come
  block.erase(block.begin() + 1, block.begin() + 17);
  CHECK(Core(ALL).time_of(block) < 0.7 * Core(NONE).time_of(block));
}

TEST_CASE("a wrong path reaches as far as registers and the load buffer") {
  auto block = decided_by_a_load({});
  block.insert(block.begin() + 1, 8, made(Class::integer, {}, {}, {B}));
  const double far = Core(ALL).time_of(block);
  CHECK(far < 0.7 * Core(NONE).time_of(block));
  // the load and the comparison of a run take one, too; without one for the next load, it waits for the branch
  CHECK(Core(ALL, "integer_registers = 10\n").time_of(block) > 101);
  CHECK(Core(ALL, "integer_registers = 32\n").time_of(block) == far);
  CHECK(Core(ALL, "load_buffer = 1\n").time_of(block) > 101);
  CHECK(Core(ALL, "load_buffer = 32\n").time_of(block) == far);
}

TEST_CASE("a wrong path reaches as far as the time until the branch is known") {
  Block block{made(Class::move, {}, {}, {C}), made(Class::integer, {}, {B}, {B}), made(Class::branch, {}, {B}, {})};
  // the branch waits for one cycle, and not for the line
  CHECK(Core(ALL).time_of(block) == doctest::Approx(Core(NONE).time_of(block)).epsilon(0.1));
}

TEST_CASE("a wrong path ends where an instruction waits for all before it") {
  auto block = decided_by_a_load({});
  block.push_back(made(Class::mfence, {}, {}, {}));
  std::swap(block[0], block[3]);  // the fence is the first instruction behind the branch
  const auto time_of = [&](const std::string& wrong_path) {
    Core core(wrong_path);
    for (std::uint64_t n = 1; n <= 100; ++n) core.run(block, {{n * FAR, 8, 3, false}});
    return core.pipeline->drain();
  };
  std::rotate(block.begin() + 1, block.end() - 1, block.end());
  CHECK(time_of(ALL) == time_of(NONE));
}

TEST_CASE("a wrong path ends where the store buffer has no place") {
  auto block = decided_by_a_load({});
  block.insert(block.begin() + 1, 9, made(Class::move, {}, {C}, {}));
  const auto time_of = [&](const std::string& wrong_path) {
    Core core(wrong_path);
    for (std::uint64_t n = 1; n <= 100; ++n) {
      std::vector<Access> accesses{{n * FAR, 8, 0, false}};
      for (std::uint16_t s = 1; s <= 9; ++s) accesses.push_back({s * std::uint64_t{8}, 8, s, true});
      std::rotate(accesses.begin(), accesses.begin() + 1, accesses.end());
      core.run(block, accesses);
    }
    return core.pipeline->drain();
  };
  std::rotate(block.begin(), block.begin() + 1, block.end() - 2);  // the stores, the load, and the branch
  CHECK(time_of(ALL) == time_of(NONE));
}

TEST_CASE("the share of branches whose wrong path meets the right one depends on their addresses") {
  const auto [meeting, others] = by_their_path();
  CHECK(meeting.size() > 20);
  CHECK(others.size() > 20);
  const auto met = decided_by_a_load({}, meeting.front()), other = decided_by_a_load({}, others.front());
  CHECK(Core(HALF).time_of(met) == Core(ALL).time_of(met));
  CHECK(Core(HALF).time_of(other) == Core(NONE).time_of(other));
}

TEST_CASE("a wrong path ends at a branch behind which it would meet no right one") {
  const auto [meeting, others] = by_their_path();
  const auto met = decided_by_a_load({}, meeting.front()), other = decided_by_a_load({}, others.front());
  const auto time_of = [&](const std::string& wrong_path) {
    Core core(wrong_path);
    for (std::uint64_t n = 1; n <= 400; ++n) core.run(n % 2 == 0 ? met : other, {{n * FAR, 8, 0, false}});
    return static_cast<double>(core.pipeline->drain()) / NS / 400;
  };
  // two lines at a time: that of a branch which meets, and the next one
  CHECK(time_of(HALF) > 0.5 * 101);
  CHECK(time_of(HALF) < 0.8 * 113);
  CHECK(time_of(ALL) < 45);
}

TEST_CASE("a core that comes back has done the work of the program once, and fetched each line once") {
  Core none(NONE), all(ALL);
  const Block store_and_load{made(Class::move, {B}, {A}, {}), made(Class::move, {B}, {}, {C})};
  const auto branch = decided_by_a_load({});
  for (auto* core : {&none, &all}) {
    for (std::uint64_t n = 1; n <= 500; ++n) {
      core->run(branch, {{n * FAR, 8, 0, false}});
      core->run(store_and_load, {{n * FAR + 8, 8, 0, true}, {n * FAR + 8, 8, 1, false}});
    }
    CHECK(core->pipeline->drain() > 0);
    CHECK(core->reads() == 500);
  }
  const auto before = none.pipeline->work(), now = all.pipeline->work();
  CHECK(now.instructions == before.instructions);
  CHECK(now.instructions == 500 * 5);
  CHECK(now.loads == before.loads);
  CHECK(now.stores == before.stores);
  CHECK(now.forwarded == before.forwarded);
  CHECK(now.branches == before.branches);
  CHECK(now.wrong_guesses == before.wrong_guesses);
}

TEST_CASE("programs made at random end, and time never goes back") {
  for (unsigned seed = 1; seed <= 20; ++seed) {
    std::mt19937_64 random(seed);
    Core core(seed % 2 == 0 ? ALL : HALF, seed % 3 == 0 ? "" : "integer_registers = 9\nload_buffer = 3\n");
    std::vector<Block> blocks;
    for (int b = 0; b < 16; ++b) {
      Block block;
      for (auto i = 1 + random() % 12; i > 0; --i) {
        const auto kind = random() % 20;
        const std::uint8_t from = random() % 4, to = random() % 4;
        block.push_back(kind == 0   ? made(Class::mfence, {}, {}, {})
                        : kind < 8  ? made(Class::move, {from}, {}, {to})
                        : kind < 11 ? made(Class::move, {from}, {to}, {})
                                    : made(Class::integer, {}, {from}, {to, FLAGS}));
      }
      block.push_back(made(Class::branch, {}, {FLAGS}, {}));
      for (auto& one : block) one.address = 0x1000 * (1 + static_cast<std::uint64_t>(b));
      blocks.push_back(block);
    }
    Time last = 0;
    std::uint64_t instructions = 0, stores = 0;
    for (int n = 0; n < 3000; ++n) {
      const auto& block = blocks[random() % blocks.size()];
      std::vector<Access> accesses;
      for (std::uint16_t i = 0; i < block.size(); ++i) {
        if (block[i].kind != Class::move) continue;
        const bool stored = block[i].written[0] == flow::NO_REGISTER;
        accesses.push_back({random() % 2048 * (random() % 2 == 0 ? 8 : FAR), 8, i, stored});
        stores += stored;
      }
      core.run(block, accesses, random() % 3 == 0 ? Guess::wrong : Guess::right);
      instructions += block.size();
      CHECK(core.pipeline->now() >= last);
      last = core.pipeline->now();
      if (n % 500 == 499) core.pipeline->catch_up();
    }
    CHECK(core.pipeline->drain() >= last);
    CHECK(core.pipeline->pending() == tierscope::simulate::NEVER);
    CHECK(core.pipeline->work().instructions == instructions);
    CHECK(core.pipeline->work().stores == stores);
  }
}
