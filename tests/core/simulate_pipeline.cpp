/// The simulated core, on blocks made by hand: what waits for what, and for how long.
#include <doctest/doctest.h>

#include <cmath>
#include <random>

#include "core_made.hpp"
#include "flow_made.hpp"
#include "simulate/sampling.hpp"

namespace flow = tierscope::simulate::flow;
using flow::Access;
using flow::Block;
using flow::Class;
using flow::Step;
using tierscope::simulate::LINE;
using tierscope::simulate::Time;
using tierscope::tests::made;
using tierscope::tests::MadeCore;

namespace {

constexpr Time NS = 1000;
constexpr std::uint8_t A = 0, B = 1, C = 2, FLAGS = 16;
constexpr std::uint64_t FAR = 1 << 20;  // bytes between lines that nothing fetches ahead

/// A memory of 100 ns behind one cache of 1 ns, and a core of one cycle a nanosecond, two instructions wide.
/// more: further keys of the core.
std::string machine_text(const std::string& more, unsigned width) {
  return "[cpu]\ncount = 1\ncycle = \"1ns\"\nloads = 4\nstores = 4\n"
         "[core]\nwidth = " +
         std::to_string(width) + "\nreorder = 32\nstore_buffer = 8\nwrong_guess = 10\n" + more +
         "[pages]\nbytes = \"2MiB\"\n[[cache]]\nname = \"L1d\"\nsize = \"32KiB\"\nways = 8\npolicy = \"lru\"\n"
         "latency = \"1ns\"\nshared = 1\n[memory.m]\nkind = \"flat\"\nsize = \"64GiB\"\nread = \"100ns\"\nwrite = "
         "\"100ns\"\n";
}

struct Core : MadeCore {
  explicit Core(const std::string& more = "", unsigned width = 2, const std::string& words = "")
      : MadeCore(machine_text(more, width), words) {}
  void run(const Block& block, std::vector<Access> accesses) { pipeline->run(Step{0, &block, accesses, nullptr}); }
  /// ns that `count` runs of the block take, whose n-th has these accesses.
  template <class Accesses>
  double time_of(const Block& block, std::uint64_t count, const Accesses& accesses) {
    const Time from = pipeline->drain();
    for (std::uint64_t n = 0; n < count; ++n) run(block, accesses(n));
    return static_cast<double>(pipeline->drain() - from) / NS;
  }
};

std::vector<Access> load(std::uint64_t address) { return {{address, 8, 0, false}}; }
std::vector<Access> store(std::uint64_t address) { return {{address, 8, 0, true}}; }
const auto nothing = [](std::uint64_t) { return std::vector<Access>{}; };
const auto far_load = [](std::uint64_t n) { return load((n + 1) * FAR); };
const std::string APART = "fill_buffers = \"apart\"\n";
/// A load, then a store to another place.
const auto copy = [](bool nontemporal) {
  Block block{made(Class::move, {B}, {}, {A}), made(Class::move, {C}, {B}, {})};
  if (nontemporal) block[1].flags = flow::NONTEMPORAL;
  return block;
};
const auto load_and_store = [](std::uint64_t from, std::uint64_t to) {
  return std::vector<Access>{{from, 8, 0, false}, {to, 8, 1, true}};
};
const auto far_copy = [](std::uint64_t n) { return load_and_store((2 * n + 1) * FAR, (2 * n + 2) * FAR); };

}  // namespace

TEST_CASE("a width that does not divide the ticks of a cycle is kept exactly") {
  for (const unsigned width : {2U, 3U, 7U, 12U}) {
    Core core("", width);
    const Block block(width, made(Class::nop, {}, {}, {}));
    CHECK(core.time_of(block, 5000, nothing) == doctest::Approx(5000).epsilon(0.001));
  }
}

TEST_CASE("instructions that wait for nothing take a share of a cycle, chains a cycle each") {
  Core core;
  CHECK(core.time_of({made(Class::integer, {}, {}, {A})}, 1000, nothing) == doctest::Approx(500).epsilon(0.01));
  CHECK(core.time_of({made(Class::integer, {}, {A}, {A})}, 1000, nothing) == doctest::Approx(1000).epsilon(0.01));
  CHECK(core.time_of({made(Class::fp_add, {}, {A}, {A})}, 1000, nothing) == doctest::Approx(4000).epsilon(0.01));
}

