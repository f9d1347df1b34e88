/// `file`: a mapped file on any file system, in the page cache or on tmpfs. The file is made, filled and
/// removed here; one that exists already is never touched.
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/statvfs.h>
#include <unistd.h>

#include <cerrno>
#include <filesystem>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

namespace tierscope {
namespace {

/// An open descriptor, closed when it goes.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

class FileTarget final : public Target {
 public:
  explicit FileTarget(const TargetOptions& options) : path_(options.where), pages_(options.pages) {
    if (path_.empty()) throw BadPlan("target file needs a path: file:/mnt/x/tierscope.tmp");
    static_cast<void>(pages::size_of(pages_));
    if (pages_ == "2m" || pages_ == "1g")
      throw Unsupported("pages=" + pages_ + " is for node targets; a file system chooses the pages of its files");
  }

  /// The name is unlinked before the mapping is used, so nothing is left behind even after a kill.
  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const std::size_t size = (size_bytes + pages::BASE - 1) / pages::BASE * pages::BASE;
    const Descriptor file(open(path_.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600));
    if (file.get() < 0) {
      const int number = errno;
      throw SystemError("create " + path_ + (number == EEXIST ? " (name a file that does not exist yet)" : ""), number);
    }
    unlink(path_.c_str());
    require_room(file.get(), size);
    if (const int number = posix_fallocate(file.get(), 0, static_cast<off_t>(size)); number != 0)
      throw SystemError("reserve " + std::to_string(size) + " bytes for " + path_, number);
    void* at = mmap(nullptr, size, PROT_READ | PROT_WRITE, MAP_SHARED, file.get(), 0);
    if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes of " + path_, errno);
    madvise(at, size, pages_ == "thp" ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);  // few file systems heed it; inspect tells
    return {at, size, 0, size};
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    return {pages::found(buffer.bytes()), {}, "smaps; the file's pages lie in the page cache"};
  }

 private:
  void require_room(int file, std::size_t size) const {
    struct statvfs room{};
    if (fstatvfs(file, &room) != 0) return;
    const std::size_t free = room.f_bavail * room.f_frsize;
    if (free < size)
      throw Unsupported("file of " + std::to_string(size >> 20U) + " MiB has no room at " + path_ + ": " +
                        std::to_string(free >> 20U) + " MiB free; use a smaller footprint or another file system");
    capacity::require(size);
  }

  std::string path_;
  std::string pages_;
};

constexpr TargetEntry entry{"file", "a mapped file on any file system", "file:PATH", &make_target<FileTarget>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope
