/// Targets: their arguments, free space, pages, and refusals.
#include "targets/target.hpp"

#include <doctest/doctest.h>
#include <linux/filter.h>
#include <linux/seccomp.h>
#include <sys/mman.h>
#include <sys/prctl.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstring>

#include "base/capacity.hpp"
#include "base/registry.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "targets/pages.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

constexpr std::size_t MIB = std::size_t{1} << 20U;

std::unique_ptr<Target> target(const std::string& name, const std::string& where, const std::string& pages = "4k") {
  return Registry<TargetEntry>::find("target", name).make({where, pages});
}

/// Return the error of a mapping; "" if it succeeds.
std::string refusal(std::size_t size_bytes, const std::string& name, const std::string& where,
                    const std::string& pages = "4k") {
  return error_of([&] { static_cast<void>(target(name, where, pages)->map(size_bytes)); });
}

std::size_t total(const std::map<std::size_t, std::size_t>& pages) {
  std::size_t sum = 0;
  for (const auto& [page, bytes] : pages) sum += bytes;
  return sum;
}

}  // namespace

TEST_CASE("pages have the names of the sizes that a kernel has") {
  const pages::Sizes x86{4096, 2 * MIB, {2 * MIB, 1024 * MIB}};
  CHECK(pages::size_of("4k", x86) == 4096);
  CHECK(pages::size_of("thp", x86) == 2 * MIB);
  CHECK(pages::size_of("2m", x86) == 2 * MIB);
  CHECK(pages::size_of("1g", x86) == 1024 * MIB);
  CHECK(pages::reserved("2m", x86));
  CHECK_FALSE(pages::reserved("4k", x86));
  CHECK_FALSE(pages::reserved("thp", x86));
  const auto refused = [](const char* word, const pages::Sizes& sizes) {
    return error_of([&] { pages::size_of(word, sizes); });
  };
  CHECK(refused("8k", x86) == "BadPlan: unknown pages '8k' (known: 4k, thp, 2m, 1g)");
  CHECK(refused("64k", x86) == "BadPlan: unknown pages '64k' (known: 4k, thp, 2m, 1g)");
  CHECK(refused("3m", x86) == "BadPlan: unknown pages '3m' (known: 4k, thp, 2m, 1g)");
  CHECK(refused("", {4096, 2 * MIB, {}}) == "BadPlan: unknown pages '' (known: 4k, thp, 2m, 1g)");
  const pages::Sizes arm{65536, 512 * MIB, {2 * MIB, 512 * MIB, 16384 * MIB}};
  CHECK(pages::size_of("64k", arm) == 65536);
  CHECK(pages::size_of("thp", arm) == 512 * MIB);
  CHECK(pages::reserved("512m", arm));
  CHECK(refused("4k", arm) == "BadPlan: unknown pages '4k' (known: 64k, thp, 2m, 512m, 16g)");
}

TEST_CASE("sizes of pages are the kernel's own list") {
  const tests::Folder root;
  const auto make = [&](const std::string& folder) {
    std::filesystem::create_directories(root.at("sys/kernel/mm/" + folder));
  };
  for (const auto* kib : {"64", "2048", "32768", "1048576"}) make("hugepages/hugepages-" + std::string(kib) + "kB");
  make("hugepages/other");
  make("transparent_hugepage");
  CHECK(pages::read(root.at(""), 16384).transparent == 32 * MIB);  // no word of the kernel: one step of a table
  CHECK(pages::read(root.at(""), 65536).transparent == 512 * MIB);
  root.write("sys/kernel/mm/transparent_hugepage/hpage_pmd_size", "33554432\n");
  const auto found = pages::read(root.at(""), 16384);
  CHECK(found.base == 16384);
  CHECK(found.transparent == 32 * MIB);
  CHECK(found.reserved == std::vector<std::size_t>{65536, 2 * MIB, 32 * MIB, 1024 * MIB});
  CHECK(pages::size_of("64k", found) == 65536);  // below 2 MiB, and listed
  CHECK(pages::reserved("64k", found));
  CHECK(pages::word_of(32 * MIB) == "32m");
  CHECK(pages::read(root.at("nowhere"), 4096).reserved.empty());
}

