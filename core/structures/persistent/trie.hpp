/// A trie over the bits of keys, BITS at each step, without steps where all keys below agree: what ctree and rtree are.
/// Inner nodes know the bits that all keys below them share, so that one descent finds where a new key branches off.
/// Leaves contain a key and its value. No rotations: the shape follows from the keys alone, not from their order.
/// Source: D. R. Morrison, "PATRICIA - Practical Algorithm To Retrieve Information Coded in Alphanumeric", JACM 15(4),
/// 1968; D. E. Knuth, The Art of Computer Programming, volume 3, section 6.3.
#pragma once
#include <algorithm>
#include <array>
#include <bit>

#include "structures/persistent/transacted.hpp"

namespace tierscope::structures::trie {

constexpr std::uint64_t LEAVES = 1, INNERS = 2;  // types of objects
constexpr std::uint64_t INNER = 1;               // in a link: objects are at multiples of 16

struct Control : Root {
  std::uint64_t first;  // link to the uppermost node; 0: empty
};
struct Leaf {
  std::uint64_t key;
  [[nodiscard]] std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};
template <unsigned BITS>
struct Inner {
  std::uint64_t prefix;  // of all keys below; its digit and what follows are 0
  std::uint64_t shift;   // of its digit
  std::array<std::uint64_t, 1U << BITS> below;

  [[nodiscard]] std::uint64_t* link_of(std::uint64_t key) noexcept { return &below[(key >> shift) % below.size()]; }
  [[nodiscard]] bool leads_to(std::uint64_t key) const noexcept { return (key ^ prefix) >> shift >> BITS == 0; }
  /// Returns the only other link next to `link`, or 0 if there are several.
  [[nodiscard]] std::uint64_t only_other(const std::uint64_t* link) const noexcept {
    std::uint64_t other = 0;
    for (const auto& each : below) {
      if (&each == link || each == 0) continue;
      if (other != 0) return 0;
      other = each;
    }
    return other;
  }
};

template <unsigned BITS>
constexpr std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  return POOL_OVERHEAD + objects_bytes(keys, sizeof(Leaf) + value_bytes) + objects_bytes(keys, sizeof(Inner<BITS>));
}

template <unsigned BITS>
class Trie final : public Transacted<Control> {
 public:
  Trie(const StructureOptions& asked, std::string_view name)
      : Transacted(asked, name, trie::pool_bytes<BITS>(asked.keys, asked.value_bytes)) {}

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    auto& link = *walk(key).link;
    if (link != 0 && !is_inner(link) && leaf(link).key == key) return Outcome::present;
    Transaction transaction(pool_.get());
    auto fresh = make_leaf(transaction, key, value);
    if (link != 0) fresh = branch(transaction, link, key, fresh);
    transaction.keep(link);
    transaction.keep(control_.count);
    if (!transaction.works()) return Outcome::full;
    link = fresh;
    ++control_.count;
    transaction.commit();
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    const auto link = *walk(key).link;
    return link == 0 || is_inner(link) || leaf(link).key != key ? nullptr : leaf(link).value();
  }

  /// An inner node with one link left is freed too, and what it led to takes its place.
  Outcome erase(std::uint64_t key) noexcept override {
    const auto [link, above] = walk(key);
    if (*link == 0 || is_inner(*link) || leaf(*link).key != key) return Outcome::absent;
    const auto other = above == nullptr ? 0 : inner(*above).only_other(link);
    auto& changed = other == 0 ? *link : *above;
    Transaction transaction(pool_.get());
    transaction.keep(changed);
    transaction.keep(control_.count);
    transaction.free(pool_.object(*link));
    if (other != 0) transaction.free(pool_.object(*above ^ INNER));
    if (!transaction.works()) return Outcome::full;
    changed = other;
    --control_.count;
    transaction.commit();
    return Outcome::done;
  }

  [[nodiscard]] std::string check() const override {
    Checked checked{pool_.objects()};
    const auto wrong = control_.first == 0 ? "" : check_below(control_.first, 0, 64, checked);
    return wrong.empty() ? check_count(checked.found) : wrong;
  }

 private:
  using Node = Inner<BITS>;
  struct Checked {
    Objects objects;
    std::uint64_t found = 0;
  };
  struct Place {
    std::uint64_t* link;   // to the leaf, to where it would be, or to an inner node that does not lead to the key
    std::uint64_t* above;  // to the inner node that contains `link`; nullptr: none does
  };

  static bool is_inner(std::uint64_t link) noexcept { return (link & INNER) != 0; }
  [[nodiscard]] Node& inner(std::uint64_t link) const noexcept { return *pool_.at<Node>(link ^ INNER); }
  [[nodiscard]] Leaf& leaf(std::uint64_t link) const noexcept { return *pool_.at<Leaf>(link); }

  [[nodiscard]] Place walk(std::uint64_t key) const noexcept {
    Place place{&control_.first, nullptr};
    while (is_inner(*place.link)) {
      auto& node = inner(*place.link);
      if (!node.leads_to(key)) break;
      place = {node.link_of(key), place.link};
    }
    return place;
  }

  std::uint64_t make_leaf(Transaction& transaction, std::uint64_t key, const void* value) noexcept {
    const auto made = transaction.make(sizeof(Leaf) + control_.value_bytes, LEAVES).off;
    if (!transaction.works()) return 0;
    leaf(made).key = key;
    std::memcpy(leaf(made).value(), value, control_.value_bytes);
    return made;
  }

  /// An inner node above `there` and the new leaf, at the first digit in which they differ.
  std::uint64_t branch(Transaction& transaction, std::uint64_t there, std::uint64_t key, std::uint64_t fresh) noexcept {
    const auto made = transaction.make(sizeof(Node), INNERS).off | INNER;
    if (!transaction.works()) return 0;
    const auto other = is_inner(there) ? inner(there).prefix : leaf(there).key;
    auto& node = inner(made);
    node.below = {};  // the allocator would zero all that it gives, a line more
    node.shift = (std::bit_width(key ^ other) - 1U) / BITS * BITS;
    node.prefix = key >> node.shift >> BITS << BITS << node.shift;
    *node.link_of(other) = there;
    *node.link_of(key) = fresh;
    return made;
  }

  /// Checks what is below `link`, whose keys share the bits of `prefix` from bit `end` on.
  [[nodiscard]] std::string check_below(std::uint64_t link, std::uint64_t prefix, std::uint64_t end,
                                        Checked& checked) const {
    const auto strange = [&](std::uint64_t key) { return end < 64 && (key ^ prefix) >> end != 0; };
    if (!checked.objects.take(link & ~INNER, is_inner(link) ? sizeof(Node) : sizeof(Leaf) + control_.value_bytes,
                              is_inner(link) ? INNERS : LEAVES))
      return "a link leads to no node";
    if (!is_inner(link)) {
      const auto wrong = strange(leaf(link).key) ? "no search finds key " + std::to_string(leaf(link).key) : "";
      return ++checked.found > control_.count ? "there are too many entries" : wrong;
    }
    const auto& node = inner(link);
    if (strange(node.prefix) || node.shift >= end || node.shift % BITS != 0) return "an inner node is out of place";
    if (std::ranges::count(node.below, 0U) + 1 >= std::ssize(node.below)) return "an inner node has one link at most";
    for (std::uint64_t digit = 0; digit < node.below.size(); ++digit) {
      if (node.below[digit] == 0) continue;
      const auto wrong = check_below(node.below[digit], node.prefix | digit << node.shift, node.shift, checked);
      if (!wrong.empty()) return wrong;
    }
    return "";
  }
};

}  // namespace tierscope::structures::trie
