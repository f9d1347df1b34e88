/// `rbtree`: a red-black tree; each change, with the rotations that it needs, is a transaction.
/// Source: PMDK, libpmemobj_tx(7); L. J. Guibas, R. Sedgewick, "A Dichromatic Framework for Balanced Trees", FOCS 1978;
/// T. H. Cormen and others, Introduction to Algorithms, chapter "Red-Black Trees".
#include <array>
#include <bit>
#include <utility>

#include "structures/persistent/transacted.hpp"

namespace tierscope::structures {
namespace {

constexpr std::string_view NAME = "rbtree";
constexpr std::uint64_t NODES = 1;  // type of objects
constexpr std::uint64_t RED = 1;    // in a link upwards: objects are at multiples of 16

struct Control : Root {
  std::uint64_t top;
};
struct Links {
  std::array<std::uint64_t, 2> below;
  std::uint64_t above;  // and RED
};
struct Node {
  std::uint64_t key;
  Links links;
  [[nodiscard]] std::byte* value() noexcept { return reinterpret_cast<std::byte*>(this + 1); }
};

std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  return POOL_OVERHEAD + objects_bytes(keys, sizeof(Node) + value_bytes);
}

/// The links of a tree. Offset 0 is not a node: black, and nothing is stored there.
class Tree {
 public:
  Tree(const Pool& pool, std::uint64_t& top) noexcept : pool_(pool), top_(top) {}
  [[nodiscard]] std::uint64_t& top() const noexcept { return top_; }
  [[nodiscard]] Node& node(std::uint64_t at) const noexcept { return *pool_.at<Node>(at); }
  [[nodiscard]] std::uint64_t below(std::uint64_t at, unsigned side) const noexcept {
    return node(at).links.below[side];
  }
  [[nodiscard]] std::uint64_t above(std::uint64_t at) const noexcept { return node(at).links.above & ~RED; }
  [[nodiscard]] bool red(std::uint64_t at) const noexcept { return at != 0 && (node(at).links.above & RED) != 0; }
  /// On which side of the node above it is; of two that are none, 0.
  [[nodiscard]] unsigned side(std::uint64_t at, std::uint64_t its_above) const noexcept {
    return below(its_above, 0) == at ? 0 : 1;
  }

 private:
  const Pool& pool_;
  std::uint64_t& top_;
};

/// Changes of links that a transaction can undo. After a failure nothing more is stored; code that follows links that
/// should have changed calls works() first.
class Change : public Tree {
 public:
  Change(const Tree& tree, Transaction& transaction) noexcept : Tree(tree), transaction_(transaction) {}
  [[nodiscard]] bool works() const noexcept { return transaction_.works(); }

  void set_below(std::uint64_t at, unsigned side, std::uint64_t to) noexcept {
    if (kept(at)) node(at).links.below[side] = to;
  }
  void set_above(std::uint64_t at, std::uint64_t to) noexcept {
    if (kept(at)) node(at).links.above = to | (node(at).links.above & RED);
  }
  void paint(std::uint64_t at, bool is_red) noexcept {
    if (red(at) != is_red && kept(at)) node(at).links.above ^= RED;
  }
  /// Let the link that led to `at` lead to `to`, which may be none.
  void replace(std::uint64_t at, std::uint64_t to) noexcept {
    const auto over = above(at);
    if (over != 0) {
      set_below(over, side(at, over), to);
    } else {
      transaction_.keep(top());
      if (works()) top() = to;
    }
    set_above(to, over);
  }
  /// `at` goes down to one side, and the node on its other side takes its place.
  void rotate(std::uint64_t at, unsigned side) noexcept {
    const auto pivot = below(at, 1 - side), inner = below(pivot, side);
    replace(at, pivot);
    set_below(at, 1 - side, inner);
    set_above(inner, at);
    set_below(pivot, side, at);
    set_above(at, pivot);
  }

 private:
  bool kept(std::uint64_t at) noexcept {
    if (at != 0) transaction_.keep(node(at).links);
    return at != 0 && works();
  }

