/// Damaged pools: refused on opening, before anything is looked up or changed. fuzz_pool.cpp searches for more.
#include <doctest/doctest.h>

#if __has_include(<libpmemobj.h>)
#include <array>

#include "base/random.hpp"
#include "base/registry.hpp"
#include "damaged_pool.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::DamagedPool;
using tests::holds;

namespace {

std::vector<const StructureEntry*> in_pools() {
  auto found = Registry<StructureEntry>::entries();
  std::erase_if(found, [](const auto* entry) { return !entry->persistent || !entry->lacking.empty(); });
  return {found.begin(), found.end()};
}

std::filesystem::path place() {
  return access("/dev/shm", W_OK) == 0 ? "/dev/shm" : std::filesystem::temp_directory_path();
}

constexpr std::size_t COUNT = 1;  // word of a root object, see structures::Root
}  // namespace

TEST_CASE("a B-tree with more levels than a way down has steps is refused") {
  for (const auto* entry : in_pools()) {
    if (entry->name != "btree") continue;
    DamagedPool pool(*entry, place());
    REQUIRE(pool.trial(3, pool.root_word(3)) == "");
    for (const std::uint64_t levels : {25U, 1U << 20U})
      CHECK(holds(pool.trial(3, levels), "it is damaged: there are too many levels; make another"));
    CHECK(holds(pool.trial(3, pool.root_word(3) + 1), "it is damaged: "));
    CHECK(holds(pool.trial(4, 64), "it is damaged: its reserve is lost"));
  }
}

TEST_CASE("counts and links of a root object that cannot be are refused") {
  for (const auto* entry : in_pools()) {
    CAPTURE(entry->name);
    DamagedPool pool(*entry, place());
    REQUIRE(pool.trial(COUNT, pool.root_word(COUNT)) == "");
    CHECK(holds(pool.trial(COUNT, ~std::uint64_t{0}), "it is damaged: its count is 18446744073709551615"));
    CHECK(holds(pool.trial(COUNT, pool.root_word(COUNT) - 1), "it is damaged: "));
    CHECK(holds(pool.trial(COUNT, pool.root_word(COUNT) + 1), "it is damaged: "));
  }
}

TEST_CASE("a pool with any damaged word is refused, or every operation works") {
  for (const auto* entry : in_pools()) {
    CAPTURE(entry->name);
    DamagedPool pool(*entry, place());
    unsigned refused = 0;
    for (std::uint64_t seed = 0; seed < 24; ++seed) {
      std::array<std::uint8_t, 10> pieces{};
      for (std::size_t i = 0; i < pieces.size(); ++i) pieces[i] = static_cast<std::uint8_t>(random_word(seed, i));
      CAPTURE(seed);
      const auto said = pool.trial(pieces.data(), seed % 2 == 0 ? 5 : 10);
      refused += said.empty() ? 0 : 1;
      if (!said.empty()) CHECK(holds(said, "open pool "));
    }
    CHECK(refused > 5);
  }
}
#endif