TEST_CASE("no huge pages are free if there are none of that size") {
  CHECK(pages::free_huge_pages(4096, -1) == 0);
  CHECK(pages::free_huge_pages(2 * MIB, 1'000'000) == 0);
}

TEST_CASE("pages are found on the node that touched them, and only there") {
  const auto buffer = target("node", "0")->map(4 * MIB);
  const auto bytes = buffer.bytes();
  REQUIRE(bytes.size() == 4 * MIB);
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % pages::huge() == 0);
  CHECK(total(pages::found(bytes)) == 0);
  std::memset(bytes.data(), 1, MIB);
  CHECK(pages::found(bytes) == std::map<std::size_t, std::size_t>{{4096, MIB}});
  std::memset(bytes.data(), 1, bytes.size());
  CHECK(pages::found(bytes) == std::map<std::size_t, std::size_t>{{4096, 4 * MIB}});
}

TEST_CASE("two buffers side by side are not counted for each other") {
  const auto node = target("node", "0");
  const auto one = node->map(2 * MIB), two = node->map(2 * MIB);
  std::memset(one.bytes().data(), 1, one.bytes().size());
  CHECK(total(pages::found(one.bytes())) == 2 * MIB);
  CHECK(total(pages::found(two.bytes())) == 0);
}

TEST_CASE("a node's placement is asked for after the touch") {
  const auto node = target("node", "0");
  const auto buffer = node->map(2 * MIB);
  std::memset(buffer.bytes().data(), 1, buffer.bytes().size());
  const auto placement = node->inspect(buffer);
  CHECK(total(placement.pages) == 2 * MIB);
  if (holds(placement.how, "forbidden")) return;
  CHECK(placement.nodes == std::map<unsigned, std::size_t>{{0, 2 * MIB}});
}

TEST_CASE("a node that is not there, or no number, is refused with those that are") {
  for (const auto* word : {"99999", "x", "-1", "0x0", "1 "})
    CHECK(holds(error_of([&] { target("node", word); }), "BadPlan: node"));
  CHECK(holds(error_of([] { target("node", "99999"); }), "is not online; online nodes: 0"));
  CHECK(holds(error_of([] { target("node", "0", "3k"); }), "BadPlan: unknown pages"));
}

TEST_CASE("more than there is free is refused before anything is touched") {
  const auto message = refusal(std::size_t{1} << 50U, "node", "0");
  CHECK(holds(message, "Unsupported: footprint of 1073741824 MiB is over the free memory: "));
  CHECK(holds(message, "; ask for at most "));
}

TEST_CASE("missing reserved pages are refused with the command that reserves them") {
  const auto message = refusal(std::size_t{1} << 50U, "node", "0", "1g");
  CHECK(holds(message, "Unsupported: 1g pages: 1048576 needed, "));
  CHECK(holds(message, "echo 1048576 > /sys/devices/system/node/node0/hugepages/hugepages-1048576kB/nr_hugepages"));
}

TEST_CASE("the free memory of a node includes its cache that can be dropped, but not shared memory") {
  const Folder root;
  const std::string at = "sys/devices/system/node/node1/meminfo";
  root.write(at,
             "Node 1 MemTotal:  1000 kB\nNode 1 MemFree:  100 kB\nNode 1 FilePages:  50 kB\n"
             "Node 1 Shmem:  20 kB\nNode 1 SReclaimable:  7 kB\nNode 1 HugePages_Total:  0\n");
  CHECK(capacity::of_node(1, root.path()).bytes == 137 * 1024);
  CHECK(capacity::of_node(1, root.path()).limit == "node1");
  CHECK(capacity::of_node(0, root.path()).bytes == ~std::size_t{0});
  CHECK(holds(error_of([] { capacity::require(MIB, {80 * 1024, "node1"}); }), "free memory: 0 MiB by node1"));
  CHECK(error_of([] { capacity::require(MIB, {std::size_t{1} << 40U, "node1"}); }).empty());
  CHECK(holds(error_of([] { capacity::require(std::size_t{1} << 50U); }), " MiB by "));
}

