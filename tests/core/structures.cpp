/// Structures: each behaves as std::map does, survives reopening, and refuses more than its space. Power failures are
/// simulated by tests/clockless/test_structures.py.
#include <doctest/doctest.h>
#include <unistd.h>

#include <cstring>
#include <map>
#include <set>
#include <vector>

#include "base/random.hpp"
#include "base/registry.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "structures/structure.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

using Model = std::map<std::uint64_t, std::vector<std::uint64_t>>;                                 // words of values
const std::set<std::string_view> ORDERED{"btree", "ctree", "map", "rbtree", "rtree", "skiplist"};  // no rehash

/// In memory where there is such: elsewhere each step of a pool is an msync to a disk.
std::filesystem::path place() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

/// All that this build can open.
std::vector<const StructureEntry*> here() {
  std::vector<const StructureEntry*> found;
  for (const auto* entry : Registry<StructureEntry>::entries())
    if (entry->lacking.empty()) found.push_back(entry);
  return found;
}

std::vector<const StructureEntry*> in_pools() {
  auto found = here();
  std::erase_if(found, [](const auto* entry) { return !entry->persistent; });
  return found;
}

StructureOptions asked(const StructureEntry& entry, const Folder& folder, std::uint64_t keys, std::size_t bytes = 16) {
  StructureOptions options{.keys = keys, .value_bytes = bytes};
  if (entry.persistent) options.path = folder.at("pool");
  return options;
}

Model::mapped_type value_of(std::uint64_t seed, std::size_t bytes) {
  Model::mapped_type words(bytes / 8);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_word(seed, i);
  return words;
}

bool same(const void* value, const Model::mapped_type& words) {
  return value != nullptr && std::memcmp(value, words.data(), words.size() * 8) == 0;
}

void require_equal(const Structure& structure, const Model& model, std::uint64_t keys) {
  REQUIRE(structure.check() == "");
  REQUIRE(structure.count() == model.size());
  for (std::uint64_t key = 0; key < keys; ++key) {
    const auto at = model.find(key);
    CAPTURE(key);
    if (at == model.end()) REQUIRE(structure.find(key) == nullptr);
    if (at != model.end()) REQUIRE(same(structure.find(key), at->second));
  }
}

/// One operation drawn by `word`, of `inserts` in 8 inserts, on both; their answers must agree.
void step(Structure& structure, Model& model, std::uint64_t word, std::uint64_t keys, std::uint64_t inserts) {
  const auto key = word % keys;
  if ((word >> 40U) % 8 < inserts) {
    const auto value = value_of(word, structure.value_bytes());
    const auto outcome = model.emplace(key, value).second ? Outcome::done : Outcome::present;
    REQUIRE(structure.insert(key, value.data()) == outcome);
  } else {
    REQUIRE(structure.erase(key) == (model.erase(key) == 1 ? Outcome::done : Outcome::absent));
  }
  if (structure.rehash_due()) structure.rehash();
}

/// Fills, churns and empties.
void play(Structure& structure, Model& model, std::uint64_t keys, std::uint64_t steps, std::uint64_t seed) {
  for (const std::uint64_t inserts : {6U, 4U, 1U, 5U})
    for (std::uint64_t i = 0; i < steps; ++i) step(structure, model, random_word(seed + inserts, i), keys, inserts);
}

}  // namespace

TEST_CASE("every structure is listed with its summary and source, or with why it is absent") {
  CHECK(Registry<StructureEntry>::entries().size() >= 11);
  for (const auto* entry : Registry<StructureEntry>::entries()) {
    CAPTURE(entry->name);
    CHECK(!entry->summary.empty());
    CHECK(!entry->source.empty());
    if (entry->lacking.empty()) continue;
    CHECK(holds(std::string(entry->lacking), "apt-get install"));
    CHECK(holds(error_of([&] { entry->open({}); }), "Unsupported: "));
  }
}

