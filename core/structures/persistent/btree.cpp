/// `btree`: a B-tree of up to seven entries in a node, three at least but at the top; each change is a transaction.
/// A node is four lines with the header of the allocator: the number and most keys in the first, the links in the last;
/// leaves have no links. Values over 16 bytes are objects of their own.
/// Source: PMDK, libpmemobj_tx(7); R. Bayer, E. McCreight, "Organization and Maintenance of Large Ordered Indices",
/// Acta Informatica 1(3), 1972; the order is that of PMDK's map of this name.
#include "structures/persistent/btree_node.hpp"
#include "structures/persistent/transacted.hpp"

namespace tierscope::structures {
namespace {

using namespace btree;

constexpr std::string_view NAME = "btree";
constexpr std::uint64_t NODES = 1, VALUES = 2, RESERVES = 3;  // types of objects
constexpr std::size_t INSIDE = 16;                            // bytes of a value that a node contains
constexpr std::size_t HIGHEST = 24;                           // levels; MOST_KEYS in nodes of four links have 17

/// In the undo log, of an erase that joins nodes on every level: two nodes with their headers, in whole lines.
constexpr std::size_t RESERVE_BYTES = HIGHEST * 2 * 320;

struct Control : Root {
  std::uint64_t top;
  std::uint64_t levels;   // 0: empty; 1: the top is a leaf
  std::uint64_t reserve;  // room for the undo log, so that a full pool can be emptied
};

std::size_t pool_bytes(std::uint64_t keys, std::size_t value_bytes) {
  const auto values = value_bytes > INSIDE ? objects_bytes(keys, value_bytes) : 0;
  return POOL_OVERHEAD + run_bytes(RESERVE_BYTES) + values + objects_bytes(keys / LEAST + 1, sizeof(Leaf)) +
         objects_bytes(keys / (2 * LEAST) + 2, sizeof(Node));
}

/// The way from the top to an entry, or to where it would be in a leaf.
struct Path {
  struct Step {
    std::uint64_t at;
    std::size_t place;
  };
  std::array<Step, HIGHEST> steps;
  std::size_t length = 0;
  bool found = false;

  void add(std::uint64_t at, std::size_t place) noexcept { steps[length++] = {at, place}; }
  [[nodiscard]] const Step& last() const noexcept { return steps[length - 1]; }
};

class Btree final : public Transacted<Control> {
 public:
  explicit Btree(const StructureOptions& asked) : Transacted(asked, NAME, pool_bytes(asked.keys, asked.value_bytes)) {
    if (control_.reserve == 0) start(asked.path);
  }

  Outcome insert(std::uint64_t key, const void* value) noexcept override {
    const auto path = walk(key);
    if (path.found) return Outcome::present;
    Transaction transaction(pool_.get());
    transaction.keep(control_.count);
    Item item{key, hold(transaction, value), 0};
    auto level = path.length;
    while (level > 0 && put(transaction, path.steps[level - 1], level == control_.levels, item)) --level;
    if (level == 0) heighten(transaction, item);
    if (!transaction.works()) return Outcome::full;
    ++control_.count;
    transaction.commit();
    return Outcome::done;
  }

  [[nodiscard]] const void* find(std::uint64_t key) const noexcept override {
    auto at = control_.top;
    for (auto levels = control_.levels; levels > 0; --levels) {
      const auto& here = node(at);
      const auto i = here.place_of(key);
      if (here.has(i, key)) return apart() ? pool_.at<void>(here.values[i][0]) : here.values[i].data();
      if (levels > 1) at = here.below[i];
    }
    return nullptr;
  }

  Outcome erase(std::uint64_t key) noexcept override {
    auto path = walk(key);
    if (!path.found) return Outcome::absent;
    auto again = path;
    return take_out(path, false) || take_out(again, true) ? Outcome::done : Outcome::full;
  }

