/// `file`: a mapped file on any file system, in the page cache or on tmpfs. The file is made, filled and
/// removed here; one that exists already is never touched.
#include <sys/mman.h>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::file {
namespace {

class FileTarget final : public Target {
 public:
  explicit FileTarget(const TargetOptions& options) : path_(options.where), pages_(options.pages) {
    if (path_.empty()) throw BadPlan("target file needs a path: file:/mnt/x/tierscope.tmp");
    static_cast<void>(pages::size_of(pages_));
    if (pages::reserved(pages_))
      throw Unsupported("pages=" + pages_ + " is for node targets; a file system chooses the pages of its files");
  }

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const std::size_t size = (size_bytes + pages::base() - 1) / pages::base() * pages::base();
    const Descriptor file(made_file::create(path_));
    made_file::require_room(file.get(), "file", path_, size);
    capacity::require(size);
    made_file::reserve(file.get(), path_, size);
    dax_ = made_file::is_dax(file.get());
    auto buffer = made_file::map(file.get(), path_, size, pages::huge(), MAP_SHARED);
    // few file systems follow it; inspect reports it
    madvise(buffer.bytes().data(), size, pages_ == "thp" ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    return buffer;
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    if (!dax_) return {pages::found(buffer.bytes()), {}, "smaps; the file's pages are in the page cache"};
    return {pages::by_faults(buffer.bytes()), {}, "a DAX file, mapped without MAP_SYNC; sizes of pages by page faults"};
  }

  [[nodiscard]] Persistence persistence() const override {
    if (made_file::in_memory(path_)) return {"none", "volatile memory: " + made_file::file_system(path_)};
    if (dax_) return {"msync", "DAX without MAP_SYNC: msync flushes, and writes the file system's metadata"};
    return {"msync", "page cache: msync writes back"};
  }

 private:
  std::string path_;
  std::string pages_;
  mutable bool dax_ = false;  // of the last file that was mapped
};

constexpr TargetEntry entry{"file", "a mapped file on any file system", "file:PATH", &make_target<FileTarget>,
                            "page cache"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::file
