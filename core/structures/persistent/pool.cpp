#include "structures/persistent/pool.hpp"

#include <fcntl.h>
#include <linux/magic.h>
#include <sys/stat.h>
#include <sys/statvfs.h>
#include <sys/vfs.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <utility>

#include "base/capacity.hpp"
#include "base/error.hpp"

namespace tierscope::structures {
namespace {

std::string mib(std::size_t size_bytes) { return std::to_string((size_bytes + (1U << 20U) - 1) >> 20U) + " MiB"; }

/// Returns libpmemobj's message about its last refusal, in letters of one line.
std::string last_words() {
  std::string words = pmemobj_errormsg();
  std::ranges::replace_if(words, [](unsigned char letter) { return letter < ' ' || letter > '~'; }, '?');
  return words;
}

/// @throws Unsupported if a pool of `size` has no space for the keys.
void require_size(const StructureOptions& asked, std::size_t size, std::size_t needed) {
  if (size < needed)
    throw Unsupported("pool " + asked.path + " of " + mib(size) + " is too small for " + std::to_string(asked.keys) +
                      " keys with values of " + std::to_string(asked.value_bytes) + " bytes: that takes " +
                      std::to_string(needed) + " bytes (" + mib(needed) + "); give a larger pool or fewer keys");
}

/// @throws Unsupported if the file system, or the memory behind it, has less.
void require_room(const std::string& path, std::size_t size) {
  auto folder = std::filesystem::path(path).parent_path();
  if (folder.empty()) folder = ".";
  struct statvfs room{};
  if (statvfs(folder.c_str(), &room) == 0 && std::size_t{room.f_bavail} * room.f_frsize < size)
    throw Unsupported("pool " + path + " takes " + std::to_string(size) + " bytes (" + mib(size) + "), and " +
                      mib(std::size_t{room.f_bavail} * room.f_frsize) + " are free there; use fewer keys");
  struct statfs kind{};
  if (statfs(folder.c_str(), &kind) == 0 && kind.f_type == TMPFS_MAGIC) capacity::require(size);
}

/// A file of a size and without a name, which libpmemobj finds by its descriptor. @throws SystemError
PMEMobjpool* make_unnamed(const std::string& path, const std::string& layout, std::size_t size) {
  const int file = ::open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) throw SystemError("make pool " + path, errno);
  unlink(path.c_str());
  const int why = posix_fallocate(file, 0, static_cast<off_t>(size));
  const auto name = "/proc/self/fd/" + std::to_string(file);
  auto* pool = why == 0 ? pmemobj_create(name.c_str(), layout.c_str(), 0, 0600) : nullptr;
  close(file);
  if (why != 0) throw SystemError("reserve " + std::to_string(size) + " bytes for pool " + path, why);
  return pool;
}

/// Counters of unsafe shutdowns are left out, as for the target pool: many file systems have none.
PMEMobjpool* make(const StructureOptions& asked, const std::string& layout, std::size_t size) {
  require_room(asked.path, size);
  int off = 0;
  pmemobj_ctl_set(nullptr, "sds.at_create", &off);  // a library that refuses has no such counters
  auto* pool = asked.unnamed ? make_unnamed(asked.path, layout, size)
                             : pmemobj_create(asked.path.c_str(), layout.c_str(), size, 0600);
  const int why = errno;
  if (pool == nullptr && why == EEXIST) throw SystemError("make pool " + asked.path, why);
  if (pool == nullptr) throw Unsupported("make pool " + asked.path + ": " + last_words());
  return pool;
}

/// PMDK 1.12 ends in SIGBUS on a pool that was cut below 4 MiB, so short files are refused before it sees them.
std::size_t size_of(const StructureOptions& asked) {
  struct stat its{};
  if (stat(asked.path.c_str(), &its) != 0) throw SystemError("open pool " + asked.path, errno);
  const auto size = static_cast<std::size_t>(its.st_size);
  if (!S_ISREG(its.st_mode) || size < PMEMOBJ_MIN_POOL)
    throw Unsupported("open pool " + asked.path +
                      ": it is not a file of 8 MiB or more, so it is not a pool of a structure");
  return size;
}

PMEMobjpool* open(const StructureOptions& asked, const std::string& layout) {
  auto* pool = pmemobj_open(asked.path.c_str(), layout.c_str());
  if (pool != nullptr) return pool;
  if (errno == EAGAIN)
    throw Unsupported("open pool " + asked.path + ": it is in use; end the program that has it open");
  throw Unsupported("open pool " + asked.path + ": " + last_words() + "; it takes a pool of layout " + layout);
}

}  // namespace

Objects::Objects(PMEMobjpool* pool) {
  auto object = pmemobj_first(pool);
  uuid_ = object.pool_uuid_lo;
  for (; !OID_IS_NULL(object); object = pmemobj_next(object))
    objects_.push_back({object.off, pmemobj_type_num(object), pmemobj_alloc_usable_size(object), false});
  std::ranges::sort(objects_, {}, &Object::offset);
}

bool Objects::take(std::uint64_t offset, std::size_t size_bytes, std::uint64_t type) {
  const auto found = std::ranges::lower_bound(objects_, offset, {}, &Object::offset);
  if (found == objects_.end() || found->offset != offset || found->type != type) return false;
  return found->size_bytes >= size_bytes && !std::exchange(found->taken, true);
}

Pool::Pool(const StructureOptions& asked, std::string_view structure, std::size_t needed_bytes,
           std::size_t root_bytes) {
  if (asked.path.empty()) throw BadPlan("structure " + std::string(structure) + " needs a path of a pool");
  require_range(asked);
  size_ = asked.make ? std::max(asked.pool_bytes, asked.pool_bytes == 0 ? needed_bytes : 0) : size_of(asked);
  require_size(asked, size_, needed_bytes);
  const auto layout = "tierscope-" + std::string(structure);
  pool_ = asked.make ? make(asked, layout, size_) : open(asked, layout);
  root_ = pmemobj_root(pool_, root_bytes);
  start_ = OID_IS_NULL(root_) ? nullptr : static_cast<std::byte*>(pmemobj_direct(root_)) - root_.off;
  std::string why = start_ == nullptr ? "no space for its root object" : "";
  const auto there = why.empty() ? root<Root>().value_bytes : 0;
  if (there != 0 && there != asked.value_bytes)
    why = "its values have " + std::to_string(there) + " bytes, and " + std::to_string(asked.value_bytes) +
          " were asked for";
  else if (why.empty() && root<Root>().count > size_ / sizeof(Root))
    why = "it is damaged: its count is " + std::to_string(root<Root>().count) + "; make another, or restore this one";
  if (why.empty()) return;
  pmemobj_close(pool_);
  if (asked.make && !asked.unnamed) std::filesystem::remove(asked.path);
  throw Unsupported("open pool " + asked.path + ": " + why);
}

}  // namespace tierscope::structures