TEST_CASE("every structure returns the same as std::map, for values of any size") {
  for (const auto* entry : here())
    for (const std::size_t bytes : {8U, 16U, 24U, 264U})
      for (const std::uint64_t keys : {3U, 600U}) {
        const Folder folder(place());
        CAPTURE(entry->name);
        CAPTURE(bytes);
        const auto structure = entry->open(asked(*entry, folder, keys, bytes));
        Model model;
        play(*structure, model, keys, 1500, bytes + keys);
        require_equal(*structure, model, keys);
      }
}

TEST_CASE("the entries of a pool are there when it is opened again, between any two operations") {
  for (const auto* entry : in_pools()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    auto options = asked(*entry, folder, 300, 24);
    Model model;
    for (std::uint64_t round = 0; round < 12; ++round) {
      auto structure = entry->open(options);
      options.make = false;
      require_equal(*structure, model, 300);
      play(*structure, model, 300, 61, round);
    }
    require_equal(*entry->open(options), model, 300);
  }
}

TEST_CASE("a rehash moves every entry that is there, once, and loses none; ordered structures have none") {
  for (const auto* entry : here()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    const auto structure = entry->open(asked(*entry, folder, 5000));
    Model model;
    std::uint64_t rehashes = 0;
    for (std::uint64_t key = 0; key < 5000; ++key) {
      model[key] = value_of(key, 16);
      REQUIRE(structure->insert(key, model[key].data()) == Outcome::done);
      if (!structure->rehash_due()) continue;
      REQUIRE(structure->rehash() == structure->count());
      REQUIRE(!structure->rehash_due());
      ++rehashes;
    }
    CHECK((ORDERED.contains(entry->name) ? rehashes == 0 : rehashes >= 5));
    CHECK(structure->rehash() == 0);
    require_equal(*structure, model, 5000);
  }
}

TEST_CASE("a pool of the stated size has free space for its keys, at every size, and again after all were erased" *
          doctest::test_suite("slow")) {
  for (const auto* entry : in_pools())
    for (const std::uint64_t keys : {1U, 20U, 7000U, 40000U})
      for (const std::size_t bytes : {16U, 200U}) {
        if (keys > 7000 && ORDERED.contains(entry->name)) continue;  // no arrays that double: nothing new
        const Folder folder(place());
        CAPTURE(entry->name);
        CAPTURE(keys);
        CAPTURE(bytes);
        const auto structure = entry->open(asked(*entry, folder, keys, bytes));
        const auto value = value_of(1, bytes);
        for (int round = 0; round < 2; ++round) {
          std::uint64_t refused = 0;
          for (std::uint64_t key = 0; key < keys; ++key) {
            refused += structure->insert(mixed(key), value.data()) != Outcome::done;
            if (structure->rehash_due()) refused += structure->rehash() == 0;
          }
          REQUIRE(refused == 0);
          for (std::uint64_t key = 0; key < keys; ++key) {
            refused += structure->erase(mixed(key)) != Outcome::done;
            if (structure->rehash_due()) structure->rehash();
          }
          REQUIRE(refused == 0);
          REQUIRE(structure->count() == 0);
        }
      }
}

TEST_CASE("insertions and removals do not fill a table permanently") {
  for (const auto* entry : here()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    const auto structure = entry->open(asked(*entry, folder, 16));
    const auto value = value_of(1, 16);
    for (std::uint64_t i = 0; i < 5000; ++i) {
      REQUIRE(structure->insert(mixed(i), value.data()) == Outcome::done);
      if (i >= 5) REQUIRE(structure->erase(mixed(i - 5)) == Outcome::done);
      if (structure->rehash_due()) structure->rehash();
    }
    CHECK(structure->count() == 5);
    CHECK(structure->check() == "");
  }
}

TEST_CASE("an insert into a full pool fails without a change and works after a removal; all keys can be removed") {
  for (const auto* entry : in_pools()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    const auto structure = entry->open(asked(*entry, folder, 1, 264));
    Model model;
    auto outcome = Outcome::done;
    for (std::uint64_t key = 0; key < 200000 && outcome == Outcome::done; ++key) {
      const auto value = value_of(key, 264);
      outcome = structure->insert(key, value.data());
      if (outcome == Outcome::done) model[key] = value;
      if (structure->rehash_due()) structure->rehash();
    }
    CHECK(outcome == Outcome::full);
    require_equal(*structure, model, model.size() + 2);
    REQUIRE(structure->erase(0) == Outcome::done);
    CHECK(structure->insert(0, model[0].data()) == Outcome::done);
    require_equal(*structure, model, model.size() + 2);
    std::uint64_t kept = 0;
    for (std::uint64_t key = 0; key < model.size(); ++key) kept += structure->erase(key) != Outcome::done;
    CHECK(kept == 0);
    CHECK(structure->check() == "");
  }
}

