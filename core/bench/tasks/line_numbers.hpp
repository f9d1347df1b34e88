/// Operands with elements other than reals: indices and numbers. The content of an element follows from its number
/// alone, so that threads fill their parts in any order, and a simulated walk knows where an index points.
#pragma once
#include <span>
#include <string>

#include "base/shuffle.hpp"
#include "bench/group.hpp"

namespace tierscope {

/// The indices of a group. Each member's indices are a permutation of the elements of its own slice, in another order
/// than that of memory.
class Indices {
 public:
  explicit Indices(const Group& group)
      : each_((group.members.front().end - group.members.front().begin) * kernels::ELEMENTS),
        order_(each_, group.plan.seed) {}
  /// The content of element `element` of the index operand.
  [[nodiscard]] std::uint64_t at(std::uint64_t element) const noexcept {
    const auto first = element / each_ * each_;
    return first + order_.at(element - first);
  }

 private:
  std::uint64_t each_;
  Shuffle order_;
};

/// Fills the member's part of one memory with the content of such operands.
void fill_numbers(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept;
/// Restores the member's slice of a drawn table, which is operand 0, to the content before the first update.
void begin_table(const Group& group, const Member& member) noexcept;
/// Returns "", or what distinguishes such a content: the layout that it was made for.
std::string numbered_content(const Group& group);

}  // namespace tierscope
