/// Operations on structures in the bench: what a round is, what is timed apart, and that a wrong structure is found.
#include <doctest/doctest.h>
#include <unistd.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "bench/operations.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "structures/structure.hpp"

using namespace tierscope;
using namespace tierscope::operations;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

enum class Flaw { none, keeps, loses, lies, full };

/// Another structure, with one flaw on demand.
struct Spoilt final : Structure {
  static inline Flaw flaw = Flaw::none;
  std::unique_ptr<Structure> inner;
  mutable std::uint64_t lie = 0;
  explicit Spoilt(const StructureOptions& asked)
      : inner(Registry<StructureEntry>::find("structure", "unordered_map").open(asked)) {}
  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    if (flaw == Flaw::full && inner->count() >= 50) return Outcome::full;
    return flaw == Flaw::loses && key % 64 == 0 ? Outcome::done : inner->insert(key, value);
  }
  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    return flaw == Flaw::lies && key % 64 == 0 ? &lie : inner->find(key);
  }
  Outcome erase(std::uint64_t key) noexcept override {
    return flaw == Flaw::keeps && key % 64 == 0 ? Outcome::done : inner->erase(key);
  }
  [[nodiscard]] std::uint64_t count() const noexcept override { return inner->count(); }
  [[nodiscard]] bool rehash_due() const noexcept override { return inner->rehash_due(); }
  std::uint64_t rehash() noexcept override { return inner->rehash(); }
  [[nodiscard]] std::string check() const override { return inner->check(); }
  [[nodiscard]] std::size_t value_bytes() const noexcept override { return inner->value_bytes(); }
};
std::unique_ptr<Structure> open(const StructureOptions& asked) { return std::make_unique<Spoilt>(asked); }
std::size_t no_pool(std::uint64_t, std::size_t) { return 0; }
constexpr StructureEntry spoilt{"spoilt", "a test's own", "a test's own", false, "", &open, &no_pool};
const Registration registration{spoilt};

GroupPlan plan_of(const std::string& words, std::size_t cpus = 1) {
  GroupPlan plan;
  read_words(parse_line("group target=node:0 count=1000").words, plan);
  read_words(parse_line("group " + words).words, plan);
  const auto allowed = sys::allowed_cpus();
  for (std::size_t i = 0; i < cpus; ++i) plan.cpus.push_back(allowed[i % allowed.size()]);
  plan.shared = cpus > allowed.size();
  return plan;
}

/// Two batches, and what was found after them.
struct Ran {
  explicit Ran(const std::string& words, std::size_t cpus = 1) {
    bench.prepare({plan_of(words, cpus)});
    for (int batch = 0; batch < 2; ++batch) bench.measure(0.002, 0.001, {}, nullptr);
    timing.merge(bench.store(0).timings.at(0));
    timing.merge(bench.store(0).timings.at(1));
  }
  Bench bench;
  Timing timing;
};

std::string refusal(const std::string& words, std::size_t cpus = 1) {
  return error_of([&] {
    Bench bench;
    bench.prepare({plan_of(words, cpus)});
  });
}

std::vector<Step> drawn(const Sequence& sequence, std::uint64_t round, std::size_t number) {
  std::vector<Step> steps(number);
  sequence.draw(round, steps);
  return steps;
}

struct Whole {  // resets the flaw, whatever a test does
  explicit Whole(Flaw flaw) { Spoilt::flaw = flaw; }
  ~Whole() { Spoilt::flaw = Flaw::none; }
};

}  // namespace

TEST_CASE("shares of operations are read, and a wrong share is refused with right ones") {
  const auto mix = parse_mix("get:8+insert:1+remove:3");
  CHECK((mix.get == 8 && mix.insert == 1 && mix.remove == 3));
  CHECK(parse_mix("remove").alone());
  CHECK(!parse_mix("get").alone());
  CHECK(!parse_mix("get+insert").lasts());
  for (const auto* word : {"", "fly", "get+get", "get:0", "get:1e6", "get:-1", "get+", "get:1000001"}) {
    CAPTURE(word);
    CHECK(holds(error_of([&] { parse_mix(word); }), "write get, insert, remove, or shares"));
  }
  CHECK(parse_draw("keys", "uniform") == 0);
  CHECK(parse_draw("keys", "zipf") == 0.99);
  CHECK(parse_draw("keys", "zipf:1.5") == 1.5);
  for (const auto* word : {"", "zipf:", "zipf:0", "zipf:nan", "zipf:11", "even"})
    CHECK(holds(error_of([&] { parse_draw("keys", word); }), "is not known; write uniform"));
}

