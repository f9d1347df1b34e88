/// Calls: calls of a kernel that touches no memory, one for each operation. Their effect is not known here.
#include "base/registry.hpp"
#include "bench/compare.hpp"
#include "bench/timed.hpp"

namespace tierscope::tasks::call {
namespace {

struct Calls final : WorkOf<Calls> {
  static std::span<const Key<Calls>> table() { return {}; }
};

class CallTask final : public TaskOf<blocks::Repeats> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Calls>(); }
  [[nodiscard]] double verify(const Group&, const Member&) const override { return WRONG; }
};

const CallTask task{"call"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tierscope::tasks::call
