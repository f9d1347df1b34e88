/// Persistent targets where there is no persistent memory: the refusals with their reasons, and the content of sysfs.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/mount.h>
#include <sys/sysmacros.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <tuple>

#include "base/registry.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"
#include "targets/region.hpp"
#include "targets/slots.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

constexpr std::size_t MIB = std::size_t{1} << 20U;

std::unique_ptr<Target> target(const std::string& name, const std::string& where, const std::string& pages = "thp") {
  return Registry<TargetEntry>::find("target", name).make({where, pages});
}

std::string refusal(const std::string& name, const std::string& where, std::size_t size_bytes = MIB) {
  return error_of([&] { static_cast<void>(target(name, where)->map(size_bytes)); });
}

/// A tmpfs of 2 MiB on a folder, where the system lets a test mount one.
class SmallFileSystem {
 public:
  explicit SmallFileSystem(unsigned long flags = 0)
      : mounted_(mount("tmpfs", folder_.path().c_str(), "tmpfs", flags, "size=2m") == 0) {
    if (!mounted_) MESSAGE("no file system can be mounted here: ", std::strerror(errno));
  }
  SmallFileSystem(const SmallFileSystem&) = delete;
  SmallFileSystem& operator=(const SmallFileSystem&) = delete;
  ~SmallFileSystem() {
    if (mounted_) umount2(folder_.path().c_str(), MNT_DETACH);
  }
  [[nodiscard]] bool mounted() const { return mounted_; }
  [[nodiscard]] std::string at(const std::string& name) const { return folder_.at(name); }
  [[nodiscard]] bool empty() const { return std::filesystem::is_empty(folder_.path()); }

 private:
  Folder folder_;
  bool mounted_;
};

/// A tree of sysfs with one region: /dev/pmem0 (259:1) with a partition (259:2), a mapped volume (253:0) on it, and
/// /dev/dax0.0 (252:3); 8:0 is a disk.
class Tree {
 public:
  explicit Tree(const std::string& domain, const std::string& provider = "ACPI.NFIT", const std::string& line = "") {
    const std::string bus = "sys/devices/LNXSYSTM:00/ACPI0012:00/ndbus0";
    folder_.write(bus + "/provider", provider + "\n");
    folder_.write(bus + "/region0/persistence_domain", domain + "\n");
    folder_.write(bus + "/region0/numa_node", "1\n");
    folder_.write(bus + "/region0/target_node", "3\n");
    folder_.write(bus + "/region0/pfn0.1/block/pmem0/pmem0p1/partition", "1\n");
    folder_.write(bus + "/region0/dax0.1/dax0.0/size", "4096\n");
    folder_.write("sys/devices/virtual/block/dm-0/size", "1\n");
    folder_.write("sys/devices/pci0000:00/region7/block/sda/size", "1\n");
    folder_.write("proc/cmdline", line + "\n");
    link("block/259:1", bus + "/region0/pfn0.1/block/pmem0");
    link("block/259:2", bus + "/region0/pfn0.1/block/pmem0/pmem0p1");
    link("char/252:3", bus + "/region0/dax0.1/dax0.0");
    link("block/253:0", "sys/devices/virtual/block/dm-0");
    link("block/8:0", "sys/devices/pci0000:00/region7/block/sda");
    std::filesystem::create_directories(folder_.path() / "sys/devices/virtual/block/dm-0/slaves");
    std::filesystem::create_symlink("../../../../../../" + bus + "/region0/pfn0.1/block/pmem0/pmem0p1",
                                    folder_.path() / "sys/devices/virtual/block/dm-0/slaves/pmem0p1");
  }
  [[nodiscard]] std::optional<region::Region> of(const std::string& kind, unsigned first, unsigned second) const {
    return region::of_device(region::device_folder(kind, makedev(first, second), folder_.path()), folder_.path());
  }

 private:
  void link(const std::string& number, const std::string& device) const {
    const auto at = folder_.path() / "sys/dev" / number;
    std::filesystem::create_directories(at.parent_path());
    std::filesystem::create_symlink("../../../" + device, at);
  }
  Folder folder_;
};

}  // namespace