  [[nodiscard]] std::string check() const override {
    Checked checked{pool_.objects()};
    if (control_.levels > HIGHEST) return "there are too many levels";
    if (!checked.objects.take(control_.reserve, RESERVE_BYTES, RESERVES)) return "its reserve is lost";
    const auto wrong = control_.levels == 0 ? "" : check_below(control_.top, control_.levels, checked);
    return wrong.empty() ? check_count(checked.found) : wrong;
  }

 private:
  struct Checked {
    Objects objects;
    std::uint64_t found = 0, last = 0;  // entries, and the largest key of them
  };

  [[nodiscard]] bool apart() const noexcept { return control_.value_bytes > INSIDE; }
  /// Returns a node; also a leaf, whose links nobody reads.
  [[nodiscard]] Node& node(std::uint64_t at) const noexcept { return *pool_.at<Node>(at); }
  [[nodiscard]] bool poor(std::uint64_t at) const noexcept { return node(at).number < LEAST; }

  [[nodiscard]] Path walk(std::uint64_t key) const noexcept {
    Path path;
    for (auto at = control_.top; path.length < control_.levels && !path.found;) {
      const auto& here = node(at);
      const auto place = here.place_of(key);
      path.add(at, place);
      path.found = here.has(place, key);
      if (!path.found && path.length < control_.levels) at = here.below[place];
    }
    return path;
  }

  /// Return whether it could; `lends`: the reserve to the undo log.
  bool take_out(Path& path, bool lends) noexcept {
    Transaction transaction(pool_.get());
    if (lends) transaction.lend(pool_.at<void>(control_.reserve), RESERVE_BYTES);
    transaction.keep(control_.count);
    if (apart()) transaction.free(pool_.object(node(path.last().at).values[path.last().place][0]));
    if (path.length < control_.levels) fill(transaction, path);
    if (keep(transaction, path.last().at, true)) shift_out(node(path.last().at), path.last().place, true);
    auto level = path.length;
    while (level > 1 && poor(path.steps[level - 1].at) && refill(transaction, path, level)) --level;
    if (transaction.works() && node(control_.top).number == 0) lower(transaction);
    if (!transaction.works()) return false;
    --control_.count;
    transaction.commit();
    return true;
  }

  [[nodiscard]] Value hold(Transaction& transaction, const void* value) const noexcept {
    Value held{};
    if (apart()) held[0] = transaction.make(control_.value_bytes, VALUES).off;
    if (transaction.works()) std::memcpy(apart() ? pool_.at<void>(held[0]) : held.data(), value, control_.value_bytes);
    return held;
  }

  void start(const std::string& path) {
    Transaction transaction(pool_.get());
    transaction.keep(control_.reserve);
    const auto made = transaction.make(RESERVE_BYTES, RESERVES).off;
    if (!transaction.works()) throw Unsupported("pool " + path + " has no space for its reserve");
    control_.reserve = made;
    transaction.commit();
  }

  /// Return whether the node may be changed now.
  [[nodiscard]] bool keep(Transaction& transaction, std::uint64_t at, bool is_leaf) const noexcept {
    transaction.keep(&node(at), node_bytes(is_leaf));
    return transaction.works();
  }

  /// Into a node, or into one of its halves where it is full; then `item` is what goes to the node above, and true.
  bool put(Transaction& transaction, const Path::Step& step, bool is_leaf, Item& item) const noexcept {
    if (!keep(transaction, step.at, is_leaf)) return false;
    if (node(step.at).number < MOST) {
      shift_in(node(step.at), step.place, item, is_leaf);
      return false;
    }
    const auto made = transaction.make(node_bytes(is_leaf), NODES).off;
    if (!transaction.works()) return false;
    item = split(node(step.at), node(made), step.place, item, is_leaf);
    item.after = made;
    return true;
  }