TEST_CASE("each operation takes one cycle where the core states that") {
  Core core("operations = \"unit\"\n");
  for (const Class kind : {Class::integer, Class::divide, Class::fp_add, Class::fp_square_root, Class::move})
    CHECK(core.time_of({made(kind, {}, {A}, {A})}, 1000, nothing) == doctest::Approx(1000).epsilon(0.01));
  CHECK(Core().time_of({made(Class::divide, {}, {A}, {A})}, 1000, nothing) == doctest::Approx(18000).epsilon(0.01));
  // the load takes the bytes of the store before it, and the next store those of the load
  const Block memory{made(Class::move, {B}, {A}, {}), made(Class::move, {B}, {}, {A})};
  const auto both = [](std::uint64_t) { return std::vector<Access>{{FAR, 8, 0, true}, {FAR, 8, 1, false}}; };
  CHECK(core.time_of(memory, 1000, both) == doctest::Approx(1000).epsilon(0.15));
  CHECK(Core().time_of(memory, 1000, both) == doctest::Approx(4000).epsilon(0.05));
}

TEST_CASE("loads whose address is loaded wait for each other; others share the lines in flight") {
  Core core;
  const double chain = core.time_of({made(Class::move, {A}, {}, {A})}, 400, far_load);
  CHECK(chain == doctest::Approx(400 * 101).epsilon(0.02));
  CHECK(core.time_of({made(Class::move, {B}, {}, {A})}, 400, far_load) == doctest::Approx(chain / 4).epsilon(0.03));
}

TEST_CASE("a sum does not wait for its accumulator to load") {
  Core core;
  const Block sum{made(Class::fp_add, {B}, {C}, {C})};  // addsd (%rbx), %xmm2
  CHECK(core.time_of(sum, 400, far_load) == doctest::Approx(400 * 101 / 4).epsilon(0.03));
}

TEST_CASE("the reorder buffer bounds the loads in flight") {
  Core few("");
  Block block(32, made(Class::integer, {}, {}, {B}));
  block[0] = made(Class::move, {C}, {}, {A});
  // one load in 32 instructions: the next one is dispatched when this one retires
  CHECK(few.time_of(block, 200, far_load) == doctest::Approx(200 * 101).epsilon(0.05));
}

TEST_CASE("results take registers until they retire, and bound the loads in flight") {
  const std::string few = "integer_registers = 16\nvector_registers = 14\n";
  const double serial = 101, together = serial / 4;
  // one load, and fifteen others behind it; the next one gets no register before it retires
  const auto time_of = [&](const flow::Instruction& filler, const std::string& more) {
    Core core(more);
    Block block(16, filler);
    block[0] = made(Class::move, {C}, {}, {A});
    return core.time_of(block, 200, far_load) / 200;
  };
  const std::uint8_t vector = 20, mask = 50;
  auto zero = made(Class::integer, {}, {}, {B});
  zero.flags = flow::INDEPENDENT | flow::ZERO;
  auto pushed = made(Class::move, {}, {B}, {flow::STACK_POINTER});
  pushed.flags = flow::STACK;
  for (const auto& one :
       {made(Class::integer, {}, {C}, {B}), made(Class::integer, {}, {C}, {FLAGS}), made(Class::move, {}, {}, {B}),
        made(Class::vector, {}, {}, {vector}), made(Class::vector, {}, {}, {mask})}) {
    CHECK(time_of(one, few) == doctest::Approx(serial).epsilon(0.05));
    CHECK(time_of(one, "") < 0.6 * serial);
  }
  // a copy and a zero have another name of a register, and a push has none
  for (const auto& one : {made(Class::move, {}, {C}, {B}), zero, made(Class::nop, {}, {}, {}), pushed})
    CHECK(time_of(one, few) == doctest::Approx(time_of(one, "")).epsilon(1e-9));
  CHECK(Core("integer_registers = 2\n").time_of({made(Class::move, {C}, {}, {A})}, 200, far_load) / 200 ==
        doctest::Approx(serial / 2).epsilon(0.05));
  CHECK(Core().time_of({made(Class::move, {C}, {}, {A})}, 200, far_load) / 200 ==
        doctest::Approx(together).epsilon(0.05));
}

TEST_CASE("loads take a place of the load buffer until they retire") {
  const Block block{made(Class::move, {C}, {}, {A}), made(Class::nop, {}, {}, {})};
  for (const unsigned places : {1U, 2U, 3U})
    CHECK(Core("load_buffer = " + std::to_string(places) + "\n").time_of(block, 200, far_load) / 200 ==
          doctest::Approx(101.0 / places).epsilon(0.05));
}

