/// Lines: one step of a line per operand weight, over whole arrays. Slices are whole granules of the loop variant,
/// since a kernel has no code for a rest.
#include "bench/tasks/line.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/content.hpp"
#include "bench/tasks/draws.hpp"
#include "bench/tasks/line_check.hpp"
#include "bench/tasks/line_numbers.hpp"
#include "bench/tasks/line_stream.hpp"
#include "bench/timed.hpp"
#include "kernels/places.hpp"

namespace tierscope {

using kernels::LINE;
using kernels::OPERANDS;

std::span<const Key<Lines>> Lines::table() {
  static constexpr Key<Lines> KEYS[]{
      bytes_key<Lines, &Lines::footprint>("footprint"),
      count_key<Lines, &Lines::streams>("streams"),
      count_key<Lines, &Lines::unroll>("unroll"),
      bytes_key<Lines, &Lines::prefetch>("prefetch"),
      bytes_key<Lines, &Lines::prefetch_write>("prefetchw"),
      bytes_key<Lines, &Lines::interleave>("interleave"),
      bytes_key<Lines, &Lines::skew>("skew"),
      bytes_key<Lines, &Lines::row>("row"),
  };
  return KEYS;
}

namespace {

/// Puts random reals into one line of each page of operand k. They differ from those of the fill.
void stir_operand(const Group& group, const Member& member, std::size_t k) noexcept {
  constexpr auto per_page = kernels::PAGE / LINE;
  const auto seed = ~group.plan.seed;
  const auto first = (member.begin * group.stride(k) + LINE - 1) / LINE;
  const auto last = member.end * group.stride(k) / LINE;
  for (auto line = first; line < last; line += per_page) {
    const auto chosen = std::min(line + random_word(seed, line) % per_page, last - 1);
    fill_reals({member.pass.operand[k] + chosen * LINE, LINE}, seed, chosen * (LINE / 8));
  }
}

}  // namespace

void stir_operands(const Group& group, const Member& member) noexcept {
  for (std::size_t k = 0; k < OPERANDS; ++k)
    if (group.entry->info->operands[k].stores) stir_operand(group, member, k);
}

namespace tasks::line {
namespace {

class LineTask final : public TaskOf<blocks::Slices> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Lines>(); }
  [[nodiscard]] kernels::Shape shape(const GroupPlan& plan) const override {
    const auto& its = plan.of<Lines>();
    return {its.streams, its.unroll, its.interleave == kernels::PAGE, its.prefetch > 0, its.prefetch_write > 0};
  }
  void check(const Group& group) const override {
    const auto& its = group.plan.of<Lines>();
    if (its.interleave != 0 && its.interleave != kernels::PAGE)
      throw BadPlan("interleave=" + std::to_string(its.interleave) + " is not built; use 0 or 4KiB");
    if (its.skew % LINE != 0) throw BadPlan("skew=" + std::to_string(its.skew) + " is not a multiple of 64");
    check_row(group);
  }
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto& its = group.plan.of<Lines>();
    const auto granule = group.variant.shape.granule();
    const auto bytes = LINE * group.entry->info->lines();
    const auto each = whole_share(group, its.footprint / bytes / group.plan.cpus.size() / granule * granule);
    if (each == 0) refuse_footprint(group.plan, its.footprint, bytes * granule);
    return each;
  }

  [[nodiscard]] bool walks() const override { return true; }
  [[nodiscard]] std::uint64_t skew(const Group& group) const override { return group.plan.of<Lines>().skew; }
  [[nodiscard]] std::uint64_t margin(const Group& group, std::size_t k) const override {
    const auto extent = extent_of(group);
    return kernels::margin(group.entry->info->operands[k], extent.row, extent.plane);
  }
  void place(Group& group, std::size_t member) const override {
    auto& pass = group.members[member].pass;
    const auto extent = extent_of(group);
    pass.row = extent.row;
    pass.plane = extent.plane;
    place_draws(group, member);
    pass.prefetch = group.plan.of<Lines>().prefetch;
    pass.prefetch_write = group.plan.of<Lines>().prefetch_write;
  }
  void fill(const Group& group, std::size_t member, std::span<std::byte> memory) const noexcept override {
    Task::fill(group, member, memory);
    fill_numbers(group, member, memory);
  }
  void stir(const Group& group, std::size_t member) const noexcept override {
    if (group.entry->info->draws != nullptr)
      begin_table(group, group.members[member]);
    else
      stir_operands(group, group.members[member]);
  }
  [[nodiscard]] bool remembers(const Group& group) const override { return updates(group); }
  void remember(Group& group, std::size_t member) const override { remember_windows(group, member); }
  /// No other kernel starts from what an update left.
  [[nodiscard]] std::string content(const Group& group) const override {
    return (changes(group) ? " updated by " + group.plan.kernel : "") + numbered_content(group);
  }

  [[nodiscard]] std::uint64_t granule(const Group& group) const override { return group.variant.shape.granule(); }

  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    if (group.entry->info->draws != nullptr) return verify_draws(group, member);
    return updates(group) ? verify_updated(group, member) : verify_lines(group, member);
  }

  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry& entry) const override {
    return no_simulated_stores(entry);
  }
  [[nodiscard]] std::unique_ptr<Stream> stream(const Group& group, std::size_t member,
                                               const Bases& bases) const override {
    if (group.entry->info->draws != nullptr)
      return std::make_unique<DrawStream>(group, group.members[member], bases[0]);
    return std::make_unique<LineStream>(group, group.members[member], bases);
  }

  [[nodiscard]] WorkFacts facts(const Group& group) const override {
    const auto& its = group.plan.of<Lines>();
    return {.streams = its.streams,
            .unroll = its.unroll,
            .prefetch_bytes = its.prefetch,
            .prefetch_write_bytes = its.prefetch_write,
            .interleave_bytes = its.interleave,
            .row_bytes = its.row > 0 || extent_of(group).row > LINE ? extent_of(group).row : 0};
  }

 private:
  /// Return whether it updates what it reads: its result depends on the earlier content.
  static bool changes(const Group& group) noexcept { return group.entry->info->check == kernels::Check::recomputed; }
  /// Return whether its check needs windows of the earlier content; a drawn table begins with known numbers.
  static bool updates(const Group& group) noexcept { return changes(group) && group.entry->info->draws == nullptr; }
};

const LineTask task{"line"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::line
}  // namespace tierscope
