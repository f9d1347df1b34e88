#include "bench/walker.hpp"

#include <algorithm>
#include <cmath>

#include "bench/task.hpp"

namespace tierscope {
namespace {

using simulate::Access;
using simulate::Kind;
using simulate::Time;

constexpr std::uint64_t LEAST_CHUNK = 8;       // accesses: most of them are still in flight together
constexpr Time LONG = 2;                       // times the requested length: a block of one chunk that is halved
constexpr std::size_t MOST_BLOCKS = 1U << 22;  // of one batch: 160 MiB of them

bool asked_for(const Access& access) noexcept {
  return access.kind == Kind::load || access.kind == Kind::store || access.kind == Kind::store_nt;
}

}  // namespace

Walker::Walker(simulate::Machine& machine, const Group& group, std::size_t member, std::unique_ptr<Stream> stream,
               Block form)
    : thread_(machine, group.members[member].cpu),
      machine_(&machine),
      group_(&group),
      stream_(std::move(stream)),
      form_(form),
      walks_(group.task->walks()),
      drains_(group.task->drains()),
      announced_(machine.announced()) {}

Time Walker::begin(Time at, std::uint32_t batch) {
  form_.batch = batch;
  thread_.start(at);
  open(at);
  return thread_.ready(next());
}

void Walker::open(Time at) {
  thread_.wait(at);
  start_ = thread_.now();
  operations_ = 0;
  left_ = group_->plan.per_block;
}

Time Walker::step(Time at, Time end, Time length) {
  execute(at);
  if (at_ == pending_.size() && end_chunk(end, length)) return simulate::NEVER;
  return thread_.ready(next());
}

const Access& Walker::next() {
  if (at_ == pending_.size()) refill();
  return pending_[at_];
}

void Walker::execute(Time at) {
  if (thread_.execute(pending_[at_], at)) count();
}

void Walker::count() noexcept { executed_ += asked_for(pending_[at_++]) ? 1 : 0; }

/// Returns true after the last block.
bool Walker::end_chunk(Time end, Time length) {
  const auto& plan = group_->plan;
  operations_ += chunk_;
  left_ -= std::min(left_, chunk_);
  if (plan.pace > 0) thread_.pause(static_cast<Time>(plan.pace) * machine_->limits().cycle);
  const bool due = plan.per_block > 0 ? left_ == 0 : thread_.now() - start_ >= length;
  if (!due) return false;
  if (operations_ == chunk_ && thread_.now() - start_ > LONG * length) most_ = std::max(most_ / 2, LEAST_CHUNK);
  const auto stop = finish();
  blocks_.push_back(block(form_, machine_->noise().distort(start_, stop), operations_));
  open(stop);
  return stop >= end || blocks_.size() == MOST_BLOCKS;
}

Time Walker::finish() {
  const auto store = group_->entry->store;
  const bool weak = store == kernels::Store::nt || store == kernels::Store::direct;
  thread_.wait(weak || drains_ ? thread_.drained() : thread_.loaded());
  return thread_.now();
}

void Walker::warm(Time at, std::uint64_t accesses) {
  for (open(at); accesses > 0; --accesses) {
    thread_.run(next());
    count();
  }
}

void Walker::rewind() {
  stream_->rewind();
  pending_.clear();
  at_ = 0;
  chunk_ = made_ = executed_ = 0;
}

void Walker::settle() {
  const auto walked = made_, slice = group_->operations / group_->members.size();
  const auto block = std::max<std::uint64_t>(group_->plan.per_block, 1);
  rewind();
  const auto goal = (walked + block - 1) / block * block;
  for (std::uint64_t skipped = 0; goal < slice && skipped < goal; pending_.clear())
    skipped += stream_->next(std::min(CHUNK, goal - skipped), pending_);
}

double Walker::error() const noexcept {
  const auto promised = static_cast<double>(made_ * stream_->accesses());
  const auto waiting = std::count_if(pending_.begin() + static_cast<std::ptrdiff_t>(at_), pending_.end(), &asked_for);
  const auto seen = static_cast<double>(executed_) + static_cast<double>(waiting);
  return promised > 0 ? std::abs(seen - promised) / promised : 0;
}

void Walker::refill() {
  pending_.clear();
  at_ = 0;
  chunk_ = stream_->next(chunk(), pending_);
  made_ += chunk_;
  if (announced_ && pending_.size() >= LEAST_CHUNK) machine_->announce(pending_);  // fewer come too late
}

/// Operations that are made together: of a paced walk those of one burst, else few enough that blocks end in time.
std::uint64_t Walker::chunk() const {
  const auto& plan = group_->plan;
  if (plan.pace > 0) {
    const auto burst = static_cast<double>(plan.burst) / std::max(group_->program_bytes(), 1.0);
    return walks_ ? std::max<std::uint64_t>(static_cast<std::uint64_t>(burst), 1) : 1;
  }
  const auto few = std::max<std::uint64_t>(most_ / std::max<std::uint64_t>(stream_->accesses(), 1), 1);
  return plan.per_block > 0 ? std::min(few, std::max<std::uint64_t>(left_, 1)) : few;
}

}  // namespace tierscope