  Transaction& transaction_;
};

/// No red node below another, after `at`, which is red, was put below some node.
void mend_insert(Change& tree, std::uint64_t at) noexcept {
  while (tree.works()) {
    auto above = tree.above(at);
    if (!tree.red(above)) return tree.paint(tree.top(), false);
    const auto over = tree.above(above);
    const auto side = tree.side(above, over);
    const auto uncle = tree.below(over, 1 - side);
    tree.paint(over, true);
    if (tree.red(uncle)) {
      tree.paint(above, false);
      tree.paint(uncle, false);
      at = over;
      continue;
    }
    if (tree.side(at, above) != side) {
      tree.rotate(above, side);
      std::swap(at, above);
    }
    tree.paint(above, false);
    return tree.rotate(over, 1 - side);
  }
}

/// As many black nodes on each way down, after one was taken from those through `at` (maybe none) below `above`.
void mend_erase(Change& tree, std::uint64_t at, std::uint64_t above) noexcept {
  while (tree.works() && above != 0 && !tree.red(at)) {
    const auto side = tree.side(at, above);
    auto beside = tree.below(above, 1 - side);
    if (tree.red(beside)) {
      tree.paint(beside, false);
      tree.paint(above, true);
      tree.rotate(above, side);
      if (!tree.works()) return;
      beside = tree.below(above, 1 - side);
    }
    const auto near = tree.below(beside, side), far = tree.below(beside, 1 - side);
    if (!tree.red(near) && !tree.red(far)) {
      tree.paint(beside, true);
      at = above;
      above = tree.above(at);
      continue;
    }
    const auto risen = tree.red(far) ? beside : near;
    if (risen == near) tree.rotate(beside, 1 - side);
    if (risen == beside) tree.paint(far, false);
    tree.paint(risen, tree.red(above));
    tree.paint(above, false);
    return tree.rotate(above, side);
  }
  tree.paint(at, false);
}

/// Takes a node out of the tree; where both sides lead on, the next larger one takes its place.
void take_out(Change& tree, std::uint64_t at) noexcept {
  const auto left = tree.below(at, 0), right = tree.below(at, 1);
  auto gone = at;  // in whose place a node is missing
  if (left != 0 && right != 0)
    for (gone = right; tree.below(gone, 0) != 0;) gone = tree.below(gone, 0);
  const auto rises = tree.below(gone, 0) != 0 ? tree.below(gone, 0) : tree.below(gone, 1);
  const auto was_red = tree.red(gone);
  auto above = tree.above(gone);
  tree.replace(gone, rises);
  if (gone != at) {
    if (above == at) above = gone;
    tree.replace(at, gone);
    tree.paint(gone, tree.red(at));
    for (const auto side : {0U, 1U}) {
      const auto under = tree.below(at, side);
      tree.set_below(gone, side, under);
      tree.set_above(under, gone);
    }
  }
  if (!was_red) mend_erase(tree, rises, above);
}

class Rbtree final : public Transacted<Control> {
 public:
  explicit Rbtree(const StructureOptions& asked) : Transacted(asked, NAME, pool_bytes(asked.keys, asked.value_bytes)) {}

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    const auto [found, above] = walk(key);
    if (found != 0) return Outcome::present;
    Transaction transaction(pool_.get());
    const auto made = transaction.make(sizeof(Node) + control_.value_bytes, NODES).off;
    transaction.keep(control_.count);
    if (above == 0) transaction.keep(control_.top);
    if (!transaction.works()) return Outcome::full;
    Change tree(this->tree(), transaction);
    tree.node(made).key = key;
    tree.node(made).links = {{0, 0}, above | RED};
    std::memcpy(tree.node(made).value(), value, control_.value_bytes);
    if (above == 0) control_.top = made;
    tree.set_below(above, above != 0 && tree.node(above).key < key ? 1 : 0, made);
    mend_insert(tree, made);
    if (!tree.works()) return Outcome::full;
    ++control_.count;
    transaction.commit();
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    const auto found = walk(key).found;
    return found == 0 ? nullptr : tree().node(found).value();
  }

  Outcome erase(std::uint64_t key) noexcept override {
    const auto found = walk(key).found;
    if (found == 0) return Outcome::absent;
    Transaction transaction(pool_.get());
    transaction.keep(control_.count);
    Change tree(this->tree(), transaction);
    take_out(tree, found);
    transaction.free(pool_.object(found));
    if (!transaction.works()) return Outcome::full;
    --control_.count;
    transaction.commit();
    return Outcome::done;
  }

  [[nodiscard]] std::string check() const override {
    Checked checked{pool_.objects()};
    const auto wrong = check_below(control_.top, 0, 0, checked);
    if (wrong.empty() && tree().red(control_.top)) return "the top is red";
    return wrong.empty() ? check_count(checked.found) : wrong;
  }

 private:
  struct Place {
    std::uint64_t found, above;  // the node of a key, or 0; the last one before it
  };
  struct Checked {
    Objects objects;
    std::uint64_t found = 0, last = 0;  // entries, and the largest key of them
    int blacks = -1;                    // on each way down; -1: none has ended
  };

  [[nodiscard]] Tree tree() const noexcept { return {pool_, control_.top}; }

  [[nodiscard]] Place walk(std::uint64_t key) const noexcept {
    Place place{control_.top, 0};
    while (place.found != 0) {
      const auto& node = tree().node(place.found);
      if (node.key == key) break;
      place = {node.links.below[node.key < key ? 1 : 0], place.found};
    }
    return place;
  }

  /// In the order of keys; `blacks`: above `at`.
  [[nodiscard]] std::string check_below(std::uint64_t at, std::uint64_t above, int blacks, Checked& checked) const {
    if (at == 0) {
      if (checked.blacks < 0) checked.blacks = blacks;
      return checked.blacks == blacks ? "" : "some way down has another number of black nodes";
    }
    if (!checked.objects.take(at, sizeof(Node) + control_.value_bytes, NODES)) return "a link leads to no node";
    const auto all = tree();
    if (all.above(at) != above) return "a link upwards is broken";
    if (above != 0 && all.red(at) && all.red(above)) return "a red node is below another";
    if (blacks > 64) return "a way down has no end";
    const auto under = blacks + (all.red(at) ? 0 : 1);
    auto wrong = check_below(all.below(at, 0), at, under, checked);
    if (!wrong.empty()) return wrong;
    const auto key = all.node(at).key;
    if (checked.found > 0 && key <= checked.last) return "the keys are out of order";
    if (++checked.found > control_.count) return "there are too many entries";
    checked.last = key;
    return check_below(all.below(at, 1), at, under, checked);
  }
};

constexpr StructureEntry entry{NAME,
                               "red-black tree on libpmemobj's transactions",
                               "L. J. Guibas, R. Sedgewick, A Dichromatic Framework for Balanced Trees, FOCS 1978",
                               true,
                               "",
                               &open_structure<Rbtree>,
                               &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
