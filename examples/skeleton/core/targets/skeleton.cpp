/// `skeleton`: the smallest target, anonymous memory with small pages on whatever node the system chooses.
/// Copy this file to core/targets/NAME.cpp. A target maps bytes, and then reports where they really are. It does not
/// assume that a request was granted.
#include <sys/mman.h>

#include <cerrno>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::skeleton {
namespace {

class SkeletonTarget final : public Target {
 public:
  /// `where` is what follows the colon of the target, `skeleton:WHERE`; `pages` is 4k, thp, 2m or 1g. Refuse what
  /// cannot be served: a target never does something else silently.
  explicit SkeletonTarget(const TargetOptions& options) {
    if (!options.where.empty()) throw BadPlan("target skeleton takes no place, not '" + options.where + "'");
    static_cast<void>(pages::size_of(options.pages));  // refuses a size that this kernel does not have
    if (pages::reserved(options.pages))
      throw Unsupported("pages=" + options.pages + " is for node targets; try pages=4k");
  }

  /// Returns untouched memory, whose range starts on a boundary of a large page; the team touches it first. A message
  /// states what was asked, what came back, and what to try.
  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const std::size_t base = pages::base(), huge = pages::huge();  // of this kernel: 4 KiB and 2 MiB, or others
    const std::size_t size = (size_bytes + base - 1) / base * base;
    capacity::require(size);  // with more than is free, the process would be killed, or swapped
    const std::size_t mapped = size + huge;
    void* at = mmap(nullptr, mapped, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes", errno);
    const auto start = reinterpret_cast<std::uintptr_t>(at);
    Buffer buffer(at, mapped, (huge - start % huge) % huge, size);  // unmapped by its destructor
    madvise(buffer.bytes().data(), size, MADV_NOHUGEPAGE);
    return buffer;
  }

  /// Called after every page was touched. Returns the pages and nodes that were found, and how. Throw Unsupported if
  /// the bytes are not in the requested place.
  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    return {pages::found(buffer.bytes()), {}, "smaps; the system chose the node"};
  }
  // Others may be overridden: serves_memory, origin (a memory that is not real), persistence, emulation.
};

/// Name, summary, the form in which it is written, and how it is made. A target on a path also states what contains
/// its bytes, such as "page cache": the free space there is looked up before a run (TargetEntry in targets/target.hpp).
constexpr TargetEntry entry{"skeleton", "anonymous memory on the node that the system chooses", "skeleton",
                            &make_target<SkeletonTarget>};
const Registration registration{entry};  // this line alone makes it known

}  // namespace
}  // namespace tierscope::targets::skeleton
