/// Pools of libpmemobj: what is made and refused, and what persists. On tmpfs; nothing here is persistent memory.
#include <doctest/doctest.h>

#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/registry.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

constexpr std::size_t MIB = std::size_t{1} << 20U;

const TargetEntry& pools() { return Registry<TargetEntry>::find("target", "pool"); }

/// Return false, with a message, if this build has no libpmemobj.
bool has_pools() {
  if (!pools().lacking.empty()) MESSAGE("pools are not tested: ", pools().lacking);
  return pools().lacking.empty();
}

std::unique_ptr<Target> pool(const std::string& where, const std::string& pages = "4k") {
  return pools().make({where, pages});
}

std::string refusal(const std::string& where, std::size_t size_bytes = MIB) {
  return error_of([&] { static_cast<void>(pool(where)->map(size_bytes)); });
}

}  // namespace

TEST_CASE("a build without libpmemobj lists pools, and states what adds them") {
  if (pools().lacking.empty()) return;
  CHECK(holds(error_of([] { pool("x"); }), "Unsupported: target pool is only in tierscope-core-pmdk"));
  CHECK(holds(std::string(pools().lacking), "libpmemobj-dev"));
}

TEST_CASE("a pool is removed from its folder once it is mapped, and its object can be used") {
  if (!has_pools()) return;
  const Folder folder;
  const auto target = pool(folder.at("x"));
  auto buffer = target->map(9 * MIB + 1);
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto bytes = buffer.bytes();
  REQUIRE(bytes.size() == 9 * MIB + 4096);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % pages::huge() == 0);
  std::memset(bytes.data(), 7, bytes.size());
  CHECK(bytes.back() == std::byte{7});
  const auto placement = target->inspect(buffer);
  std::size_t sum = 0;
  for (const auto& [page, found] : placement.pages) sum += found;
  CHECK(sum == bytes.size());
  CHECK(holds(placement.how, "libpmemobj"));
}

TEST_CASE("a pool has free space for every size of object") {
  if (!has_pools()) return;
  const Folder folder;
  for (const auto size : {std::size_t{1}, MIB, 2 * MIB, 8 * MIB - 4096, 33 * MIB, 100 * MIB + 64}) {
    CAPTURE(size);
    CHECK(pool(folder.at("x"))->map(size).bytes().size() >= size);
  }
}

TEST_CASE("two pools of one name have different bytes") {
  if (!has_pools()) return;
  const Folder folder;
  const auto target = pool(folder.at("x"));
  const auto one = target->map(MIB), two = target->map(MIB);
  std::memset(one.bytes().data(), 1, MIB);
  std::memset(two.bytes().data(), 2, MIB);
  CHECK(one.bytes().front() == std::byte{1});
}

TEST_CASE("the object outlives its target") {
  if (!has_pools()) return;
  const Folder folder;
  Buffer buffer;
  {
    buffer = pool(folder.at("x"))->map(MIB);
  }
  std::memset(buffer.bytes().data(), 1, MIB);
  CHECK(buffer.bytes().back() == std::byte{1});
}

TEST_CASE("a path that cannot become a pool is refused, and nothing is left") {
  if (!has_pools()) return;
  const Folder folder;
  folder.write("mine", "precious");
  CHECK(holds(refusal(folder.at("mine")), "SystemError: create " + folder.at("mine")));
  CHECK(folder.read("mine") == "precious");
  CHECK(holds(refusal(folder.at("no/where")), "No such file or directory"));
  CHECK(holds(error_of([] { pool(""); }), "BadPlan: target pool needs a path"));
  CHECK(holds(error_of([] { pool(",open"); }), "BadPlan: target pool needs a path"));
  CHECK(holds(error_of([] { pool("x", "1g"); }), "Unsupported: pages=1g is for node targets"));
  CHECK(holds(error_of([] { pool("x", "7k"); }), "BadPlan: unknown pages"));
  CHECK(holds(refusal(folder.at("x"), std::size_t{1} << 40U), "that libpmemobj gives to one"));
  std::filesystem::remove(folder.at("mine"));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file that is not a pool cannot be opened, and is not changed") {
  if (!has_pools()) return;
  const Folder folder;
  folder.write("text", "precious");
  CHECK(holds(refusal(folder.at("text,open")), "Unsupported: open pool " + folder.at("text") + ": it has 8 bytes"));
  CHECK(holds(refusal(folder.at("text,open")), "pmempool create obj --layout=tierscope"));
  CHECK(folder.read("text") == "precious");
  folder.write("zeros", std::string(16 * MIB, '\0'));
  CHECK(holds(refusal(folder.at("zeros,open")), "Unsupported: open pool "));
  CHECK(holds(refusal(folder.at("absent,open")), "No such file or directory"));
  folder.write("empty", "");
  CHECK(holds(refusal(folder.at("empty,open")), "it has 0 bytes, and the smallest pool 8 MiB"));
}

TEST_CASE("the persistence of a pool is reported with how it is known") {
  if (!has_pools()) return;
  const Folder folder;
  const auto target = pool(folder.at("x"));
  CHECK(target->persistence().domain == "none");
  const auto buffer = target->map(MIB);
  const auto found = target->persistence();
  CHECK(holds(found.how, "pmem_is_pmem returned 0"));
  CHECK((found.domain == "none" || found.domain == "msync"));  // by the file system of temporary files
  CHECK(std::string(target->origin()) == "real");
}
