/// The machine as made trees of sysfs show it.
#include "team/topology.hpp"

#include <doctest/doctest.h>

#include <set>

#include "folder.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

const std::string CPUS = "sys/devices/system/cpu/";
const std::string NODES = "sys/devices/system/node/";

void cpu(const Folder& root, unsigned number, unsigned core, unsigned package) {
  const auto at = CPUS + "cpu" + std::to_string(number) + "/topology/";
  root.write(at + "core_id", std::to_string(core) + "\n");
  root.write(at + "physical_package_id", std::to_string(package) + "\n");
}

void cache(const Folder& root, unsigned cpu, unsigned index, unsigned level, const std::string& size,
           const std::string& shared) {
  const auto at = CPUS + "cpu" + std::to_string(cpu) + "/cache/index" + std::to_string(index) + "/";
  root.write(at + "level", std::to_string(level));
  root.write(at + "type", level == 1 ? "Data\n" : "Unified\n");
  root.write(at + "size", size + "\n");
  root.write(at + "ways_of_associativity", "12");
  root.write(at + "coherency_line_size", "64");
  root.write(at + "shared_cpu_list", shared + "\n");
}

void node(const Folder& root, unsigned number, const std::string& cpus, std::size_t kib) {
  const auto at = NODES + "node" + std::to_string(number) + "/";
  const auto label = "Node " + std::to_string(number) + " ";
  root.write(at + "cpulist", cpus + "\n");
  root.write(at + "distance", "10 21 17 28\n");
  root.write(at + "meminfo", label + "MemTotal:       " + std::to_string(kib) + " kB\n" + label + "MemFree:        " +
                                 std::to_string(kib / 2) + " kB\n" + label + "HugePages_Total:     0\n");
  root.write(at + "hugepages/hugepages-2048kB/free_hugepages", "12\n");
  root.write(at + "hugepages/hugepages-1048576kB/free_hugepages", "0\n");
}

/// Two packages of two cores of two threads; nodes 0 and 1 with CPUs, 2 (CXL) and 3 (empty) without.
void two_packages(const Folder& root) {
  root.write(CPUS + "online", "0-7\n");
  root.write(NODES + "online", "0-3\n");
  for (unsigned number = 0; number < 8; ++number) {
    const auto package = number / 2 % 2;
    cpu(root, number, number % 2, package);
    const auto sibling = number % 4;
    cache(root, number, 0, 1, "48K", std::to_string(sibling) + "," + std::to_string(sibling + 4));
    cache(root, number, 1, 3, "105M", package == 0 ? "0-1,4-5" : "2-3,6-7");
  }
  node(root, 0, "0-1,4-5", 1 << 20U);
  node(root, 1, "2-3,6-7", 1 << 20U);
  node(root, 2, "", 1 << 22U);
  node(root, 3, "", 0);
}

}  // namespace

TEST_CASE("a list of CPUs is ranges and numbers") {
  using List = std::vector<unsigned>;
  CHECK(topology::parse_list("").empty());
  CHECK(topology::parse_list("0") == List{0});
  CHECK(topology::parse_list("0-3,8") == List{0, 1, 2, 3, 8});
  CHECK(topology::parse_list("5-5,1") == List{5, 1});
  CHECK(topology::parse_list("8191") == List{8191});
}

TEST_CASE("text that is not a list of CPUs is refused") {
  for (const std::string list :
       {"x", "0-", "-1", "3-1", "0,,1", ",0", "0,", ",", "0 ", " 0", "0-1-2", "1.5", "0x1", "8192", "0-8192",
        "4294967295", "0-4294967295", "4294967295-4294967295", "99999999999"}) {
    CAPTURE(list);
    CHECK(holds(error_of([&] { topology::parse_list(list); }), "BadPlan: CPU list '" + list + "' is not of the form"));
  }
}

TEST_CASE("packages, SMT siblings and nodes are distinguished") {
  const Folder root;
  two_packages(root);
  const auto machine = topology::read(root.path(), {0, 1, 2});
  REQUIRE(machine.cpus.size() == 8);
  CHECK(machine.cpus[6].package == 1);
  CHECK(machine.cpus[6].core == machine.cpus[2].core);
  CHECK(machine.cpus[6].node == 1);
  CHECK(machine.cpus[5].node == 0);
  CHECK(machine.cpus[2].allowed);
  CHECK_FALSE(machine.cpus[3].allowed);
}

TEST_CASE("a node without CPUs is a node, and so is one without memory") {
  const Folder root;
  two_packages(root);
  const auto machine = topology::read(root.path(), {0});
  REQUIRE(machine.nodes.size() == 4);
  CHECK(machine.nodes[2].cpus.empty());
  CHECK(machine.nodes[2].memory_bytes == std::size_t{4} << 30U);
  CHECK(machine.nodes[2].free_bytes == std::size_t{2} << 30U);
  CHECK(machine.nodes[2].distances == std::vector<unsigned>{10, 21, 17, 28});
  CHECK(machine.nodes[3].memory_bytes == 0);
  CHECK(machine.nodes[1].huge_pages ==
        std::map<std::size_t, std::size_t>{{std::size_t{2} << 20U, 12}, {std::size_t{1} << 30U, 0}});
}