TEST_CASE("as many registers and places as the reorder buffer has entries change nothing") {
  std::mt19937_64 random(7);
  Block block;
  for (int i = 0; i < 40; ++i)
    block.push_back(random() % 3 == 0 ? made(Class::move, {C}, {}, {A}) : made(Class::integer, {}, {B}, {B, FLAGS}));
  const auto accesses = [&](std::uint64_t n) {
    std::vector<Access> all;
    for (std::uint16_t i = 0; i < block.size(); ++i)
      if (block[i].kind == Class::move) all.push_back({(n * 40 + i) % 64 * FAR, 8, i, false});
    return all;
  };
  const std::string wide = "integer_registers = 32\nvector_registers = 32\nload_buffer = 32\n";
  CHECK(Core(wide).time_of(block, 300, accesses) == Core().time_of(block, 300, accesses));
}

TEST_CASE("a load behind a store to the same bytes takes them from the store buffer") {
  Core core;
  const Block block{made(Class::move, {B}, {A}, {}), made(Class::move, {B}, {}, {A})};
  const auto both = [](std::uint64_t n) {
    return std::vector<Access>{{(n + 1) * FAR, 8, 0, true}, {(n + 1) * FAR, 8, 1, false}};
  };
  core.time_of(block, 200, both);
  CHECK(core.pipeline->work().forwarded == 200);
}

TEST_CASE("stores wait for nobody until the store buffer is full") {
  Core core;
  const Block block{made(Class::move, {B}, {A}, {})};
  const auto far_store = [](std::uint64_t n) { return store((n + 1) * FAR); };
  Core other;
  other.run(block, far_store(0));
  CHECK(other.pipeline->now() < 10 * NS);
  CHECK(core.time_of(block, 400, far_store) == doctest::Approx(400 * 101 / 4).epsilon(0.05));  // four lines in flight
}

TEST_CASE("loads and stores that miss share the line fill buffers") {
  Core shared, apart(APART);
  const auto copies = copy(false);
  CHECK(shared.time_of(copies, 400, far_copy) == doctest::Approx(800 * 101 / 4).epsilon(0.05));
  CHECK(apart.time_of(copies, 400, far_copy) == doctest::Approx(400 * 101 / 4).epsilon(0.05));
}

TEST_CASE("a store past the caches takes a fill buffer until the memory has accepted its line") {
  Core shared, apart(APART);
  const auto copies = copy(true);
  CHECK(shared.time_of(copies, 400, far_copy) == doctest::Approx(800 * 101 / 4).epsilon(0.05));
  CHECK(apart.time_of(copies, 400, far_copy) == doctest::Approx(400 * 101 / 4).epsilon(0.05));
  Core slow(APART, 2, ",cpu.bypass=60ns");
  CHECK(slow.time_of(copies, 400, far_copy) == doctest::Approx(400 * 160 / 4).epsilon(0.05));
  const auto within_lines = [](std::uint64_t n) { return load_and_store((n + 1) * FAR, n * 8); };
  // eight stores to a line take one buffer; the store buffer fills while one waits for it
  const double few = Core().time_of(copies, 400, within_lines);
  CHECK(few >= (400 + 400 / 8) * 101 / 4);
  CHECK(few < (400 + 400 / 4) * 101 / 4);
}

TEST_CASE("a store to a line of the nearest cache takes no fill buffer") {
  const auto copies = copy(false);
  // loads are in another set than the lines that are stored to
  const auto near = [](std::uint64_t n) { return load_and_store((n + 1) * FAR + 32 * LINE, n % 16 * LINE); };
  for (const auto& words : {std::string(), APART}) {
    Core core(words);
    core.time_of({made(Class::move, {C}, {B}, {})}, 16, [](std::uint64_t n) { return store(n * LINE); });
    CHECK(core.time_of(copies, 400, near) == doctest::Approx(400 * 101 / 4).epsilon(0.05));
  }
}

TEST_CASE("stores that wait for a fill buffer are written in order, and all of them") {
  for (const auto& words : {std::string(), APART}) {
    Core core(words);
    std::mt19937_64 random(7);
    const Block block{made(Class::move, {B}, {}, {A}), made(Class::move, {C}, {B}, {})};
    Time last = 0;
    for (int n = 0; n < 5000; ++n) {
      core.run(block, load_and_store(random() % 64 * FAR, random() % 64 * FAR + LINE));
      CHECK(core.pipeline->now() >= last);
      last = core.pipeline->now();
    }
    const Time end = core.pipeline->drain();
    CHECK(core.pipeline->pending() == tierscope::simulate::NEVER);
    CHECK(end >= last);
    CHECK(core.pipeline->work().stores == 5000);
  }
}

