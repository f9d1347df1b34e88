/// `fsdax`: a file on a DAX file system, mapped so that loads and stores reach the persistent memory itself and a
/// flushed line needs no system call (MAP_SYNC). The file is made and removed here; an existing file is never touched.
/// Source: Linux, Documentation/filesystems/dax.rst; mmap(2), MAP_SYNC.
#include <sys/mman.h>

#include <cerrno>

#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"
#include "targets/region.hpp"

#ifndef MAP_SYNC
#define MAP_SYNC 0x80000
#endif
#ifndef MAP_SHARED_VALIDATE
#define MAP_SHARED_VALIDATE 0x03
#endif

namespace tierscope::targets::fsdax {
namespace {

class FsdaxTarget final : public Target {
 public:
  explicit FsdaxTarget(const TargetOptions& options) : path_(options.where), pages_(options.pages) {
    if (path_.empty()) throw BadPlan("target fsdax needs a path: fsdax:/mnt/pmem/tierscope.tmp");
    static_cast<void>(pages::size_of(pages_));
    if (pages::reserved(pages_))
      throw Unsupported("pages=" + pages_ +
                        " is for node targets; a DAX file system chooses its pages: thp asks for 2 MiB");
  }

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const std::size_t page = pages::size_of(pages_);
    const std::size_t size = (size_bytes + page - 1) / page * page;
    const Descriptor file(made_file::create(path_));
    require_dax(file.get());
    made_file::require_room(file.get(), "fsdax", path_, size);
    made_file::reserve(file.get(), path_, size);
    auto buffer = made_file::map(file.get(), path_, size, pages::huge(), MAP_SHARED_VALIDATE | MAP_SYNC);
    madvise(buffer.bytes().data(), size, pages_ == "thp" ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // verified by inspect
    return buffer;
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    if (!pages::has_flag(buffer.bytes(), "sf"))
      throw Unsupported(
          word() + " is mapped without MAP_SYNC (VmFlags of smaps lack sf): stores go to the page cache; " + advice());
    Placement placement;
    const auto region = its_region();
    placement.pages = pages::by_faults(buffer.bytes());
    placement.how = "VmFlags sf: MAP_SYNC; sizes of pages by page faults, which smaps does not count";
    if (!region) return placement;
    if (region->numa_node >= 0) placement.nodes[static_cast<unsigned>(region->numa_node)] = buffer.bytes().size();
    placement.how += "; nearest node of " + region->name + " by sysfs";
    return placement;
  }

  [[nodiscard]] const char* origin() const override { return origin_by().empty() ? "real" : "emulated"; }
  [[nodiscard]] std::string origin_by() const override {
    const auto region = its_region();
    return region && region->of_kernel_line ? "memmap= of the kernel's command line: DRAM" : "";
  }
  [[nodiscard]] Persistence persistence() const override { return region::persistence_of(its_region()); }

 private:
  [[nodiscard]] std::string word() const { return "target fsdax:" + path_; }
  [[nodiscard]] std::string cached() const { return "target=file:" + path_; }
  [[nodiscard]] std::string advice() const {
    return "mount ext4 or XFS on a namespace in fsdax mode by `mount -o dax=always /dev/pmemN DIR`, or take " +
           cached() + ", the page cache, which persists by msync";
  }
  [[nodiscard]] std::optional<region::Region> its_region() const {
    return region::of_device(region::device_folder("block", made_file::device(path_)));
  }

  /// Map and unmap one page, before any block is reserved.
  void require_dax(int file) const {
    void* page = mmap(nullptr, pages::base(), PROT_READ | PROT_WRITE, MAP_SHARED_VALIDATE | MAP_SYNC, file, 0);
    if (page != MAP_FAILED) {
      munmap(page, pages::base());
      return;
    }
    const int number = errno;
    if (number != EOPNOTSUPP && number != EINVAL) throw SystemError("map " + path_ + " with MAP_SYNC", number);
    const auto refused = word() + " cannot be mapped with MAP_SYNC: " + made_file::file_system(path_);
    if (made_file::is_dax(file))
      throw Unsupported(refused +
                        ", with DAX, but its device flushes by system calls alone, as virtio_pmem does; take " +
                        cached() + ", which persists by msync");
    throw Unsupported(refused + ", without DAX; " + advice());
  }

  std::string path_;
  std::string pages_;
};

constexpr TargetEntry entry{"fsdax", "a file on a DAX file system: persistent memory", "fsdax:PATH",
                            &make_target<FsdaxTarget>, "file system"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::fsdax
