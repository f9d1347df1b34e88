/// The part of a simulated core that runs the path behind a wrong guess.
#include <algorithm>

#include "simulate/pipeline.hpp"

namespace tierscope::simulate {

/// Return whether the last branch is known so late that its wrong path can fetch lines meanwhile.
bool Pipeline::branch_waits() noexcept { return branch_op_ != NOBODY && done(branch_op_) > dispatched_; }

/// Continue with kept steps until the core needs further ones. `all`: there are no further ones.
void Pipeline::go_on(bool all) {
  while (!kept_.empty()) {
    if (fork_.branch == NOBODY && kept_.path(0) == Path::meets && branch_waits()) leave_path();
    if (fork_.branch != NOBODY) {
      bool more = true;
      for (auto& step = fork_.followed; more && step < kept_.size(); ++step)
        more = (step == 0 || kept_.path(step) != Path::wrong) && follow(kept_.operations(step));
      if (more && !all) return;
      come_back();
    } else if (kept_.path(0) != Path::right) {
      wait_for_branch();
    }
    run(kept_.block(0), kept_.operations(0));
    kept_.remove_first();
  }
}

/// Begin a wrong path behind the last branch.
void Pipeline::leave_path() {
  fork_ = {branch_op_, next_, instructions_, stores_, marks(), dispatched_, dispatches_, work_, 0};
}

/// Dispatch a step on the wrong path. Return whether more can follow before the branch is known.
bool Pipeline::follow(const OperationsOf& operations) {
  const auto* distances = operations.distances;
  for (const auto& operation : operations.list) {
    if (operation.begins && !enter(operation)) return false;
    if (operation.does == Does::store && stores_ - drained_stores_ >= core_.store_buffer) return false;
    distances = dispatch(operation, distances);
    if (!operation.ends) continue;
    end(false);
    pump_until(dispatched_);
  }
  return true;
}

/// Begin an instruction on the wrong path; return false if the core cannot before the branch is known.
bool Pipeline::enter(const Operation& operation) {
  if (operation.ordered) return false;
  const auto no_place = [&] { return full(operation.takes) || stores_ - drained_stores_ >= core_.store_buffer; };
  while (no_place() && !starts_.empty() && starts_.soonest() <= done(fork_.branch)) pump();
  if (no_place()) return false;
  const Time at = std::max(dispatched_ + dispatches_.next(), given_back(operation.takes));
  if (at >= done(fork_.branch)) return false;
  dispatched_ = at;
  first_ = next_;
  waits_ = false;
  take(operation.takes);
  return true;
}

/// Leave the wrong path when its branch is known. Lines that are on their way still come.
void Pipeline::come_back() {
  const Time known = decided(fork_.branch);
  pump_until(known);
  const auto wrong = [&](Seq what) { return what >= fork_.first && (what & STORE) == 0; };
  starts_.drop_loads(fork_.first);
  std::erase_if(buffers_.waiting, wrong);
  for (const Seq producer : awaited_) {
    if (done(producer) != UNKNOWN) continue;
    auto& first = op(producer).waiters;
    while (first != LAST_LINK && ops_[first / SOURCES].seq >= fork_.first) first = links_[first];
  }
  awaited_.clear();
  for (Seq seq = fork_.first; seq < next_; ++seq) done(seq) = 0;  // their places are read as those of old operations
  next_ = fork_.first;
  instructions_ = fork_.instructions;
  stores_ = fork_.stores;
  for (std::size_t e = 0; e < TAKES; ++e) entries_[e].come_back(fork_.entries[e]);
  dispatched_ = fork_.dispatched;
  dispatches_ = fork_.slots;
  branch_op_ = fork_.branch;
  work_.instructions = fork_.work.instructions;
  work_.loads = fork_.work.loads;
  work_.stores = fork_.work.stores;
  work_.forwarded = fork_.work.forwarded;
  begin_behind(known);
  fork_.branch = fork_.first = NOBODY;
}

}  // namespace tierscope::simulate