TEST_CASE("a pool that is too small is refused before it is made, with the size that is needed") {
  for (const auto* entry : in_pools()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    auto options = asked(*entry, folder, 100000);
    options.pool_bytes = std::size_t{9} << 20U;
    const auto error = error_of([&] { entry->open(options); });
    CHECK(holds(error, "Unsupported: pool " + options.path + " of 9 MiB is too small for 100000 keys"));
    CHECK(holds(error, std::to_string(entry->pool_bytes(100000, 16)) + " bytes"));
    options.keys = structures::MOST_KEYS;
    options.pool_bytes = 0;
    CHECK(holds(error_of([&] { entry->open(options); }), "Unsupported: "));
    CHECK(std::filesystem::is_empty(folder.path()));
    options.keys = 10;
    entry->open(options);
    options.make = false;
    options.keys = 100000;
    CHECK(holds(error_of([&] { entry->open(options); }), "is too small for 100000 keys"));
  }
}

TEST_CASE("a pool in use, of another layout or of other values is refused, and its content stays") {
  for (const auto* entry : in_pools()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    auto options = asked(*entry, folder, 10);
    options.pool_bytes = std::size_t{32} << 20U;  // room for what the others would need
    {
      const auto structure = entry->open(options);
      CHECK(holds(error_of([&] { entry->open(options); }), "SystemError: make pool " + options.path + ": File exists"));
      options.make = false;
      CHECK(
          holds(error_of([&] { entry->open(options); }), "Unsupported: open pool " + options.path + ": it is in use"));
    }
    for (const auto* other : in_pools())
      if (other != entry) CHECK(holds(error_of([&] { other->open(options); }), "it takes a pool of layout tierscope-"));
    options.value_bytes = 24;
    CHECK(holds(error_of([&] { entry->open(options); }), "its values have 16 bytes, and 24 were asked for"));
    options.value_bytes = 16;
    CHECK(entry->open(options)->check() == "");
  }
}

TEST_CASE("a file that is not a pool of a structure is refused, and is not changed") {
  for (const auto* entry : in_pools()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    auto options = asked(*entry, folder, 10);
    options.make = false;
    CHECK(holds(error_of([&] { entry->open(options); }), "SystemError: open pool " + options.path + ": No such file"));
    folder.write("pool", "precious");
    CHECK(holds(error_of([&] { entry->open(options); }), "it is not a file of 8 MiB or more"));
    CHECK(folder.read("pool") == "precious");
    options.path = "";
    CHECK(holds(error_of([&] { entry->open(options); }), "BadPlan: structure"));
  }
}

TEST_CASE("counts and sizes out of range are refused, with the range") {
  for (const auto* entry : here()) {
    const Folder folder(place());
    CAPTURE(entry->name);
    const auto error = [&](std::uint64_t keys, std::size_t bytes) {
      return error_of([&] { entry->open(asked(*entry, folder, keys, bytes)); });
    };
    CHECK(holds(error(0, 16), "BadPlan: a structure of 0 keys; give 1 to 4294967296"));
    CHECK(holds(error(structures::MOST_KEYS + 1, 16), "BadPlan: a structure of 4294967297 keys"));
    CHECK(holds(error(1, 0), "BadPlan: values of 0 bytes; give a multiple of 8"));
    CHECK(holds(error(1, 12), "BadPlan: values of 12 bytes"));
    CHECK(holds(error(1, std::size_t{1} << 21U), "BadPlan: values of 2097152 bytes"));
    CHECK(std::filesystem::is_empty(folder.path()));
    if (entry->persistent) continue;
    CHECK(holds(error_of([&] { entry->open({.path = "x", .keys = 1}); }), "BadPlan: a structure in volatile memory"));
  }
}
