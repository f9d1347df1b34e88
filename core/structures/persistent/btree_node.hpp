/// A node of `btree`: entries in the order of their keys, and links between them but in leaves. All here is moving of
/// entries; whoever calls has made sure that it can be undone.
#pragma once
#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>

namespace tierscope::structures::btree {

constexpr std::size_t MOST = 7, LEAST = 3;  // entries of a node; the top may have fewer

using Value = std::array<std::uint64_t, 2>;  // or the offset of its object
struct Item {
  std::uint64_t key;
  Value value;
  std::uint64_t after;  // the node behind it; nothing in a leaf
};
/// Without links, and allocated without them.
struct Leaf {
  std::uint64_t number;
  std::array<std::uint64_t, MOST> keys;
  std::array<Value, MOST> values;

  /// Return the position of the first key that is not below `key`.
  [[nodiscard]] std::size_t place_of(std::uint64_t key) const noexcept {
    std::size_t i = 0;
    while (i < number && keys[i] < key) ++i;
    return i;
  }
  [[nodiscard]] bool has(std::size_t i, std::uint64_t key) const noexcept { return i < number && keys[i] == key; }
};
struct Node : Leaf {
  std::array<std::uint64_t, MOST + 1> below;
};
constexpr std::size_t node_bytes(bool is_leaf) { return is_leaf ? sizeof(Leaf) : sizeof(Node); }

inline void shift_in(Node& node, std::size_t place, const Item& item, bool is_leaf) noexcept {
  const auto open = [](auto& list, std::size_t first, std::size_t number) {
    std::copy_backward(list.begin() + first, list.begin() + number, list.begin() + number + 1);
  };
  open(node.keys, place, node.number);
  open(node.values, place, node.number);
  node.keys[place] = item.key;
  node.values[place] = item.value;
  if (!is_leaf) {
    open(node.below, place + 1, node.number + 1);
    node.below[place + 1] = item.after;
  }
  ++node.number;
}

/// Remove an entry and the link behind it.
inline void shift_out(Node& node, std::size_t place, bool is_leaf) noexcept {
  const auto close = [](auto& list, std::size_t first, std::size_t number) {
    std::copy(list.begin() + first + 1, list.begin() + number, list.begin() + first);
  };
  close(node.keys, place, node.number);
  close(node.values, place, node.number);
  if (!is_leaf) close(node.below, place + 1, node.number + 1);
  --node.number;
}

/// Move what is behind `first` to `to`, behind the `number` entries there.
inline void move_from(Node& from, std::size_t first, Node& to, std::size_t number, bool is_leaf) noexcept {
  std::copy(from.keys.begin() + first, from.keys.begin() + from.number, to.keys.begin() + number);
  std::copy(from.values.begin() + first, from.values.begin() + from.number, to.values.begin() + number);
  if (!is_leaf) std::copy(from.below.begin() + first, from.below.begin() + from.number + 1, to.below.begin() + number);
  to.number = number + from.number - first;
}

/// A full node in two, `item` put where it belongs, and what is between them: its link is left to the caller.
inline Item split(Node& node, Node& right, std::size_t place, const Item& item, bool is_leaf) noexcept {
  const Item middle{node.keys[LEAST], node.values[LEAST], 0};
  move_from(node, LEAST + 1, right, 0, is_leaf);
  node.number = LEAST;
  const bool goes_right = place > LEAST;
  shift_in(goes_right ? right : node, goes_right ? place - LEAST - 1 : place, item, is_leaf);
  return middle;
}

/// The entry of `over` between two nodes, and all of the right one, go to the left one.
inline void join(Node& over, std::size_t place, Node& left, Node& right, bool is_leaf) noexcept {
  left.keys[left.number] = over.keys[place];
  left.values[left.number] = over.values[place];
  move_from(right, 0, left, left.number + 1, is_leaf);
  shift_out(over, place, false);
}

/// The last entry of `left` goes up, and the one between the two goes down to `right`.
inline void turn_right(Node& over, std::size_t place, Node& left, Node& right, bool is_leaf) noexcept {
  const auto first = is_leaf ? 0 : right.below[0];
  shift_in(right, 0, {over.keys[place], over.values[place], first}, is_leaf);
  if (!is_leaf) right.below[0] = left.below[left.number];
  over.keys[place] = left.keys[left.number - 1];
  over.values[place] = left.values[left.number - 1];
  --left.number;
}

/// The first entry of `right` goes up, and the one between the two goes down to `left`.
inline void turn_left(Node& over, std::size_t place, Node& left, Node& right, bool is_leaf) noexcept {
  const auto first = is_leaf ? 0 : right.below[0];
  shift_in(left, left.number, {over.keys[place], over.values[place], first}, is_leaf);
  over.keys[place] = right.keys[0];
  over.values[place] = right.values[0];
  if (!is_leaf) right.below[0] = right.below[1];
  shift_out(right, 0, is_leaf);
}

}  // namespace tierscope::structures::btree