TEST_CASE("a file system without DAX is refused, by its name and options, and nothing is left") {
  const SmallFileSystem small;
  if (!small.mounted()) return;
  const auto message = refusal("fsdax", small.at("x"));
  CHECK(holds(message, "Unsupported: target fsdax:" + small.at("x") + " cannot be mapped with MAP_SYNC: "));
  CHECK(holds(message, std::filesystem::path(small.at("x")).parent_path().string() + " is tmpfs (rw"));
  CHECK(holds(message, "size=2048k"));
  CHECK(holds(message, "mount -o dax=always"));
  CHECK(holds(message, "target=file:" + small.at("x")));
  CHECK(small.empty());
}

TEST_CASE("memory in the page cache does not pass for persistent memory") {
  const Folder folder;
  CHECK(holds(refusal("fsdax", folder.at("x")), "cannot be mapped with MAP_SYNC: "));
  CHECK(std::filesystem::is_empty(folder.path()));
  const auto fsdax = target("fsdax", folder.at("x"));
  const auto cached = target("file", folder.at("y"))->map(MIB);
  CHECK(holds(error_of([&] { static_cast<void>(fsdax->inspect(cached)); }), "is mapped without MAP_SYNC"));
}

TEST_CASE("a full or read-only file system is refused with what to try") {
  const SmallFileSystem small;
  if (!small.mounted()) return;
  CHECK(holds(refusal("file", small.at("x"), 3 * MIB),
              "file of 3 MiB has no space at " + small.at("x") + ": 2 MiB free"));
  CHECK(small.empty());
  const SmallFileSystem fixed(MS_RDONLY);
  for (const auto* name : {"file", "fsdax"}) {
    const auto message = refusal(name, fixed.at("x"));
    CHECK(holds(message, "SystemError: create " + fixed.at("x") + " (the file system is mounted read-only"));
    CHECK(holds(message, "Read-only file system"));
  }
}

TEST_CASE("a file that exists, and a folder that does not, are refused by fsdax too") {
  const Folder folder;
  folder.write("mine", "precious");
  CHECK(holds(refusal("fsdax", folder.at("mine")), "(name a file that does not exist yet)"));
  CHECK(folder.read("mine") == "precious");
  CHECK(holds(refusal("fsdax", folder.at("no/where")), "its folder does not exist"));
  CHECK(holds(error_of([] { target("fsdax", ""); }), "BadPlan: target fsdax needs a path"));
  CHECK(holds(error_of([] { target("fsdax", "x", "2m"); }), "Unsupported: pages=2m"));
}

TEST_CASE("a path that is not a DAX device is refused before it is opened for writing") {
  const Folder folder;
  folder.write("mine", "precious");
  CHECK(holds(refusal("devdax", folder.at("mine")), " is not a DAX device; name one as /dev/dax0.0"));
  CHECK(folder.read("mine") == "precious");
  CHECK(holds(refusal("devdax", "/dev/null:overwrite"), "target devdax:/dev/null is not a DAX device"));
  CHECK(holds(refusal("devdax", "/dev/dax77.7"), "SystemError: find /dev/dax77.7 (`ndctl list -N`"));
  CHECK(holds(error_of([] { target("devdax", ""); }), "BadPlan: target devdax needs a device"));
  CHECK(holds(error_of([] { target("devdax", "/dev/dax0.0", "4k"); }), "Unsupported: pages=4k cannot be chosen"));
}

TEST_CASE("a file persists by msync, and not at all if its file system is in memory") {
  const Folder folder;
  if (!made_file::in_memory(folder.at("x"))) CHECK(target("file", folder.at("x"))->persistence().domain == "msync");
  const SmallFileSystem small;
  if (!small.mounted()) return;
  const auto volatile_one = target("file", small.at("x"))->persistence();
  CHECK(volatile_one.domain == "none");
  CHECK(holds(volatile_one.how, "is tmpfs"));
}

