/// How instructions come to the simulated core: lines of code that fit, that do not, and behind branches.
#include "simulate/fetch.hpp"

#include <doctest/doctest.h>

#include "core_made.hpp"
#include "flow_made.hpp"

namespace flow = tierscope::simulate::flow;
using flow::Block;
using flow::Class;
using flow::Guess;
using flow::Step;
using tierscope::simulate::LINE;
using tierscope::tests::made;
using tierscope::tests::MadeCore;

namespace {

constexpr double NS = 1000;
constexpr std::uint8_t LENGTH = 4;  // bytes of an instruction
const std::string FREE, DEMAND = "size = \"4KiB\"\n", AHEAD = DEMAND + "ahead = 8\n";

/// A memory of 100 ns behind caches of 1 and 10 ns; a core of one cycle a nanosecond, four instructions wide. A wrong
/// guess costs 20 cycles.
struct Core : MadeCore {
  explicit Core(const std::string& fetch, const std::string& tlb = "")
      : MadeCore(
            "[cpu]\ncount = 1\ncycle = \"1ns\"\n[core]\nwidth = 4\n"
            "wrong_guess = 20\n[core.fetch]\n" +
            fetch +
            "[[cache]]\nname = \"L1d\"\nsize = \"4KiB\"\nways = 8\npolicy = \"lru\"\nlatency = \"1ns\"\n"
            "[[cache]]\nname = \"L2\"\nsize = \"64KiB\"\nways = 8\npolicy = \"lru\"\nlatency = \"10ns\"\n"
            "[memory.m]\nkind = \"flat\"\nsize = \"64GiB\"\nread = \"100ns\"\nwrite = \"100ns\"\n" +
            tlb) {}
  void run(const Block& block, Guess guess = Guess::right) {
    pipeline->run(Step{0, &block, {}, nullptr, nullptr, guess});
  }
  /// ns of each block when all of them run again and again, after a first time.
  double time_of(const std::vector<Block>& blocks, Guess guess = Guess::right) {
    constexpr int TURNS = 20;
    for (const auto& block : blocks) run(block, guess);
    const auto from = pipeline->drain();
    for (int turn = 0; turn < TURNS; ++turn)
      for (const auto& block : blocks) run(block, guess);
    return static_cast<double>(pipeline->drain() - from) / NS / TURNS / static_cast<double>(blocks.size());
  }
  [[nodiscard]] std::uint64_t count(const std::string& event) const { return machine->counters().at(event); }
};

/// Blocks of a line each, every `step` bytes: 16 instructions that wait for nothing. The last one is of this kind.
std::vector<Block> lines(std::size_t count, std::uint64_t step = LINE, Class last = Class::integer) {
  std::vector<Block> found(count);
  for (std::size_t b = 0; b < count; ++b)
    for (std::uint64_t i = 0; i < LINE / LENGTH; ++i) {
      found[b].push_back(made(i + 1 == LINE / LENGTH ? last : Class::integer, {}, {}, {}));
      found[b].back().address = 0x10000 + b * step + i * LENGTH;
      found[b].back().length = LENGTH;
    }
  return found;
}

constexpr double DISPATCH = 4;  // ns of a block of 16 instructions

}  // namespace

TEST_CASE("code that fits costs nothing, whether it comes ahead or on demand") {
  for (const auto& fetch : {FREE, DEMAND, AHEAD})
    CHECK(Core(fetch).time_of(lines(32)) == doctest::Approx(DISPATCH).epsilon(0.01));
}

TEST_CASE("code that does not fit waits for the second cache, unless it comes ahead") {
  const auto code = lines(256);  // 16 KiB
  CHECK(Core(FREE).time_of(code) == doctest::Approx(DISPATCH).epsilon(0.01));
  CHECK(Core(DEMAND).time_of(code) == doctest::Approx(DISPATCH + 10).epsilon(0.02));
  CHECK(Core(AHEAD).time_of(code) == doctest::Approx(DISPATCH).epsilon(0.02));
  CHECK(Core(DEMAND + "ahead = 2\n").time_of(code) == doctest::Approx(5.0 + DISPATCH / 2).epsilon(0.3));
}

TEST_CASE("code of the size of all caches comes from memory, and stays out of the cache of data") {
  Core core(DEMAND);
  CHECK(core.time_of(lines(4096)) == doctest::Approx(DISPATCH + 110).epsilon(0.02));
  CHECK(core.count("m.reads") > 4096 * 20);
  CHECK(core.count("L1d.loads") == 0);
  CHECK(core.count("L2.loads") == core.count("m.reads"));
}

