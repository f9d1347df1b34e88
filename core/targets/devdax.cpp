/// `devdax`: persistent memory, or memory that the firmware set aside, as a character device without a file system. The
/// content of the device is overwritten. A device with a mark of a pool, a file system or another owner is refused.
/// Source: Linux, Documentation/ABI/testing/sysfs-bus-dax; daxctl(1).
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstring>
#include <system_error>

#include "base/error.hpp"
#include "base/fault.hpp"
#include "base/registry.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"
#include "targets/region.hpp"
#include "targets/slots.hpp"

#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif
#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 0x03
#endif

namespace tierscope::targets::devdax {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view OVERWRITE = ":overwrite";

/// Typical content of such a device, by its first bytes, and by its last ones, which contain copies of such marks.
/// Source: PMDK, src/common/pool_hdr.h; util-linux 2.38, libblkid/src/superblocks and partitions. Python also asks
/// blkid and wipefs, which know about sixty formats (src/tierscope/fio/dax_content.py); this list is for a core without
/// it.
struct Signature {
  std::size_t offset;
  std::string_view bytes, owner;
};
constexpr std::array SIGNATURES{Signature{0, "PMEM", "a pool of PMDK"},
                                Signature{0, "XFSB", "an XFS file system"},
                                Signature{0x438, "\x53\xEF", "an ext4 file system"},
                                Signature{0, "LUKS\xBA\xBE", "an encrypted volume"},
                                Signature{0, "hsqs", "a SquashFS file system"},
                                Signature{510, "\x55\xAA", "a partition table or a FAT file system"},
                                Signature{512, "EFI PART", "a partition table (GPT)"},
                                Signature{4096, "EFI PART", "a partition table (GPT)"},
                                Signature{512, "LABELONE", "a volume of LVM"},
                                Signature{1024, "\x10\x20\xF5\xF2", "an F2FS file system"},
                                Signature{4086, "SWAPSPACE2", "swap space"},
                                Signature{0, "\xFC\x4E\x2B\xA9", "a member of a RAID"},
                                Signature{4096, "\xFC\x4E\x2B\xA9", "a member of a RAID"},
                                Signature{0x10040, "_BHRfS_M", "a Btrfs file system"}};
/// Offsets are before the end. The version 0.90 of Linux's RAID has its mark at the last multiple of 64 KiB that leaves
/// 64 KiB.
constexpr std::array LAST_SIGNATURES{Signature{512, "EFI PART", "a partition table (GPT)"},
                                     Signature{4096, "EFI PART", "a partition table (GPT)"},
                                     Signature{8192, "\xFC\x4E\x2B\xA9", "a member of a RAID"},
                                     Signature{65536, "\xFC\x4E\x2B\xA9", "a member of a RAID"}};
constexpr std::size_t REACH = std::size_t{128} << 10U;  // of all marks, from both ends

/// Return the name of the first of `marks` that is present, "" if none is; `place` turns an offset into one in `bytes`.
template <class Marks, class Place>
std::string_view owner_in(std::string_view bytes, const Marks& marks, Place place) {
  for (const auto& [offset, sign, owner] : marks)
    if (const auto at = place(offset); at + sign.size() <= bytes.size() && bytes.substr(at, sign.size()) == sign)
      return owner;
  return "";
}

class DevdaxTarget final : public Target {
 public:
  explicit DevdaxTarget(const TargetOptions& options) : path_(options.where), pages_(options.pages) {
    overwrite_ = path_.ends_with(OVERWRITE);
    if (overwrite_) path_.resize(path_.size() - OVERWRITE.size());
    if (path_.empty()) throw BadPlan("target devdax needs a device: devdax:/dev/dax0.0");
    static_cast<void>(pages::size_of(pages_));
    if (pages_ != "thp")
      throw Unsupported("pages=" + pages_ + " cannot be chosen: the device has pages of its own, by its alignment; " +
                        "remove pages=, or `ndctl create-namespace -m devdax --align=4K`");
  }

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const auto folder = its_folder();
    const Descriptor device(open(path_.c_str(), O_RDWR | O_CLOEXEC));
    if (device.get() < 0) refuse_open(errno);
    const auto align = alignment(folder);
    const auto size = (size_bytes + align - 1) / align * align;
    const auto held = static_cast<std::size_t>(region::number_in(folder / "size").value_or(0));
    const auto place = slots::place(fs::canonical(path_), size, align);  // behind the mappings of other groups
    if (place + size > held)
      throw Unsupported(word() + " has " + std::to_string(held >> 20U) + " MiB, and " +
                        std::to_string((place + size) >> 20U) + " MiB are needed; ask for a smaller footprint");
    if (!overwrite_) refuse_content(device.get(), held, align);
    return map_synced(device.get(), size, std::max(align, pages::huge()), place);
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    const auto folder = its_folder();
    Placement placement;
    placement.pages[alignment(folder)] = buffer.bytes().size();
    placement.how = std::string(pages::has_flag(buffer.bytes(), "sf") ? "VmFlags sf: MAP_SYNC" : "mapped as shared") +
                    "; the device serves pages of its alignment alone";
    if (const auto node = region::number_in(folder / "numa_node"); node && *node >= 0) {
      placement.nodes[static_cast<unsigned>(*node)] = buffer.bytes().size();
      placement.how += "; nearest node by sysfs";
    }
    return placement;
  }