TEST_CASE("the region of a disk, a partition, a mapped volume and a character device is found") {
  const Tree tree("memory_controller");
  for (const auto& [kind, first, second] :
       {std::tuple{"block", 259U, 1U}, {"block", 259U, 2U}, {"block", 253U, 0U}, {"char", 252U, 3U}}) {
    const auto minor = second;  // a binding cannot be captured
    CAPTURE(minor);
    const auto found = tree.of(kind, first, second);
    REQUIRE(found);
    CHECK(found->name == "region0");
    CHECK(found->provider == "ACPI.NFIT");
    CHECK(found->numa_node == 1);
    CHECK(found->target_node == 3);
    CHECK_FALSE(found->of_kernel_line);
  }
  CHECK_FALSE(tree.of("block", 8, 0));  // region7 there is of no NVDIMM bus
  CHECK_FALSE(tree.of("block", 99, 99));
}

TEST_CASE("the region states what persists, and a doubt is reported") {
  const auto of = [](const std::string& domain) { return region::persistence_of(Tree(domain).of("block", 259, 1)); };
  CHECK(of("memory_controller").domain == "adr");
  CHECK(of("memory_controller").how == "/sys/bus/nd/devices/region0/persistence_domain: memory_controller");
  CHECK(of("cpu_cache").domain == "eadr");
  CHECK(of("").domain == "adr");
  CHECK(holds(of("").how, "not stated by /sys/bus/nd/devices/region0/persistence_domain; flushes are needed"));
  CHECK(holds(region::persistence_of(std::nullopt).how, "no region"));
}

TEST_CASE("DRAM that the kernel's command line calls persistent is distinguished from persistent memory") {
  const auto is_dram = [](const std::string& provider, const std::string& line) {
    return Tree("", provider, line).of("block", 259, 1)->of_kernel_line;
  };
  CHECK(is_dram("e820", "quiet memmap=64K$1M memmap=1G!4G"));
  CHECK_FALSE(is_dram("e820", "quiet memmap=64K$1M"));  // a legacy NVDIMM
  CHECK_FALSE(is_dram("ACPI.NFIT", "memmap=1G!4G"));
}

TEST_CASE("sizes of pages are found by faults, and the bytes stay") {
  const Folder folder;
  const auto file = folder.at("x");
  const Descriptor descriptor(made_file::create(file));
  made_file::reserve(descriptor.get(), file, 5 * MIB);
  const auto buffer = made_file::map(descriptor.get(), file, 5 * MIB, pages::huge(), MAP_SHARED);
  const auto bytes = buffer.bytes();
  CHECK(reinterpret_cast<std::uintptr_t>(bytes.data()) % pages::huge() == 0);
  std::memset(bytes.data(), 7, bytes.size());
  std::size_t sum = 0;
  for (const auto& [size, held] : pages::by_faults(bytes)) sum += held;
  CHECK(sum == 5 * MIB);
  CHECK(std::all_of(bytes.begin(), bytes.end(), [](std::byte byte) { return byte == std::byte{7}; }));
  CHECK(pages::has_flag(bytes, "sh"));
  CHECK_FALSE(pages::has_flag(bytes, "sf"));
}

TEST_CASE("two mappings of one device are next to each other") {
  const std::string maps =
      "7f0000000000-7f0000200000 rw-s 00200000 00:05 311                        /dev/dax0.0\n"
      "7f0000400000-7f0000600000 rw-s 00000000 00:05 311                        /dev/dax0.0\n"
      "7f0000600000-7f0000800000 rw-s 00000000 00:05 312                        /dev/dax1.0\n"
      "7f0000800000-7f0000a00000 rw-p 00400000 00:05 311                        /dev/dax0.0\n"
      "7ffc00000000-7ffc00021000 rw-p 00000000 00:00 0                          [stack]\n";
  const auto taken = slots::mapped(maps, "/dev/dax0.0");
  CHECK(taken == std::vector<slots::Range>{{0, 0x200000}, {0x200000, 0x400000}});
  CHECK(slots::first_free(taken, 0x200000, 0x200000) == 0x400000);
  CHECK(slots::first_free({}, 0x200000, 0x200000) == 0);
  CHECK(slots::first_free({{0x200000, 0x400000}}, 0x200000, 0x200000) == 0);
  CHECK(slots::first_free({{0x200000, 0x400000}}, 0x300000, 0x200000) == 0x400000);
  CHECK(slots::first_free({{0, 0x1000}}, 0x1000, 0x200000) == 0x200000);
  CHECK(slots::mapped("", "/dev/dax0.0").empty());
}
