#include "simulate/pipeline.hpp"

#include <algorithm>
#include <bit>

#include "simulate/program.hpp"

namespace tierscope::simulate {
namespace {

using flow::Class;

constexpr unsigned FORWARD = 4, LOCKED = 18, KERNEL = 100;  // cycles
constexpr std::size_t RECENT = 1024;                        // stores that a load can take bytes from
constexpr std::uint64_t WORD = 8;                           // bytes

/// Return the cycles from operands to result. `unit`: one, whatever the operation.
/// Source: A. Fog, "Instruction tables", 2022: typical of most cores of the last ten years.
unsigned latency_of(Class kind, bool unit) {
  if (unit) return 1;
  switch (kind) {
    case Class::multiply:
      return 3;
    case Class::divide:
      return 18;
    case Class::fp_add:
    case Class::fp_multiply:
    case Class::fp_multiply_add:
    case Class::convert:
      return 4;
    case Class::fp_divide:
      return 13;
    case Class::fp_square_root:
      return 18;
    case Class::move:
    case Class::nop:
    case Class::prefetch:
      return 0;
    default:
      return 1;
  }
}

bool orders_all(const flow::Instruction& instruction) {
  return (instruction.flags & flow::ATOMIC) != 0 || instruction.kind == Class::mfence ||
         instruction.kind == Class::serialize || instruction.kind == Class::system;
}

}  // namespace

Pipeline::Pipeline(Machine& machine, unsigned cpu, Placement& placement)
    : machine_(&machine),
      cpu_(cpu),
      placement_(&placement),
      cycle_(machine.limits().cycle),
      near_latency_(machine.cache_facts().empty() ? 0 : machine.cache_facts().front().latency),
      dispatches_(cycle_, machine.core().width),
      retires_(cycle_, machine.core().width),
      core_(machine.core()),
      ops_(std::bit_ceil(std::size_t{core_.reorder} * 3 + 256)),
      mask_(ops_.size() - 1),
      links_(ops_.size() * SOURCES, LAST_LINK),
      retirements_(std::bit_ceil(std::size_t{core_.reorder}), 0),
      buffers_(machine.limits().loads, RELEASE),
      store_buffers_(machine.limits().stores, RELEASE_STORE),
      buffer_(std::bit_ceil(std::size_t{core_.store_buffer})),
      recent_(RECENT) {
  writers_.fill(NOBODY);
}

void Pipeline::run(const flow::Step& step) {
  const auto& block = *step.block;
  close_branch(step);
  std::size_t a = 0;
  for (std::size_t i = 0; i < block.size(); ++i) {
    const std::size_t first = a;
    while (a < step.accesses.size() && step.accesses[a].instruction <= i) ++a;
    dispatch(block[i], step.accesses.subspan(first, a - first));
    pump_until(dispatched_);
  }
}

void Pipeline::warm(const flow::Step& step) {
  settle();
  close_branch(step);
  for (const auto& access : step.accesses)
    dispatched_ = std::max(dispatched_, reach({access.address, access.bytes, access.object},
                                              access.store ? Kind::store : Kind::load, dispatched_));
  redirect_ = dispatched_;
  last_retirement_ = std::max(last_retirement_, dispatched_);
  expect(step);
}

Time Pipeline::drain() {
  settle();
  return std::max({dispatched_, last_retirement_, last_drain_});
}

/// The next block shows where the branch went.
void Pipeline::close_branch(const flow::Step& step) {
  if (branch_ == nullptr) return;
  const auto& branch = *branch_;
  branch_ = nullptr;
  const bool right = step.guess == flow::Guess::unknown ? predicted(predictor_, branch, step.block->front().address)
                                                        : step.guess == flow::Guess::right;
  ++work_.branches;
  if (right) return;
  ++work_.wrong_guesses;
  if (branch_op_ == NOBODY) return;
  while (!op(branch_op_).resolved && !starts_.empty()) pump();
  redirect_ = std::max(redirect_, op(branch_op_).done + cycles(core_.wrong_guess));
}

void Pipeline::dispatch(const flow::Instruction& instruction, std::span<const flow::Access> accesses) {
  while (full() && !starts_.empty()) pump();
  const bool ordered = orders_all(instruction);
  if (ordered) settle();
  const Time next = dispatched_ + dispatches_.next();
  Time at = std::max({next, redirect_, retired_at(instructions_ - core_.reorder)});
  if (ordered) at = std::max({at, last_retirement_, last_drain_});
  dispatched_ = at;

  std::array<Seq, SOURCES> loads{};
  std::size_t loaded = 0;
  const Seq first = next_;
  for (const auto& access : accesses) {
    if (access.store || loaded == loads.size() / 2) continue;
    const auto seq = loads[loaded++] = add(Does::load, 0);
    op(seq).address = access.address;
    op(seq).bytes = access.bytes;
    op(seq).object = access.object;
    wait_for_registers(seq, instruction.address_registers);
    forward(seq, access);
    ++work_.loads;
  }
  Seq result = loaded != 0 ? loads[loaded - 1] : NOBODY;
  const bool stores = std::ranges::any_of(accesses, [](const auto& access) { return access.store; });
  if (instruction.kind != Class::move || (loaded == 0 && !stores)) {
    result = add(Does::compute, cycles(latency_of(instruction.kind, core_.unit) + (ordered ? LOCKED : 0) +
                                       (instruction.kind == Class::system ? KERNEL : 0)));
    wait_for_registers(result, instruction.data_registers);
    if (accesses.empty()) wait_for_registers(result, instruction.address_registers);
    for (std::size_t l = 0; l < loaded; ++l) wait_for(op(result), result, loads[l]);
  }
  for (const auto& access : accesses) {
    if (!access.store) continue;
    while (stores_ - drained_stores_ >= core_.store_buffer && !starts_.empty()) pump();
    const auto& oldest = stored(stores_ - core_.store_buffer);
    if (oldest.drained > dispatched_) {
      placement_->wait(oldest.what.object, oldest.drained - dispatched_);
      dispatched_ = oldest.drained;
    }
    const auto seq = add(Does::store, 0);
    op(seq).address = access.address;
    op(seq).bytes = access.bytes;
    op(seq).object = access.object;
    op(seq).nontemporal = (instruction.flags & flow::NONTEMPORAL) != 0;
    wait_for_registers(seq, instruction.address_registers);
    if (result != NOBODY)
      wait_for(op(seq), seq, result);
    else
      wait_for_registers(seq, instruction.data_registers);
    for (auto word = access.address / WORD; word <= (access.address + access.bytes - 1) / WORD; ++word)
      recent_[word % RECENT] = {word, seq};
    ++stores_;
    ++work_.stores;
  }
  for (const auto written : instruction.written) {
    if (written == flow::NO_REGISTER) break;
    const bool pointer = written == flow::STACK_POINTER && (instruction.flags & flow::STACK) != 0;
    writers_[written] = pointer ? NOBODY : result;
  }
  op(next_ - 1).ends = true;
  ++instructions_;
  ++work_.instructions;
  if (decides(instruction.kind)) {
    branch_ = &instruction;
    branch_op_ = result;
  }
  for (Seq seq = first; seq < next_; ++seq) op(seq).complete = true;
  for (Seq seq = first; seq < next_; ++seq)
    if (op(seq).pending == 0 && !op(seq).begun) started(op(seq));
  if (ordered) settle();
}

bool Pipeline::full() {
  retire();
  return instructions_ - retired_instructions_ >= core_.reorder || next_ - retired_ + 2 * SOURCES > mask_;
}

Pipeline::Seq Pipeline::add(Does does, Time latency) {
  const Seq seq = next_++;
  op(seq) = Op{.ready = dispatched_, .latency = latency, .seq = seq, .does = does};
  return seq;
}

void Pipeline::wait_for(Op& waiting, Seq seq, Seq producer) {
  if (producer == NOBODY || next_ - producer > mask_ || producer == seq) return;
  auto& from = op(producer);
  if (!from.resolved && waiting.sources < SOURCES) {
    const auto id = static_cast<std::uint32_t>((seq & mask_) * SOURCES + waiting.sources++);
    links_[id] = from.waiters;
    from.waiters = id;
    ++waiting.pending;
    return;
  }
  waiting.ready = std::max(waiting.ready, from.done);
}

void Pipeline::wait_for_registers(Seq seq, std::span<const std::uint8_t> registers) {
  for (const auto one : registers) {
    if (one == flow::NO_REGISTER) break;
    wait_for(op(seq), seq, writers_[one]);
  }
}

/// Let a load of bytes that a store has in the store buffer take them from there.
void Pipeline::forward(Seq seq, const flow::Access& access) {
  const auto& last = recent_[access.address / WORD % RECENT];
  if (last.word != access.address / WORD || last.store == NOBODY || next_ - last.store > mask_) return;
  if (op(last.store).seq != last.store || op(last.store).does != Does::store) return;
  op(seq).forwarded = true;
  wait_for(op(seq), seq, last.store);
  ++work_.forwarded;
}

void Pipeline::started(Op& op) {
  op.begun = true;
  if (op.does == Does::load && !op.forwarded) return starts_.push({op.ready, op.seq});
  if (op.forwarded && near(bytes_of(op))) reach(bytes_of(op), Kind::load, op.ready);  // it looks in the cache, too
  finish(op, op.ready + (op.does == Does::load ? cycles(core_.unit ? 1 : FORWARD) : op.latency));
}

void Pipeline::finish(Op& op, Time done) {
  op.resolved = true;
  op.done = done;
  for (auto id = op.waiters; id != LAST_LINK; id = links_[id]) {
    auto& waiting = ops_[id / SOURCES];
    waiting.ready = std::max(waiting.ready, done);
    if (--waiting.pending == 0 && waiting.complete && !waiting.begun) started(waiting);
  }
}

void Pipeline::retire() {
  for (; retired_ < next_ && op(retired_).resolved; ++retired_) {
    const auto& one = op(retired_);
    if (one.done > last_retirement_) {
      if (one.does == Does::load) placement_->wait(one.object, one.done - std::max(last_retirement_, one.ready));
      last_retirement_ = one.done;
    }
    if (one.does == Does::store) {
      const auto number = retired_stores_++;
      stored(number) = {bytes_of(one), one.nontemporal, NEVER};
      starts_.push({last_retirement_, STORE | number});
    }
    if (!one.ends) continue;
    last_retirement_ += retires_.next();
    retirements_[retired_instructions_++ & (retirements_.size() - 1)] = last_retirement_;
  }
}

/// Run the next start; a later one cannot come before it.
void Pipeline::pump() {
  retire();
  if (starts_.empty()) return;
  const auto [at, what] = starts_.top();
  starts_.pop();
  if (what == RELEASE) return release(buffers_, at);
  if (what == RELEASE_STORE) return release(store_buffers_, at);
  if ((what & STORE) != 0) return store(what & ~STORE, at);
  load(op(what), at);
}

void Pipeline::pump_until(Time at) {
  while (!starts_.empty() && starts_.top().at <= at) pump();
  retire();
}

void Pipeline::settle() {
  for (retire(); retired_ < next_ || drained_stores_ < stores_; retire()) {
    if (starts_.empty()) break;
    pump();
  }
}

void Pipeline::load(Op& op, Time at) {
  if (near(bytes_of(op))) return finish(op, reach(bytes_of(op), Kind::load, at));
  const auto buffer = std::ranges::min_element(buffers_.taken);
  if (*buffer > at || !buffers_.waiting.empty()) return wait(buffers_, op.seq, at);
  *buffer = fetch(op, at);
}

/// Load a line into a fill buffer, and return when it has come.
Time Pipeline::fetch(Op& op, Time at) {
  ++work_.far_loads;
  const auto done = reach(bytes_of(op), Kind::load, at);
  finish(op, done);
  return done;
}

/// Let a store leave the store buffer, after the one before it.
void Pipeline::store(std::uint64_t number, Time at) {
  auto& stored = this->stored(number);
  auto& buffers = buffers_of_stores();
  if (waiting_stores_ == 0) {
    if (there(stored)) {
      write(stored, true, at);
      return;
    }
    const auto buffer = std::ranges::min_element(buffers.taken);
    if (*buffer <= at && buffers.waiting.empty()) {
      *buffer = write(stored, false, at);
      return;
    }
  }
  ++waiting_stores_;
  wait(buffers, STORE | number, at);
}

/// Write a store's bytes, and return when it no longer takes a fill buffer.
Time Pipeline::write(Stored& stored, bool there, Time at) {
  Time done = at;
  if (stored.nontemporal) {
    if (!there) done = reach(stored.what, Kind::store_nt, at);
    nontemporal_line_ = stored.what.address / LINE;
  } else {
    done = reach(stored.what, Kind::store, at);
    if (there) done = std::max(at + cycle_, done - near_latency_);
  }
  last_drain_ = stored.drained = std::max(last_drain_, done);
  ++drained_stores_;
  return done;
}

/// Return whether a store takes no fill buffer.
bool Pipeline::there(const Stored& stored) const {
  return stored.nontemporal ? stored.what.address / LINE == nontemporal_line_ : near(stored.what);
}

/// Let a load or a store wait until a fill buffer is free.
void Pipeline::wait(Buffers& buffers, Seq what, Time at) {
  buffers.waiting.push_back(what);
  if (buffers.releasing) return;
  starts_.push({std::max(*std::ranges::min_element(buffers.taken), at), buffers.release});
  buffers.releasing = true;
}

/// A fill buffer is free, so the load or the store that waits longest may take it.
void Pipeline::release(Buffers& buffers, Time at) {
  buffers.releasing = false;
  while (!buffers.waiting.empty()) {
    const auto what = buffers.waiting.front();
    const bool stores = (what & STORE) != 0;
    const auto number = what & ~STORE;
    const bool needs_none = stores ? there(stored(number)) : near(bytes_of(op(what)));
    const auto buffer = std::ranges::min_element(buffers.taken);
    if (!needs_none && *buffer > at) {
      starts_.push({*buffer, buffers.release});
      buffers.releasing = true;
      return;
    }
    buffers.waiting.pop_front();
    Time done = 0;
    if (stores) {
      --waiting_stores_;
      done = write(stored(number), needs_none, at);
    } else if (needs_none) {
      finish(op(what), reach(bytes_of(op(what)), Kind::load, at));
    } else {
      done = fetch(op(what), at);
    }
    if (!needs_none) *buffer = done;
  }
}

Time Pipeline::reach(const Bytes& what, Kind kind, Time at) {
  Time done = at;
  each_program_line(placement_->base(what.object), what.address, what.bytes,
                    [&](auto line) { done = std::max(done, machine_->access(cpu_, line, kind, at)); });
  return done;
}

bool Pipeline::near(const Bytes& what) const {
  bool all = true;
  each_program_line(placement_->base(what.object), what.address, what.bytes,
                    [&](auto line) { all = all && machine_->near(cpu_, line); });
  return all;
}

}  // namespace tierscope::simulate