TEST_CASE("the size that a refusal suggests works, and one MiB more does not") {
  const capacity::Free place{std::size_t{1000} << 20U, "node1"};
  const auto message = error_of([&] { capacity::require(place.bytes, place); });
  const auto most = std::stoul(message.substr(message.find("at most ") + 8)) * MIB;
  REQUIRE(most > 900 * MIB);
  CHECK(error_of([&] { capacity::require(most, place); }).empty());
  CHECK_FALSE(error_of([&] { capacity::require(most + MIB, place); }).empty());
  CHECK(holds(error_of([] { capacity::require(1, {MIB, "node1"}); }), "at most 0MiB"));
}

TEST_CASE("a file is removed from its folder once it is mapped, and its bytes can be used") {
  const Folder folder;
  const auto file = target("file", folder.at("x"));
  const auto buffer = file->map(3 * MIB + 1);
  CHECK(std::filesystem::is_empty(folder.path()));
  REQUIRE(buffer.bytes().size() == 3 * MIB + 4096);
  std::memset(buffer.bytes().data(), 7, buffer.bytes().size());
  CHECK(buffer.bytes().back() == std::byte{7});
  CHECK(holds(file->inspect(buffer).how, "page cache"));
}

TEST_CASE("a file that exists is refused and is not changed") {
  const Folder folder;
  folder.write("mine", "precious");
  const auto message = refusal(MIB, "file", folder.at("mine"));
  CHECK(holds(message, "SystemError: create " + folder.at("mine") + " (name a file that does not exist yet)"));
  CHECK(folder.read("mine") == "precious");
}

TEST_CASE("a file on a full file system leaves nothing behind") {
  const Folder folder;
  const auto message = refusal(std::size_t{1} << 55U, "file", folder.at("x"));
  CHECK(holds(message, "Unsupported: file of 34359738368 MiB has no space at " + folder.at("x")));
  CHECK(std::filesystem::is_empty(folder.path()));
}

TEST_CASE("a file needs a path that can be made, and chooses its pages itself") {
  CHECK(holds(error_of([] { target("file", ""); }), "BadPlan: target file needs a path"));
  CHECK(holds(error_of([] { target("file", "x", "2m"); }), "Unsupported: pages=2m is for node targets"));
  const Folder folder;
  CHECK(holds(refusal(MIB, "file", folder.at("no/where")), "No such file or directory"));
}

TEST_CASE("nothing is mapped on null") {
  const auto null = target("null", "");
  CHECK(null->map(MIB).bytes().empty());
  CHECK_FALSE(null->serves_memory());
  CHECK(target("node", "0")->serves_memory());
}

/// Makes mbind fail with EPERM from here on, as the default profile of container engines does.
bool forbid_mbind() {
  std::array rules{sock_filter{BPF_LD | BPF_W | BPF_ABS, 0, 0, offsetof(seccomp_data, nr)},
                   sock_filter{BPF_JMP | BPF_JEQ | BPF_K, 0, 1, SYS_mbind},
                   sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ERRNO | EPERM},
                   sock_filter{BPF_RET | BPF_K, 0, 0, SECCOMP_RET_ALLOW}};
  const sock_fprog program{rules.size(), rules.data()};
  return prctl(PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0) == 0 && prctl(PR_SET_SECCOMP, SECCOMP_MODE_FILTER, &program) == 0;
}

TEST_CASE("binding works without mbind on a machine with one node, and is refused on others") {
  const auto child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    if (!forbid_mbind()) _exit(2);
    std::ifstream online("/sys/devices/system/node/online");
    std::string nodes = "0";
    online >> nodes;
    const auto message = refusal(MIB, "node", "0");
    _exit(nodes == "0" ? !message.empty() : !holds(message, "SystemError: bind 1048576 bytes to node 0"));
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  if (status == 2 << 8) {
    MESSAGE("no seccomp here: forbidden mbind cannot be tried");
    return;
  }
  CHECK(status == 0);
}
