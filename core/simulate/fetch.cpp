#include "simulate/fetch.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "simulate/program.hpp"

namespace tierscope::simulate {
namespace {

constexpr unsigned TARGET_WAYS = 4;

/// Return whether the target of a taken branch is known from its last time alone. The predictor has those of indirect
/// ones, and returns are always right.
bool is_direct(flow::Class kind) {
  return kind == flow::Class::branch || kind == flow::Class::jump || kind == flow::Class::call;
}

}  // namespace

Fetch::Fetch(Machine& machine, unsigned cpu)
    : machine_(&machine),
      cpu_(cpu),
      limits_(machine.core().fetch),
      cycle_(machine.limits().cycle),
      lines_(std::max<std::uint64_t>(limits_.bytes / LINE / limits_.ways, 1), limits_.ways, Policy::lru, 0),
      targets_(std::max(limits_.targets / TARGET_WAYS, 1U), TARGET_WAYS, Policy::lru, 0),
      pages_(limits_.pages),
      needed_(std::max(limits_.ahead, 1U), 0) {}

Time Fetch::bring(const flow::Instruction& one, std::uint64_t base, Time at) {
  brought_ = one.address;
  const auto last = (one.address + std::max<unsigned>(one.length, 1) - 1) / LINE;
  Time came = at;
  for (auto line = one.address / LINE; line <= last; ++line)
    if (line != line_) came = std::max(came, this->line(line, base, at));
  return came;
}

/// Return the place of a branch among the targets: neighbouring blocks of code take neighbouring sets, as in hardware,
/// so that jumps at regular distances fill all of them.
std::uint64_t Fetch::target_key(std::uint64_t address) const noexcept {
  constexpr std::uint64_t CODE_BLOCK = 32, TAGS = 1U << 20U;
  const std::uint64_t sets = std::max(limits_.targets / TARGET_WAYS, 1U);
  return (mixed(address) % TAGS * sets + address / CODE_BLOCK % sets) * LINE;
}

void Fetch::enter(const flow::Block& block, const flow::Instruction* last) {
  if (last == nullptr || block.front().address == last->address + last->length) return;
  const bool repeats = (last->flags & flow::REPEATED) != 0 && block.front().address == last->address;
  if (repeats) return;
  line_ = brought_ = NOTHING;
  if (!is_direct(last->kind)) return;
  const auto key = target_key(last->address);
  unknown_ = targets_.touch(key) == nullptr;
  if (unknown_) targets_.fill(key);
}

Time Fetch::line(std::uint64_t line, std::uint64_t base, Time at) {
  const Time behind = unknown_ ? static_cast<Time>(limits_.redirect) * cycle_ : 0;
  auto& before = needed_[next_];
  Time asked = std::max(front_, limits_.ahead == 0 ? at + behind : before);
  if (unknown_) asked = std::max(asked, came_ + behind);
  unknown_ = false;
  const auto address = program_line(base, line * LINE);
  asked = translated(address, asked);
  front_ = asked + cycle_;
  Time came = asked;
  const auto key = line * LINE & ADDRESS;
  if (lines_.touch(key) == nullptr) {
    lines_.fill(key);
    came = std::max(machine_->code(cpu_, address, asked), filled_ + static_cast<Time>(limits_.between) * cycle_);
    filled_ = came;
  }
  came_ = std::max(came_, came);  // in order
  line_ = line;
  before = std::max(at, came_);
  next_ = next_ + 1 == needed_.size() ? 0 : next_ + 1;
  return came_;
}

Time Fetch::translated(std::uint64_t address, Time at) {
  const auto page = machine_->translated(address);
  if (page == page_) return at;
  page_ = page;
  if (pages_.find(page) != nullptr) return at;
  pages_.insert(page);
  return machine_->translate_code(cpu_, address, at);
}

void Fetch::copy(const Fetch& from) {
  lines_.copy(from.lines_);
  targets_.copy(from.targets_);
  pages_ = from.pages_;
}

void Fetch::begin(Time at) {
  front_ = came_ = at;
  filled_ = 0;
  line_ = page_ = brought_ = NOTHING;
  unknown_ = false;
  std::ranges::fill(needed_, 0);
  next_ = 0;
}

}  // namespace tierscope::simulate
