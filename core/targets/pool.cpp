/// `pool`: an object in a libpmemobj pool, on any file system; only in tierscope-core-pmdk. `pool:PATH` makes a pool
/// and removes its name before the pool contains anything, so nothing is left behind even after a kill.
/// `pool:PATH,open` takes free space of a pool or pool set of layout "tierscope"; it neither reads nor writes what is
/// stored there.
/// Blind to: the cost of transactions and of the allocator, which are outside of the timed blocks.
/// Source: PMDK, libpmemobj(7), pmemobj_create(3), pmemobj_action(3), pmemobj_ctl_get(3); libpmem(7), pmem_is_pmem(3).
#include <fcntl.h>
#include <libpmem.h>
#include <libpmemobj.h>
#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iomanip>
#include <map>
#include <system_error>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"
#include "targets/region.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::pool {
namespace {

constexpr const char* LAYOUT = "tierscope";
constexpr std::uint64_t TYPE = 1;  // of our objects; any number would do
constexpr std::string_view OPEN = ",open";
/// The bytes of a pool next to the object: header, 1024 lanes of 3 KiB, the first zone's header of 0.5 MiB, rounding to
/// chunks of 256 KiB, and 2 MiB for a start on a boundary. 5.8 MiB with PMDK 1.12; the smallest pool has 8 MiB.
constexpr std::size_t OVERHEAD = PMEMOBJ_MIN_POOL;
std::size_t largest() { return PMEMOBJ_MAX_ALLOC_SIZE - pages::huge(); }

using Pool = std::shared_ptr<PMEMobjpool>;

std::string mib(std::size_t size_bytes) { return std::to_string(size_bytes >> 20U) + " MiB"; }

/// Return libpmemobj's message about its last refusal, as one line of text; the text of `number` if there is none.
std::string last_words(int number) {
  std::string words = pmemobj_errormsg();
  std::ranges::replace_if(words, [](unsigned char letter) { return letter < ' ' || letter > '~'; }, '?');
  return words.empty() ? std::strerror(number) : words;
}

/// Return whether the file takes memory of the system, as it does through the page cache; on DAX it takes none.
bool takes_memory(int file) {
  struct statx its{};
  return statx(file, "", AT_EMPTY_PATH, 0, &its) != 0 || (its.stx_attributes & STATX_ATTR_DAX) == 0;
}

/// Make a pool in a file that has its size and no name: libpmemobj finds it by its descriptor. Counters of unsafe
/// shutdowns (sds.at_create) are left out. The pool does not outlive the process, many file systems have no such
/// counters, and to read them may need root.
Pool make_pool(const std::string& path, std::size_t size) {
  const Descriptor file(made_file::create(path));
  made_file::require_room(file.get(), "pool", path, size);
  if (takes_memory(file.get())) capacity::require(size);
  made_file::reserve(file.get(), path, size);
  int off = 0;
  pmemobj_ctl_set(nullptr, "sds.at_create", &off);  // a library that refuses has no such counters
  const auto name = "/proc/self/fd/" + std::to_string(file.get());
  auto* pool = pmemobj_create(name.c_str(), LAYOUT, 0, 0600);
  if (pool == nullptr)
    throw Unsupported("create pool " + path + ": " + last_words(errno) + "; try another file system");
  return {pool, &pmemobj_close};
}

/// Return why a file cannot be a pool, before libpmemobj opens it: PMDK 1.12 ends in SIGBUS on a pool cut below 4 MiB,
/// or empty.
std::string too_short(const std::string& path) {
  struct stat its{};
  if (stat(path.c_str(), &its) != 0 || !S_ISREG(its.st_mode)) return "";
  const auto size = static_cast<std::size_t>(its.st_size);
  std::string word;
  std::ifstream(path) >> std::setw(12) >> word;  // no more of a file without words
  if (size >= PMEMOBJ_MIN_POOL || word == "PMEMPOOLSET") return "";
  return "it has " + std::to_string(size) + " bytes, and the smallest pool " + mib(PMEMOBJ_MIN_POOL);
}

/// @throws Unsupported
PMEMobjpool* open_raw(const std::string& path) {
  auto why = too_short(path);
  auto* pool = why.empty() ? pmemobj_open(path.c_str(), LAYOUT) : nullptr;
  if (pool != nullptr) return pool;
  if (why.empty()) why = last_words(errno);
  throw Unsupported("open pool " + path + ": " + why + "; it takes a whole pool of layout " + LAYOUT +
                    ", made by `pmempool create obj --layout=" + LAYOUT + " --size=4G PATH`");
}

/// Return one pool for all simultaneous users: libpmemobj locks the file.
Pool open_pool(const std::string& path) {
  static std::map<std::string, std::weak_ptr<PMEMobjpool>> opened;
  std::error_code absent;
  auto& known = opened[std::filesystem::weakly_canonical(path, absent).string()];
  if (auto pool = known.lock()) return pool;
  Pool pool(open_raw(path), &pmemobj_close);
  known = pool;
  return pool;
}

/// Space in a pool that is never published: the pool's own records do not change, even after a kill.
class Reservation {
 public:
  Reservation(Pool pool, const std::string& path, std::size_t size) : pool_(std::move(pool)) {
    const auto object = pmemobj_reserve(pool_.get(), &action_, size, TYPE);
    if (OID_IS_NULL(object))
      throw Unsupported("pool " + path + " has no space for an object of " + mib(size) +
                        "; use a smaller footprint or a larger pool");
    at_ = pmemobj_direct(object);
  }
  Reservation(const Reservation&) = delete;
  Reservation& operator=(const Reservation&) = delete;
  ~Reservation() { pmemobj_cancel(pool_.get(), &action_, 1); }
  [[nodiscard]] void* at() const noexcept { return at_; }

