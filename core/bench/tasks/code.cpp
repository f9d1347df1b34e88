/// Code: iterations of a loop of much generated code (core/loops/walk.hpp). An operation is one iteration.
#include "bench/tasks/code.hpp"

#include "base/error.hpp"
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/tasks/code_simulated.hpp"
#include "bench/timed.hpp"
#include "bench/words.hpp"
#include "loops/code.hpp"

namespace tierscope {

std::span<const Key<CodeLoops>> CodeLoops::table() {
  static constexpr Key<CodeLoops> KEYS[]{
      bytes_key<CodeLoops, &CodeLoops::footprint>("footprint"),
      count_key<CodeLoops, &CodeLoops::straight>("straight"),
      count_key<CodeLoops, &CodeLoops::jumps>("jumps"),
  };
  return KEYS;
}

loops::Walk walk_of(const Group& group) {
  const auto& its = group.plan.of<CodeLoops>();
  return {its.footprint, its.straight, its.jumps, group.plan.seed};
}

namespace tasks::code {
namespace {

constexpr std::uint64_t CHECKED = 64 * loops::CODE_PAGE;  // bytes of a self-check

/// Code and frames of the members: made when the group is placed.
struct Kept {
  explicit Kept(const loops::Walk& walk) : code(walk), runs(walk.runs()) {}
  loops::Code code;
  std::uint64_t runs;
  std::vector<loops::Frame> frames;
};
Kept& kept_of(const Group& group) { return *static_cast<Kept*>(group.kept.get()); }

class CodeTask final : public TaskOf<blocks::Repeats> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<CodeLoops>(); }
  void check(const Group& group) const override {
    const auto walk = walk_of(group);
    const auto refuse = [](const std::string& why) { throw BadPlan("kernel code: " + why); };
    if (walk.jumps == 0 || walk.jumps > 2 || (walk.jumps == 2 && walk.straight > 1))
      refuse("jumps=" + std::to_string(walk.jumps) + " is not 1, nor 2 with straight=1: a run needs half a line");
    if (walk.straight == 0 || loops::CODE_PAGE / loops::CODE_LINE % walk.straight != 0)
      refuse("straight=" + std::to_string(walk.straight) + " does not divide the 64 lines of a page");
    require_multiple("footprint", walk.bytes, walk.group(),
                     std::to_string(walk.group()) + " bytes, as runs of this length need");
    if (walk.bytes > loops::MOST_CODE)
      refuse("footprint=" + std::to_string(walk.bytes) + " is above 64 MiB, the most that it generates; take less");
  }
  [[nodiscard]] bool waits() const override { return true; }
  void place(Group& group, std::size_t number) const override {
    if (number == 0) {
      group.kept = std::make_shared<Kept>(walk_of(group));
      kept_of(group).frames.resize(group.members.size());
    }
    auto& kept = kept_of(group);
    auto& pass = group.members[number].pass;
    pass.operand[3] = reinterpret_cast<std::byte*>(&kept.frames[number]);
    pass.state = reinterpret_cast<std::uintptr_t>(kept.code.function());
  }
  [[nodiscard]] std::string content(const Group& group) const override {
    const auto walk = walk_of(group);
    std::string key = " code";
    for (const auto number : {walk.bytes, walk.straight, walk.jumps}) key += " " + std::to_string(number);
    return key;
  }
  /// Compares the sum: each run adds once.
  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    const auto& kept = kept_of(group);
    const auto number = static_cast<std::size_t>(&member - group.members.data());
    const auto expected = loops::behind(loops::Filler::sum, 0, member.done * kept.runs);
    return kept.frames[number].cursors[0] == expected ? 0 : WRONG;
  }
  void prepare_check(Words& words) const override {
    if (const std::string why = loops::lacking(); !why.empty()) throw Unsupported(why);
    words["footprint"] = std::to_string(CHECKED);
  }
  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry&) const override { return ""; }
  [[nodiscard]] std::uint64_t simulated_bytes(const Group&) const override { return loops::CODE_PAGE; }
  [[nodiscard]] std::unique_ptr<SimulatedGroup> simulate(const SimulatedPlace& place) const override {
    return std::make_unique<CodeGroup>(place);
  }
};

const CodeTask task{"code"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::code
}  // namespace tierscope
