#include "bench/keyed_walker.hpp"

#include <algorithm>

namespace tierscope {

using simulate::Time;

namespace {

struct Left {
  Left() = default;
  Left(const Left&) = delete;
  Left& operator=(const Left&) = delete;
  ~Left() { recorded::leave_heap(); }
};

}  // namespace

bool KeyedWalker::prepare_fill() {
  if (!keyed_->persistent()) recorded::use_heap(heap_);
  const Left left;
  fills_ = keyed_->renew();
  return fills_;
}

void KeyedWalker::prepare_round() noexcept {
  fills_ = false;
  keyed_->draw();
}

Time KeyedWalker::begin(Time at, std::uint32_t batch) {
  form_.batch = batch;
  thread_.start(at);
  start_ = before_ = thread_.now();
  part_ = Part::nothing;
  operations_ = 0;
  return next();
}

Time KeyedWalker::step(Time at, Time, Time) {
  if (part_ == Part::waiting) return look();
  if (thread_.execute(pending_[at_], at)) ++at_;
  return at_ < pending_.size() ? ready() : next();
}

/// Tries to take the lock; returns the time of the next action.
Time KeyedWalker::look() {
  if (!lock_->held_by(this)) return lock_->look();
  thread_.wait(lock_->given());
  keyed_->timing().lock_ticks += static_cast<std::uint64_t>(thread_.now() - before_);
  part_ = Part::nothing;
  return next();
}

/// Returns when the next access may start.
Time KeyedWalker::ready() {
  const auto at = thread_.ready(pending_[at_]);
  if (lock_ != nullptr && !fills_) lock_->goes_on(at);
  return at;
}

Time KeyedWalker::finish() {
  thread_.wait(thread_.loaded());
  return thread_.now();
}

/// Moves to the next access. Parts without an access take no time.
Time KeyedWalker::next() {
  do {
    close();
    if (!open()) {
      end();
      return simulate::NEVER;
    }
    if (part_ == Part::waiting) return lock_->look();
  } while (pending_.empty());
  return ready();
}

/// Ends the current part.
void KeyedWalker::close() {
  const auto now = finish();
  const auto took = static_cast<std::uint64_t>(now - before_);
  before_ = now;
  auto& timing = keyed_->timing();
  if (part_ == Part::operation) {
    timing.add(took);
    timing.lines += counts_;
    ++operations_;
  } else if (part_ == Part::rehash && !fills_) {
    timing.rehash_ticks += took;
    timing.moved += moved_;
    ++timing.rehashes;
  }
  const bool over = part_ == Part::rehash || (part_ == Part::operation && !keyed_->rehash_due());
  if (lock_ != nullptr && !fills_ && over) lock_->leave(now);
}

/// Opens the next part: a rehash that is due, else another key or operation, after the lock. False: there is none.
bool KeyedWalker::open() {
  if (part_ != Part::nothing && part_ != Part::rehash && keyed_->rehash_due()) {
    record(Part::rehash);
    return true;
  }
  if (lock_ != nullptr && !fills_ && !keyed_->round_over() && !lock_->ask(this)) {
    part_ = Part::waiting;
    return true;
  }
  record(fills_ ? Part::fill : Part::operation);
  return more_;
}

void KeyedWalker::record(Part part) {
  part_ = part;
  at_ = 0;
  run(part);
  counts_ = lines_.take(recorded::end(), pending_);
}

/// Runs a part on the real structure.
void KeyedWalker::run(Part part) {
  if (!keyed_->persistent()) recorded::use_heap(heap_);
  const Left left;
  recorded::begin();
  if (part == Part::rehash) {
    moved_ = keyed_->rehash();
  } else {
    more_ = part == Part::fill ? keyed_->fill_next() : keyed_->step_next();
  }
}

/// Ends the last part; after a round it adds a block.
void KeyedWalker::end() {
  part_ = Part::nothing;
  auto& timing = keyed_->timing();
  if (fills_) {
    timing.fill_ticks += static_cast<std::uint64_t>(before_ - start_);
    ++timing.fills;
    return;
  }
  keyed_->end_round();
  blocks_.push_back(block(form_, machine_->noise().distort(start_, before_), operations_));
}

}  // namespace tierscope