TEST_CASE("a wrong guess costs the time until the branch is known, and ten cycles") {
  Core core;
  Block taken{made(Class::branch, {}, {A}, {})}, straight{made(Class::branch, {}, {A}, {})};
  straight[0].address = taken[0].address + taken[0].length;
  std::uint64_t state = 88172645463325252U;
  const Time from = core.pipeline->drain();
  for (int n = 0; n < 4000; ++n) {
    state ^= state << 13U, state ^= state >> 7U, state ^= state << 17U;
    core.run((state >> 40U & 1U) != 0 ? taken : straight, {});
  }
  const auto wrong = core.pipeline->work().wrong_guesses;
  CHECK(wrong > 700);  // every second branch is taken in any case
  CHECK(static_cast<double>(core.pipeline->drain() - from) / NS > static_cast<double>(wrong) * 10);
  Core steady;
  for (int n = 0; n < 4000; ++n) steady.run(taken, {});
  CHECK(steady.pipeline->work().wrong_guesses < 10);
}

TEST_CASE("flags connect a comparison with its branch") {
  Core core;
  const Block block{made(Class::integer, {A}, {}, {FLAGS}), made(Class::branch, {}, {FLAGS}, {})};
  CHECK(core.time_of(block, 100, far_load) < 100 * 101);  // predicted right, nobody waits
}

TEST_CASE("an atomic instruction lets nothing pass") {
  Core core;
  auto locked = made(Class::integer, {B}, {}, {A});
  locked.flags = flow::ATOMIC;
  CHECK(core.time_of({locked}, 100, far_load) >= 100 * 101);
}

TEST_CASE("blocks that are only warmed fill the caches") {
  Core core;
  const Block block{made(Class::move, {B}, {}, {A})};
  for (std::uint64_t n = 0; n < 64; ++n) {
    const auto accesses = load(n * LINE);
    core.pipeline->warm(Step{0, &block, accesses, nullptr});
  }
  const auto hits = [](std::uint64_t n) { return load(n % 64 * LINE); };
  CHECK(core.time_of(block, 1000, hits) == doctest::Approx(500).epsilon(0.05));
}

TEST_CASE("an instruction with more stores than the store buffer still ends") {
  Core core("");
  Block block{made(Class::gather, {B}, {A}, {})};
  std::vector<Access> many;
  for (std::uint64_t n = 0; n < 40; ++n) many.push_back({n * FAR, 8, 0, true});
  core.run(block, many);
  CHECK(core.pipeline->drain() > 0);
}

TEST_CASE("a gap takes the mean rate of its two ends, and their difference is its doubt") {
  tierscope::simulate::Sampling steady, rising;
  for (auto* one : {&steady, &rising}) {
    for (int unit = 0; unit < 4; ++unit) {
      one->count(10'000);
      one->end(one == &steady ? 1e-3 : 1e-3 * (unit + 1));
      one->skip(90'000);
    }
  }
  CHECK(steady.units() == 4);
  CHECK(steady.estimate().seconds == doctest::Approx(40e-3));  // the last gap continues as its unit did
  CHECK(steady.estimate().deviation == doctest::Approx(0).epsilon(1e-9));
  CHECK(rising.estimate().seconds == doctest::Approx(10e-3 + 9e-3 * (1.5 + 2.5 + 3.5 + 4)));
  CHECK(rising.estimate().deviation == doctest::Approx(std::sqrt(3 * 9e-3 * 9e-3 / 2)));
}

TEST_CASE("the interval of a sampled program has the truth in most draws") {
  int held = 0;
  for (unsigned seed = 1; seed <= 200; ++seed) {
    std::mt19937_64 random(seed);
    std::lognormal_distribution<double> rate(0, 0.4);  // of a million instructions; independent
    tierscope::simulate::Sampling sampling;
    double truth = 0;
    for (int part = 0; part < 400; ++part) {
      const double seconds = rate(random);
      truth += seconds;
      if (part % 10 == 0) {
        sampling.count(1'000'000);
        sampling.end(seconds);
      } else {
        sampling.skip(1'000'000);
      }
    }
    const auto [seconds, deviation] = sampling.estimate();
    held += std::abs(seconds - truth) <= 2 * deviation;
  }
  CHECK(held >= 180);
  CHECK(held <= 199);
}