 private:
  Pool pool_;
  pobj_action action_{};
  void* at_ = nullptr;
};

/// Return the persistence as libpmemobj decides it. A pool that it maps with MAP_SYNC, or one for which libpmem returns
/// 1, needs no msync. On DAX, libpmem alone returns 0 for a pool: it knows its own mappings, and not those of
/// libpmemobj. Source: PMDK, src/common/set.c (util_replica_set_is_pmem).
Persistence persistence_of(std::span<const std::byte> bytes, const std::string& path, bool synced) {
  const bool is_pmem = !synced && pmem_is_pmem(bytes.data(), bytes.size()) != 0;
  const char* word = std::getenv("PMEM_IS_PMEM_FORCE");
  const auto how = synced ? std::string("mapped with MAP_SYNC, so libpmemobj flushes")
                          : std::string("pmem_is_pmem returned ") + (is_pmem ? "1" : "0") +
                                (word != nullptr && *word != '\0' ? ", forced by PMEM_IS_PMEM_FORCE" : "");
  if ((synced || is_pmem) && pmem_has_auto_flush() == 1) return {"eadr", how + "; pmem_has_auto_flush returned 1"};
  if (synced || is_pmem) return {"adr", how};
  if (made_file::in_memory(path)) return {"none", how + "; volatile memory: " + made_file::file_system(path)};
  return {"msync", how + ", so libpmemobj calls msync"};
}

class PoolTarget final : public Target {
 public:
  explicit PoolTarget(const TargetOptions& options)
      : path_(options.where), pages_(options.pages), opens_(path_.ends_with(OPEN)) {
    if (opens_) path_.resize(path_.size() - OPEN.size());
    if (path_.empty()) throw BadPlan("target pool needs a path: pool:/mnt/pmem/tierscope.pool");
    static_cast<void>(pages::size_of(pages_));
    if (pages::reserved(pages_))
      throw Unsupported("pages=" + pages_ + " is for node targets; a file system chooses the pages of its pools");
  }

  /// Return one object, from its first 2 MiB boundary on: on DAX that allows mappings of 2 MiB.
  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    if (size_bytes > largest())
      throw Unsupported("an object of " + mib(size_bytes) + " is over the " + mib(largest()) +
                        " that libpmemobj gives to one; use a smaller footprint");
    const auto size = (size_bytes + pages::base() - 1) / pages::base() * pages::base();
    auto pool = opens_ ? open_pool(path_) : make_pool(path_, size + OVERHEAD);
    auto keeper = std::make_shared<Reservation>(std::move(pool), path_, size + pages::huge());
    void* at = keeper->at();
    auto room = size + pages::huge();
    std::align(pages::huge(), size, at, room);
    // few file systems follow it, inspect reports it; and it makes the object separate in smaps
    madvise(at, size, pages_ == "thp" ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    Buffer buffer(std::move(keeper), {static_cast<std::byte*>(at), size});
    on_dax_ = pages::has_flag(buffer.bytes(), "sf");
    persistence_ = persistence_of(buffer.bytes(), path_, on_dax_);
    return buffer;
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    const std::string how = opens_ ? "free space of a libpmemobj pool" : "a libpmemobj pool made with sds.at_create=0";
    if (!on_dax_) return {pages::found(buffer.bytes()), {}, "smaps; " + how};
    return {pages::by_faults(buffer.bytes()),
            {},
            "VmFlags sf: MAP_SYNC; sizes of pages by page faults, which smaps does not count; " + how};
  }

  [[nodiscard]] const char* origin() const override { return origin_by().empty() ? "real" : "emulated"; }
  [[nodiscard]] std::string origin_by() const override {
    if (!on_dax_) return "";
    const auto found = region::of_device(region::device_folder("block", made_file::device(path_)));
    return found && found->of_kernel_line ? "memmap= of the kernel's command line: DRAM" : "";
  }
  [[nodiscard]] Persistence persistence() const override { return persistence_; }

 private:
  std::string path_;
  std::string pages_;
  bool opens_;
  // of the last mapping
  mutable Persistence persistence_{"none", "no pool is open"};
  mutable bool on_dax_ = false;
};

constexpr TargetEntry entry{"pool", "an object in a libpmemobj pool", "pool:PATH", &make_target<PoolTarget>, "pool"};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::pool
