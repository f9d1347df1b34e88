/// `interleave`: anonymous memory over several NUMA nodes that alternate after a number of pages, as the kernel's
/// weighted interleaving (MPOL_WEIGHTED_INTERLEAVE) places them. The kernel's weights apply to the whole system, only
/// root can set them, and older kernels lack them. Here each page is therefore touched under a policy that binds it,
/// which needs no privilege.
/// A turn is of 4 KiB pages (pages=4k) or of 2 MiB (pages=thp).
/// Source: Linux, Documentation/admin-guide/mm/numa_memory_policy.rst (weighted interleave), set_mempolicy(2).
#include <sys/mman.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cmath>
#include <filesystem>
#include <numeric>
#include <system_error>
#include <thread>
#include <vector>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "targets/pages.hpp"
#include "targets/target.hpp"

namespace tierscope::targets::interleave {
namespace {

constexpr const char* FORM = "interleave:NODE=PAGES,NODE=PAGES";
constexpr std::size_t PROBED_PAGES = 4096;
constexpr double GOLDEN = 0.6180339887498949;  // a sequence of its multiples is even and meets no period
constexpr unsigned MOST_PAGES = 255;           // of a turn, as the kernel's weights

struct Share {
  unsigned node;
  unsigned pages;  // of one turn
};

unsigned number(std::string_view word, const std::string& where) {
  unsigned value = 0;
  const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error != std::errc{} || end != word.data() + word.size())
    throw BadPlan("target interleave:" + where + ": '" + std::string(word) + "' is not a number; write " + FORM);
  return value;
}

Share share_of(std::string_view word, const std::string& where) {
  const auto sign = word.find('=');
  if (sign == std::string_view::npos) throw BadPlan("target interleave:" + where + ": write " + FORM);
  const Share share{number(word.substr(0, sign), where), number(word.substr(sign + 1), where)};
  if (share.pages == 0 || share.pages > MOST_PAGES)
    throw BadPlan("target interleave:" + where + ": pages of a node in one turn must be 1 to " +
                  std::to_string(MOST_PAGES));
  if (!std::filesystem::exists("/sys/devices/system/node/node" + std::to_string(share.node)))
    throw BadPlan("target interleave:" + where + ": node " + std::to_string(share.node) + " is not online");
  return share;
}

std::vector<Share> shares_of(const std::string& where) {
  std::vector<Share> found;
  for (std::string_view left = where;;) {
    const auto comma = left.find(',');
    found.push_back(share_of(left.substr(0, comma), where));
    if (comma == std::string_view::npos) break;
    left.remove_prefix(comma + 1);
  }
  for (std::size_t i = 0; i < found.size(); ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (found[i].node == found[j].node)
        throw BadPlan("target interleave:" + where + " names node " + std::to_string(found[i].node) + " twice");
  if (found.size() < 2) throw BadPlan("target interleave:" + where + ": two nodes or more; write " + FORM);
  return found;
}

std::size_t grain_of(const TargetOptions& options) {
  const auto bytes = pages::size_of(options.pages);
  if (!pages::reserved(options.pages)) return bytes;
  throw Unsupported("target interleave:" + options.where + " with pages=" + options.pages + "; use " +
                    pages::word_of(pages::base()) + " or thp");
}

class InterleaveTarget final : public Target {
 public:
  explicit InterleaveTarget(const TargetOptions& options)
      : shares_(shares_of(options.where)), grain_(grain_of(options)) {}

  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const std::size_t size = (size_bytes + grain_ - 1) / grain_ * grain_;
    for (const auto& share : shares_) capacity::require(size * share.pages / turn(), capacity::of_node(share.node));
    const std::size_t mapped = size + 2 * pages::huge();  // some on both sides stay inaccessible: separate in smaps
    void* at = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (at == MAP_FAILED) throw SystemError("map " + std::to_string(size) + " bytes", errno);
    const auto start = reinterpret_cast<std::uintptr_t>(at);
    Buffer buffer(at, mapped, (start / pages::huge() + 1) * pages::huge() - start, size);
    if (mprotect(buffer.bytes().data(), size, PROT_READ | PROT_WRITE) != 0)
      throw SystemError("open " + std::to_string(size) + " bytes for writing", errno);
    madvise(buffer.bytes().data(), size, grain_ == pages::huge() ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
    for (const auto& share : shares_) touch(buffer, share.node);
    return buffer;
  }

  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    Placement placement;
    placement.pages = pages::found(buffer.bytes());
    const std::size_t total = buffer.bytes().size() / pages::base();
    const std::size_t count = std::min(total, PROBED_PAGES);
    std::vector<void*> at(count);
    std::vector<int> status(count, -1);
    for (std::size_t i = 0; i < count; ++i) at[i] = buffer.bytes().data() + probed(i, count, total) * pages::base();
    placement.how = "smaps; move_pages: " + std::to_string(count) + " of " + std::to_string(total) + " pages";
    if (sys::page_nodes(at, status) != 0) {
      placement.how = "smaps; move_pages is forbidden here: node not verified";
      return placement;
    }
    for (std::size_t i = 0; i < count; ++i) judge(buffer, static_cast<std::byte*>(at[i]), status[i]);
    for (const int node : status)
      if (node >= 0) placement.nodes[static_cast<unsigned>(node)] += buffer.bytes().size() / count;
    return placement;
  }

 private:
  [[nodiscard]] unsigned turn() const {
    return std::accumulate(shares_.begin(), shares_.end(), 0U, [](unsigned sum, Share one) { return sum + one.pages; });
  }

  [[nodiscard]] unsigned node_at(std::size_t offset) const {
    auto place = static_cast<unsigned>(offset / grain_ % turn());
    for (const auto& share : shares_) {
      if (place < share.pages) return share.node;
      place -= share.pages;
    }
    return shares_.back().node;
  }

  static std::size_t probed(std::size_t i, std::size_t count, std::size_t total) {
    if (count == total) return i;
    const double at = static_cast<double>(i) * GOLDEN;
    return static_cast<std::size_t>((at - std::floor(at)) * static_cast<double>(total));
  }

  /// Touch all pages of one node, by a thread that is bound to it and then ends. @throws SystemError
  void touch(const Buffer& buffer, unsigned node) const {
    int refused = 0;
    std::thread([&] {
      if (sys::bind_thread(static_cast<int>(node)) != 0) {
        refused = errno;
        return;
      }
      auto* bytes = reinterpret_cast<volatile std::byte*>(buffer.bytes().data());
      for (std::size_t at = 0; at < buffer.bytes().size(); at += pages::base())
        if (node_at(at) == node) bytes[at] = std::byte{0};
    }).join();
    if (refused != 0)
      throw SystemError(
          "bind pages to node " + std::to_string(node) + " (in a container: docker run --cap-add SYS_NICE)", refused);
  }

  void judge(const Buffer& buffer, const std::byte* at, int found) const {
    const unsigned asked = node_at(static_cast<std::size_t>(at - buffer.bytes().data()));
    if (found >= 0 && static_cast<unsigned>(found) != asked)
      throw Unsupported("a page asked for on node " + std::to_string(asked) + " is on node " + std::to_string(found) +
                        "; free memory there or ask for less");
  }

  std::vector<Share> shares_;
  std::size_t grain_;
};

constexpr TargetEntry entry{"interleave", "anonymous memory whose pages alternate between NUMA nodes in a ratio",
                            "interleave:N=PAGES,N=PAGES", &make_target<InterleaveTarget>};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::targets::interleave