  [[nodiscard]] const char* origin() const override { return origin_by().empty() ? "real" : "emulated"; }
  [[nodiscard]] std::string origin_by() const override {
    const auto region = region::of_device(its_folder());
    return region && region->of_kernel_line ? "memmap= of the kernel's command line: DRAM" : "";
  }
  [[nodiscard]] Persistence persistence() const override {
    const auto region = region::of_device(its_folder());
    if (region) return region::persistence_of(region);
    return {"none", "volatile memory: " + path_ + " is not below a region of the NVDIMM driver"};
  }

 private:
  [[nodiscard]] std::string word() const { return "target devdax:" + path_; }

  /// Return its folder in sysfs. @throws Unsupported, SystemError
  [[nodiscard]] fs::path its_folder() const {
    struct stat its{};
    if (stat(path_.c_str(), &its) != 0)
      throw SystemError("find " + path_ + " (`ndctl list -N` shows namespaces, `daxctl list` devices; one in mode " +
                            "system-ram is memory of a node, and has none)",
                        errno);
    const auto folder = S_ISCHR(its.st_mode) ? region::device_folder("char", its.st_rdev) : fs::path{};
    std::error_code none;
    if (folder.empty() || fs::canonical(folder / "subsystem", none).filename() != "dax")
      throw Unsupported(word() + " is not a DAX device; name one as /dev/dax0.0, made by " +
                        "`ndctl create-namespace -m devdax`, or take fsdax:PATH for a file");
    return folder;
  }

  [[nodiscard]] static std::size_t alignment(const fs::path& folder) {
    const auto found = region::number_in(folder / "align").value_or(0);
    return found > 0 ? static_cast<std::size_t>(found) : pages::huge();  // kernels before 5.10 do not report it
  }

  [[noreturn]] void refuse_open(int number) const {
    if (number == EACCES || number == EPERM)
      throw SystemError("open " + path_ + " (as root: setfacl -m u:$USER:rw " + path_ + ")", number);
    throw SystemError("open " + path_ + " (`daxctl list -d " + fs::path(path_).filename().string() +
                          "` shows its state; who uses it: fuser " + path_ + ")",
                      number);
  }

  /// A device has no metadata that MAP_SYNC would write. If the kernel does not know MAP_SYNC there, a shared mapping
  /// is as persistent.
  [[nodiscard]] Buffer map_synced(int device, std::size_t size, std::size_t align, std::size_t place) const {
    void* tried = mmap(nullptr, align, PROT_READ, MAP_SHARED_VALIDATE | MAP_SYNC, device, 0);
    const bool sync = tried != MAP_FAILED;
    if (sync) munmap(tried, align);
    return made_file::map(device, path_, size, align, sync ? MAP_SHARED_VALIDATE | MAP_SYNC : MAP_SHARED, place);
  }

  /// @throws Unsupported if either end of the device has a mark; Fault if it cannot be read
  void refuse_content(int device, std::size_t held, std::size_t align) const {
    const auto reach = std::min(held, REACH);
    const auto first = read_part(device, 0, reach, align), last = read_part(device, held - reach, reach, align);
    auto owner = owner_in(first, SIGNATURES, [](std::size_t offset) { return offset; });
    if (owner.empty()) owner = owner_in(last, LAST_SIGNATURES, [&](std::size_t offset) { return reach - offset; });
    if (!owner.empty())
      throw Unsupported(word() + " seems to contain " + std::string(owner) +
                        ", which would be overwritten; name another device, or write devdax:" + path_ +
                        std::string(OVERWRITE) + " to lose it");
  }

  /// Return bytes of the device, which can only be mapped, at multiples of its alignment.
  [[nodiscard]] std::string read_part(int device, std::size_t offset, std::size_t size, std::size_t align) const {
    const auto begin = offset / align * align, end = (offset + size + align - 1) / align * align;
    auto* const mapped = mmap(nullptr, end - begin, PROT_READ, MAP_SHARED, device, static_cast<off_t>(begin));
    if (mapped == MAP_FAILED) throw SystemError("map " + path_ + " to see what it contains", errno);
    const Buffer buffer(mapped, end - begin, 0, end - begin);
    std::string bytes(size, '\0');
    fault::listen();
    fault::Watch watch({buffer.bytes()});
    const auto copy = [&] { std::memcpy(bytes.data(), buffer.bytes().data() + (offset - begin), size); };
    if (!watch.run(fault::After::leave, copy))
      throw Fault(word() + ": its first or last bytes cannot be read (SIGBUS): " + fault::reason(watch.code()));
    return bytes;
  }

  std::string path_;
  std::string pages_;
  bool overwrite_ = false;
};

constexpr TargetEntry entry{"devdax", "a DAX device without a file system; its content is overwritten",
                            "devdax:/dev/daxX.Y", &make_target<DevdaxTarget>, "device"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::devdax