TEST_CASE("a wrong guess lets the core wait for lines that would have come ahead") {
  const auto code = lines(256, LINE, Class::branch);
  const double right = Core(AHEAD).time_of(code), wrong = Core(AHEAD).time_of(code, Guess::wrong);
  const double guessed = Core(FREE).time_of(code, Guess::wrong);
  CHECK(right == doctest::Approx(DISPATCH).epsilon(0.02));
  CHECK(wrong == doctest::Approx(guessed + 10).epsilon(0.05));
}

TEST_CASE("a taken branch is known after its first time, if it has a place") {
  const auto near = lines(32, 2 * LINE, Class::jump), many = lines(512, 2 * LINE, Class::jump);
  const std::string few = "size = \"128KiB\"\nahead = 8\ntargets = 128\n";  // a quarter of its sets
  CHECK(Core(few).time_of(near) == doctest::Approx(DISPATCH).epsilon(0.02));
  CHECK(Core(few).time_of(many) == doctest::Approx(8 + 1).epsilon(0.15));  // the line of the branch, then eight cycles
  CHECK(Core(few + "redirect = 0\n").time_of(many) == doctest::Approx(DISPATCH).epsilon(0.02));
}

TEST_CASE("the front end takes one line in a cycle, and begins again behind a taken branch") {
  auto block = lines(1).front();
  block.resize(2);
  block.back().kind = Class::jump;  // to itself: half a cycle of a core of four instructions
  const std::vector<Block> two(100, block);
  CHECK(Core(FREE).time_of(two) == doctest::Approx(0.5).epsilon(0.1));
  CHECK(Core(DEMAND).time_of(two) == doctest::Approx(1).epsilon(0.1));
  CHECK(Core(AHEAD).time_of(two) == doctest::Approx(1).epsilon(0.1));
}

TEST_CASE("an instruction that repeats itself is fetched once") {
  auto block = lines(1).front();
  block.resize(1);
  block.back().address = 0x10000 + LINE - 2;  // across two lines
  const auto time = [&](std::uint8_t flags, Class kind) {
    block.back().flags = flags;
    block.back().kind = kind;
    return Core(DEMAND).time_of(std::vector<Block>(100, block));
  };
  const double jumps = time(0, Class::jump), repeats = time(flow::REPEATED, Class::string);
  CHECK(jumps == doctest::Approx(2).epsilon(0.1));  // two lines each time
  CHECK(repeats < 0.5);
}

TEST_CASE("a gap leaves nothing of the branch before it") {
  const auto one = lines(1, LINE, Class::jump), other = lines(1, LINE);
  const auto time = [&](const std::string& redirect) {
    Core core("size = \"4KiB\"\n" + redirect);
    core.run(other[0]);
    core.run(one[0]);
    core.pipeline->wait_until(core.pipeline->drain());
    const auto from = core.pipeline->now();
    core.run(other[0]);
    return core.pipeline->drain() - from;
  };
  CHECK(time("redirect = 0\n") == time("redirect = 1000\n"));
}

TEST_CASE("pages of code that are translated in parts have an entry for each part") {
  const auto walks = [&](const std::string& split) {
    Core core("size = \"128KiB\"\n",
              "[pages]\nbytes = \"2MiB\"\nsplit = " + split +
                  "\n[[tlb]]\nname = \"first\"\nentries = 4\n[[tlb]]\nname = \"second\"\nentries = 64\n"
                  "latency = \"7ns\"\n[walk]\nbase = \"30ns\"\n");
    core.time_of(lines(60, 4096 + LINE));
    return core.count("walks");
  };
  CHECK(walks("0") == 1);
  CHECK(walks("1") == 60);
}

TEST_CASE("pages of code have their own first entries, and share those behind them with data") {
  const std::string tlb =
      "[pages]\nbytes = \"4KiB\"\n[[tlb]]\nname = \"first\"\nentries = 4\nlatency = \"0ns\"\n[[tlb]]\nname = "
      "\"second\"\n"
      "entries = 64\nlatency = \"7ns\"\n[walk]\nbase = \"30ns\"\n";
  const std::string fetch = "size = \"128KiB\"\nways = 8\npages = 8\n";
  const auto step = 4096 + LINE;
  Core fits(fetch, tlb), second(fetch, tlb), walks(fetch, tlb);
  CHECK(fits.time_of(lines(8, step)) == doctest::Approx(DISPATCH).epsilon(0.02));
  CHECK(second.time_of(lines(40, step)) == doctest::Approx(DISPATCH + 7).epsilon(0.04));
  CHECK(second.count("first.hits") + second.count("first.misses") == 0);
  CHECK(walks.time_of(lines(200, step)) > DISPATCH + 30);
}