TEST_CASE("inserts alone take each key once, in another order in each round") {
  const Sequence sequence(parse_mix("insert"), 0, 100, 300, 1);
  const auto first = drawn(sequence, 0, 200), second = drawn(sequence, 1, 200);
  std::set<std::uint64_t> keys;
  bool same = true;
  for (std::size_t i = 0; i < 200; ++i) {
    keys.insert(first[i].index());
    same = same && first[i].word == second[i].word;
    REQUIRE(first[i].action() == Action::insert);
    REQUIRE(!sequence.starts_with(first[i].index()));
  }
  CHECK(keys.size() == 200);
  CHECK((*keys.begin() == 100 && *keys.rbegin() == 299));
  CHECK(!same);
  CHECK(drawn(sequence, 1, 200)[7].word == second[7].word);
}

TEST_CASE("gets alone take each key once before any key repeats, and hot keys are anywhere") {
  const Sequence gets(parse_mix("get"), 0, 100, 300, 1);
  const auto steps = drawn(gets, 3, 400);
  std::map<std::uint64_t, int> times;
  for (std::size_t i = 0; i < 200; ++i) ++times[steps[i].index()];
  CHECK(times.size() == 200);
  for (const auto step : steps) ++times[step.index()];
  for (const auto& [index, count] : times) REQUIRE(count == 3);
  const Sequence hot(parse_mix("get"), 0.99, 0, 100'000, 1);
  std::map<std::uint64_t, int> draws;
  for (const auto step : drawn(hot, 0, 20'000)) ++draws[step.index()];
  std::uint64_t hottest = 0, low = 0, many = 0;
  for (const auto& [index, count] : draws) {
    if (count > draws[hottest]) hottest = index;
    if (count < 10) continue;
    ++many;
    low += index < 50'000 ? 1U : 0U;
  }
  CHECK(draws[hottest] > 1000);  // a twelfth of all
  CHECK(many > 50);
  CHECK(low == doctest::Approx(static_cast<double>(many) / 2).epsilon(0.4));
}

TEST_CASE("mixed operations have their shares, and the number of keys follows from inserts and removes") {
  const Sequence sequence(parse_mix("get:2+insert:3+remove:1"), 0, 0, 6000, 1);
  std::uint64_t counts[3]{}, there = 0;
  for (const auto step : drawn(sequence, 0, 60000)) ++counts[static_cast<int>(step.action())];
  for (std::uint64_t index = 0; index < 6000; ++index) there += sequence.starts_with(index) ? 1U : 0U;
  CHECK(counts[0] == doctest::Approx(20000).epsilon(0.02));
  CHECK(counts[1] == doctest::Approx(30000).epsilon(0.02));
  CHECK(there == doctest::Approx(4500).epsilon(0.03));
}

TEST_CASE("every structure of volatile memory runs every kind of operation and keeps the right entries") {
  for (const auto* entry : Registry<StructureEntry>::entries()) {
    if (!entry->lacking.empty() || entry->persistent) continue;
    for (const auto* words : {"get", "insert", "remove", "get:2+insert:1+remove:1", "get:3+insert:1", "get+remove"})
      for (const auto* keys : {"uniform", "zipf:0.9"}) {
        CAPTURE(entry->name);
        CAPTURE(words);
        CAPTURE(keys);
        Ran ran("kernel=" + std::string(entry->name) + " value=24 operation=" + words + " keys=" + keys);
        CHECK(ran.bench.check() == std::vector<double>{0});
        CHECK(ran.timing.operations == 1000 * ran.timing.rounds);
        CHECK(ran.timing.rounds >= 2);
        CHECK(ran.timing.least_ticks <= ran.timing.ticks / ran.timing.operations);
        CHECK(ran.timing.most_ticks >= ran.timing.ticks / ran.timing.operations);
      }
  }
}

TEST_CASE("inserts make a new structure before each round, and gets continue with one") {
  const Ran inserts("kernel=unordered_map operation=insert"), gets("kernel=unordered_map operation=get");
  CHECK(inserts.timing.fills == inserts.timing.rounds);
  CHECK(inserts.timing.done == inserts.timing.operations);
  CHECK(inserts.timing.rehashes >= inserts.timing.rounds);
  CHECK(inserts.timing.moved > 0);
  CHECK(gets.timing.fills == 1);
  CHECK(gets.timing.rehashes == 0);
  CHECK(gets.timing.fill_ticks > 0);
  CHECK(gets.timing.clock_ticks > 0);
}

TEST_CASE("a histogram counts each operation once, and no rehash") {
  const Ran ran("kernel=unordered_map operation=insert");
  std::uint64_t sum = 0;
  for (std::size_t place = 0; place < Histogram::PLACES; ++place) sum += ran.timing.histogram.at(place);
  CHECK(sum == ran.timing.operations);
  CHECK(ran.timing.histogram.at(Histogram::place(ran.timing.most_ticks)) > 0);
}

TEST_CASE("threads have a share of the keys, in structures of their own or in one behind a lock") {
  for (const auto* sharing : {"own", "one"})
    for (const auto* words : {"get", "insert", "remove", "get:2+insert:1+remove:1"}) {
      CAPTURE(sharing);
      CAPTURE(words);
      Ran ran("kernel=unordered_map sharing=" + std::string(sharing) + " operation=" + words, 3);
      CHECK(ran.bench.check() == std::vector<double>{0});
      CHECK(ran.timing.rounds % 3 == 0);
      CHECK(ran.timing.operations == 1000 * (ran.timing.rounds / 3));
      const bool locked = sharing == std::string("one") && words != std::string("get");
      CHECK((ran.timing.lock_ticks > 0) == locked);
    }
}

TEST_CASE("a structure that keeps, loses or makes up keys has no result") {
  struct Case {
    Flaw flaw;
    const char* operation;
  };
  for (const Case& one : {Case{Flaw::keeps, "remove"}, Case{Flaw::loses, "insert"}, Case{Flaw::lies, "get"},
                          Case{Flaw::lies, "insert"}, Case{Flaw::keeps, "get:2+insert:1+remove:1"}}) {
    CAPTURE(one.operation);
    const Whole whole(one.flaw);
    Ran ran("kernel=spoilt operation=" + std::string(one.operation));
    CHECK(ran.bench.check().front() > 1e300);
  }
  Ran ran("kernel=spoilt operation=remove");
  CHECK(ran.bench.check() == std::vector<double>{0});
}

TEST_CASE("a full structure ends the batch with the reason") {
  const Whole whole(Flaw::full);
  CHECK(holds(error_of([] { Ran("kernel=spoilt operation=insert"); }), "had no space at 50 keys; give a larger pool"));
  CHECK(holds(refusal("kernel=spoilt operation=get"), "has no space for key 50 of 1000"));
}

TEST_CASE("keys that do not fit a structure are refused with those that do") {
  CHECK(holds(refusal("kernel=unordered_map sharing=two"), "known: own, one"));
  CHECK(holds(refusal("kernel=unordered_map count=0"), "structures take count="));
  CHECK(holds(refusal("kernel=unordered_map count=2", 3), "does not give a key to each of 3 threads"));
  CHECK(holds(refusal("kernel=unordered_map count=4294967297"), "give 1 to 4294967296"));
  CHECK(holds(refusal("kernel=unordered_map value=7"), "multiple of 8"));
  CHECK(holds(refusal("kernel=unordered_map operation=insert per_block=1001"), "takes each key once"));
  CHECK(holds(refusal("kernel=unordered_map target=null"), "write target=node:N"));
  CHECK(holds(refusal("kernel=unordered_map source=node:0"), "remove source="));
  CHECK(holds(refusal("kernel=unordered_map count=4000000000"), "structure unordered_map of 4000000000 keys: "));
  CHECK(holds(refusal("kernel=hashmap_tx"), "target=pool:PATH") != holds(refusal("kernel=hashmap_tx"), "apt-get"));
}

TEST_CASE("structures in pools run in the same way, leave no file, and refuse a file that exists") {
  for (const auto* entry : Registry<StructureEntry>::entries()) {
    if (!entry->lacking.empty() || !entry->persistent) continue;
    const Folder folder(access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path());
    const auto words = "count=300 kernel=" + std::string(entry->name) + " target=pool:" + folder.at("pool");
    for (const auto* operation : {"get", "insert", "get:2+insert:1+remove:1"}) {
      CAPTURE(entry->name);
      CAPTURE(operation);
      GroupPlan plan = plan_of("operation=" + std::string(operation));
      read_words(parse_line("group " + words).words, plan);
      Bench bench;
      bench.prepare({plan});
      bench.measure(0.001, 0.001, {}, nullptr);
      CHECK(bench.check() == std::vector<double>{0});
      CHECK(std::filesystem::is_empty(folder.path()));
    }
  }
}