TEST_CASE("a cache is listed once, however many CPUs share it") {
  const Folder root;
  two_packages(root);
  const auto machine = topology::read(root.path(), {0});
  REQUIRE(machine.caches.size() == 6);
  const auto& last = machine.caches[1];
  CHECK(last.level == 3);
  CHECK(last.kind == "Unified");
  CHECK(last.size_bytes == std::size_t{105} << 20U);
  CHECK(last.ways == 12);
  CHECK(last.line_bytes == 64);
  CHECK(last.cpus == std::vector<unsigned>{0, 1, 4, 5});
}

TEST_CASE("cores of two clusters are not threads of one core, though the kernel numbers them alike") {
  const Folder root;
  root.write(CPUS + "online", "0-7\n");
  for (unsigned number = 0; number < 8; ++number) {
    cpu(root, number, number % 4, 0);  // core_id begins again in the second cluster
    const auto its = CPUS + "cpu" + std::to_string(number) + "/";
    root.write(its + "topology/thread_siblings_list", std::to_string(number) + "\n");
    root.write(its + "cpu_capacity", number < 4 ? "446\n" : "1024\n");
  }
  const auto machine = topology::read(root.path(), {0});
  std::set<unsigned> cores;
  for (const auto& one : machine.cpus) cores.insert(one.core);
  CHECK(cores.size() == 8);
  CHECK(machine.cpus[3].capacity == 446);
  CHECK(machine.cpus[4].capacity == 1024);
}

TEST_CASE("threads of a core keep the number of the kernel") {
  const Folder root;
  root.write(CPUS + "online", "0-3\n");
  for (unsigned number = 0; number < 4; ++number) {
    cpu(root, number, 8 * (number % 2), 0);
    root.write(CPUS + "cpu" + std::to_string(number) + "/topology/thread_siblings_list",
               number % 2 == 0 ? "0,2" : "1,3");
  }
  const auto machine = topology::read(root.path(), {0});
  CHECK(machine.cpus[2].core == 0);
  CHECK(machine.cpus[3].core == 8);
}

TEST_CASE("a package that the kernel does not know is package 0") {
  const Folder root;
  root.write(CPUS + "online", "0\n");
  cpu(root, 0, 0, 0);
  root.write(CPUS + "cpu0/topology/physical_package_id", "-1\n");
  root.write(CPUS + "cpu0/topology/core_id", "-1\n");
  const auto machine = topology::read(root.path(), {0});
  CHECK(machine.cpus[0].package == 0);
  CHECK(machine.cpus[0].core == 0);
}

TEST_CASE("an offline CPU is not there") {
  const Folder root;
  two_packages(root);
  root.write(CPUS + "online", "0,2-3\n");
  const auto machine = topology::read(root.path(), {0});
  REQUIRE(machine.cpus.size() == 3);
  CHECK(machine.cpus[1].number == 2);
}

TEST_CASE("without sysfs there is one node over the allowed CPUs, and no cache") {
  const Folder root;
  root.write("proc/meminfo", "MemTotal:       2048 kB\nMemFree:        1024 kB\nMemAvailable:   1500 kB\n");
  const auto machine = topology::read(root.path(), {0, 3});
  REQUIRE(machine.cpus.size() == 2);
  CHECK(machine.cpus[1].number == 3);
  CHECK(machine.cpus[1].core == 3);
  CHECK(machine.caches.empty());
  REQUIRE(machine.nodes.size() == 1);
  CHECK(machine.nodes[0].cpus == std::vector<unsigned>{0, 3});
  CHECK(machine.nodes[0].memory_bytes == 2048 * 1024);
  CHECK(machine.nodes[0].free_bytes == 1024 * 1024);
}

TEST_CASE("damaged files leave zeros, never a fault") {
  const Folder root;
  two_packages(root);
  root.write(CPUS + "cpu0/cache/index0/size", "\n");
  root.write(CPUS + "cpu0/cache/index0/shared_cpu_list", "0-\n");
  root.write(CPUS + "cpu1/topology/core_id", "none\n");
  root.write(NODES + "node0/meminfo", "Node 0\n");
  root.write(NODES + "node0/hugepages/hugepages-99999999999999999999999kB/free_hugepages", "1\n");
  root.write(NODES + "node0/hugepages/rubbish", "1\n");
  const auto machine = topology::read(root.path(), {0});
  CHECK(machine.caches[0].size_bytes == 0);
  CHECK(machine.caches[0].cpus == std::vector<unsigned>{0});
  CHECK(machine.cpus[1].core == 1);
  CHECK(machine.nodes[0].memory_bytes == 0);
  CHECK(machine.nodes[0].huge_pages.size() == 2);
}