  /// A node of one item above all, or the first leaf.
  void heighten(Transaction& transaction, const Item& item) noexcept {
    const bool is_leaf = control_.levels == 0;
    const auto made = transaction.make(node_bytes(is_leaf), NODES).off;
    transaction.keep(&control_.top, 2 * sizeof(std::uint64_t));
    if (!transaction.works()) return;
    auto& top = node(made);
    top.number = 0;
    if (!is_leaf) top.below[0] = control_.top;
    shift_in(top, 0, item, is_leaf);
    control_.top = made;
    ++control_.levels;
  }
  /// The top has no item: what is left is below its only link.
  void lower(Transaction& transaction) noexcept {
    transaction.keep(&control_.top, 2 * sizeof(std::uint64_t));
    transaction.free(pool_.object(control_.top));
    if (!transaction.works()) return;
    control_.top = control_.levels > 1 ? node(control_.top).below[0] : 0;
    --control_.levels;
  }

  /// Moves the largest entry before the one at the end of the path into its place; the path then ends where that was.
  void fill(Transaction& transaction, Path& path) const noexcept {
    const auto [hole, place] = path.last();
    for (auto at = node(hole).below[place]; path.length + 1 < control_.levels; at = node(at).below[node(at).number])
      path.add(at, node(at).number);
    const auto [above, link] = path.last();
    const auto leaf = node(above).below[link];
    path.add(leaf, node(leaf).number - 1);
    if (!keep(transaction, hole, false)) return;
    node(hole).keys[place] = node(leaf).keys[path.last().place];
    node(hole).values[place] = node(leaf).values[path.last().place];
  }

  /// A node with too few entries takes one from a neighbour through the node above, or is joined with it: true, as the
  /// node above has one less. `level`: the node's, from 1 at the top.
  bool refill(Transaction& transaction, const Path& path, std::size_t level) const noexcept {
    const auto [above, place] = path.steps[level - 2];
    const bool is_leaf = level == control_.levels;
    auto& over = node(above);
    const auto rich = [&](std::size_t i) { return node(over.below[i]).number > LEAST; };
    const bool from_left = place > 0 && rich(place - 1);
    const bool from_right = !from_left && place < over.number && rich(place + 1);
    const auto between = place == 0 || from_right ? place : place - 1;
    const auto left = over.below[between], right = over.below[between + 1];
    if (!keep(transaction, above, false) || !keep(transaction, left, is_leaf)) return false;
    if (from_left || from_right) {
      if (!keep(transaction, right, is_leaf)) return false;
      (from_left ? turn_right : turn_left)(over, between, node(left), node(right), is_leaf);
      return false;
    }
    join(over, between, node(left), node(right), is_leaf);
    transaction.free(pool_.object(right));
    return transaction.works();
  }

  /// In the order of keys; `levels`: that of the node and those below.
  [[nodiscard]] std::string check_below(std::uint64_t at, std::uint64_t levels, Checked& checked) const {
    if (!checked.objects.take(at, node_bytes(levels == 1), NODES)) return "a link leads to no node";
    const auto& here = node(at);
    if (here.number > MOST || here.number < (at == control_.top ? 1 : LEAST)) return "a node has a wrong size";
    for (std::size_t i = 0; i <= here.number; ++i) {
      const auto wrong = levels == 1 ? "" : check_below(here.below[i], levels - 1, checked);
      if (!wrong.empty()) return wrong;
      if (i == here.number) break;
      if (checked.found > 0 && here.keys[i] <= checked.last) return "the keys are out of order";
      if (apart() && !checked.objects.take(here.values[i][0], control_.value_bytes, VALUES)) return "a value is lost";
      if (++checked.found > control_.count) return "there are too many entries";
      checked.last = here.keys[i];
    }
    return "";
  }
};

constexpr StructureEntry entry{NAME,
                               "B-tree on libpmemobj's transactions",
                               "R. Bayer, E. McCreight, Organization and Maintenance of Large Ordered Indices, 1972",
                               true,
                               "",
                               &open_structure<Btree>,
                               &pool_bytes};
const Registration registration{entry};

}  // namespace
}  // namespace tierscope::structures
