#include "simulate/pipeline.hpp"

#include <algorithm>
#include <bit>

#include "base/random.hpp"
#include "simulate/program.hpp"

namespace tierscope::simulate {
namespace {

constexpr unsigned FORWARD = 4;  // cycles

}  // namespace

Pipeline::Pipeline(Machine& machine, unsigned cpu, Placement& placement)
    : machine_(&machine),
      cpu_(cpu),
      placement_(&placement),
      cycle_(machine.limits().cycle),
      near_latency_(machine.cache_facts().empty() ? 0 : machine.cache_facts().front().latency),
      bypass_(machine.limits().bypass),
      meets_(static_cast<std::uint64_t>(machine.core().wrong_path * 0x1p53)),
      dispatches_(cycle_, machine.core().width),
      retires_(cycle_, machine.core().width),
      core_(machine.core()),
      fetch_(machine, cpu),
      ops_(std::bit_ceil(std::size_t{core_.reorder} * 3 + 256)),
      done_(ops_.size(), UNKNOWN),
      traits_(ops_.size()),
      mask_(ops_.size() - 1),
      links_(ops_.size() * SOURCES, LAST_LINK),
      retirements_(std::bit_ceil(std::size_t{core_.reorder}), 0),
      entries_{Entries(core_.load_buffer), Entries(core_.integer_registers), Entries(core_.vector_registers)},
      fork_{.slots = dispatches_},
      buffers_(machine.limits().loads, false),
      store_buffers_(machine.limits().stores, true),
      buffer_(std::bit_ceil(std::size_t{core_.store_buffer})) {}

void Pipeline::run(const flow::Step& step) {
  decoded_.clear();
  decoder_.decode(step, decoded_);
  run(step, {decoded_.list, decoded_.distances.data()});
}

void Pipeline::run(const flow::Step& step, const OperationsOf& operations) {
  given_ += step.block->size();
  const Path path = path_to(step);
  if (!kept_.empty() || (path == Path::meets && branch_waits())) {
    kept_.add(path, step.block, operations);
    go_on(false);
  } else {
    if (path != Path::right) wait_for_branch();
    run(*step.block, operations);
  }
  const auto& block = *step.block;
  for (auto i = block.size(); i > 0 && branch_ == nullptr; --i)
    if (decides(block[i - 1].kind)) branch_ = &block[i - 1];
}

void Pipeline::run(const flow::Block& block, const OperationsOf& operations) {
  const auto* distances = operations.distances;
  const auto* instruction = block.data();
  bool ordered = false;
  if (fetch_.on()) come_to(block);
  for (const auto& operation : operations.list) {
    if (operation.begins) {
      if (fetch_.on()) await(*instruction++);
      ordered = operation.ordered;
      begin(operation);
    }
    if (operation.does == Does::store) make_place_for_store();
    distances = dispatch(operation, distances);
    if (!operation.ends) continue;
    end(ordered);
    pump_until(dispatched_);
  }
}

void Pipeline::come_to(const flow::Block& block) {
  fetch_.enter(block, before_);
  before_ = &block.back();
}

/// Let an instruction wait until it has come.
void Pipeline::await(const flow::Instruction& one) {
  if (fetch_.has(one)) return;
  const Time needed = std::max(dispatched_, redirect_);
  pump_until(needed);  // loads that start before it
  redirect_ = std::max(redirect_, fetch_.bring(one, placement_->base(REST), needed));
}

void Pipeline::warm(const flow::Step& step) {
  catch_up();
  settle();
  if (path_to(step) != Path::right) wait_for_branch();
  if (fetch_.on()) {
    come_to(*step.block);
    for (const auto& one : *step.block) await(one);
    dispatched_ = std::max(dispatched_, redirect_);
  }
  bring(step);
  expect(step);
}

void Pipeline::use(const flow::Step& step) {
  catch_up();
  settle();
  bring(step);
}

void Pipeline::bring(const flow::Step& step) {
  for (const auto& access : step.accesses) {
    const bool code = step.lines && access.instruction == flow::CODE;
    if (code && !fetch_.on()) continue;
    const Bytes what{access.address, access.bytes, access.object};
    const Time done = code ? fetch_.use(access.address, placement_->base(REST), dispatched_)
                           : reach(what, access.store ? Kind::store : Kind::load, dispatched_);
    dispatched_ = std::max(dispatched_, done);
  }
  redirect_ = dispatched_;
  fetch_.restart(redirect_);
  last_retirement_ = std::max(last_retirement_, dispatched_);
}

Time Pipeline::drain() {
  catch_up();
  settle();
  return std::max({dispatched_, last_retirement_, last_drain_});
}

/// Return how the core comes to the next block, which shows where the branch before it went.
Path Pipeline::path_to(const flow::Step& step) {
  if (branch_ == nullptr) return Path::right;
  const auto& branch = *branch_;
  branch_ = nullptr;
  const bool right = step.guess == flow::Guess::unknown ? predicted(predictor_, branch, step.block->front().address)
                                                        : step.guess == flow::Guess::right;
  ++work_.branches;
  if (right) return Path::right;
  ++work_.wrong_guesses;
  return meets_ > 0 && mixed(branch.address) >> 11U < meets_ ? Path::meets : Path::wrong;
}

/// Begin the right path when the branch is known that was guessed wrongly.
void Pipeline::wait_for_branch() {
  if (branch_op_ != NOBODY) begin_behind(decided(branch_op_));
}

/// Return when a branch is known.
Time Pipeline::decided(Seq branch) {
  while (done(branch) == UNKNOWN && !starts_.empty()) pump();
  return done(branch) == UNKNOWN ? 0 : done(branch);
}

/// Begin the right path behind a wrong guess that was known at `at`.
void Pipeline::begin_behind(Time at) {
  redirect_ = std::max(redirect_, at + cycles(core_.wrong_guess));
  fetch_.restart(redirect_);
}

/// Begin an instruction: find when it is dispatched.
void Pipeline::begin(const Operation& operation) {
  const bool ordered = operation.ordered;
  while (full(operation.takes) && !starts_.empty()) pump();
  if (ordered) settle();
  const Time next = dispatched_ + dispatches_.next();
  Time at = std::max({next, redirect_, given_back(operation.takes)});
  if (ordered) at = std::max({at, last_retirement_, last_drain_});
  dispatched_ = at;
  first_ = next_;
  waits_ = false;
  take(operation.takes);
}

/// Return when the next instruction, which takes these, had a place in the reorder buffer and all of its entries.
Time Pipeline::given_back(unsigned takes) const noexcept {
  const auto oldest = instructions_ - core_.reorder;
  auto last = oldest;
  for (std::size_t e = 0; e < TAKES; ++e) {
    if ((takes >> e & 1U) == 0 || !entries_[e].bounded()) continue;
    const auto taker = entries_[e].taker();
    if (instructions_ - taker < instructions_ - last) last = taker;  // `oldest` may be one that never existed
  }
  return retired_at(last);
}

/// Add an operation, and return the distances of the next one.
const std::uint32_t* Pipeline::dispatch(const Operation& operation, const std::uint32_t* distances) {
  const Seq seq = next_++;
  Time ready = dispatched_;
  bool all = true;
  for (unsigned s = 0; s < operation.sources; ++s) {
    if (distances[s] >= mask_) continue;
    const Time from = done(seq - distances[s]);
    all = all && from != UNKNOWN;
    ready = from != UNKNOWN ? std::max(ready, from) : ready;
  }
  traits_[seq & mask_] =
      static_cast<std::uint8_t>((operation.does == Does::load ? LOADS : 0) |
                                (operation.does == Does::store ? STORES : 0) | (operation.ends ? ENDS : 0));
  if (operation.decides) branch_op_ = seq;
  done(seq) = all && operation.does != Does::load
                  ? ready + cycles(core_.unit ? operation.unit_cycles : operation.cycles)
                  : UNKNOWN;
  if (!all || operation.does != Does::compute) record(operation, distances, seq, ready);
  return distances + operation.sources;
}

/// Keep what a load, a store, or an operation that waits for others needs later.
void Pipeline::record(const Operation& operation, const std::uint32_t* distances, Seq seq, Time ready) {
  auto& waiting = op(seq);
  waiting = Op{.ready = ready,
               .latency = cycles(core_.unit ? operation.unit_cycles : operation.cycles),
               .seq = seq,
               .address = operation.address,
               .bytes = operation.bytes,
               .object = operation.object,
               .does = operation.does,
               .nontemporal = operation.nontemporal};
  for (unsigned s = 0; s < operation.sources; ++s) {
    if (distances[s] >= mask_ || done(seq - distances[s]) != UNKNOWN) continue;
    const auto id = static_cast<std::uint32_t>((seq & mask_) * SOURCES + s);
    if (seq >= fork_.first && seq - distances[s] < fork_.first) awaited_.push_back(seq - distances[s]);
    auto& first = op(seq - distances[s]).waiters;
    links_[id] = first;
    first = id;
    ++waiting.pending;
  }
  if (operation.does == Does::load) {
    waiting.forwarded = operation.forwarded && distances[operation.sources - 1] < mask_;
    work_.forwarded += waiting.forwarded;
    ++work_.loads;
  } else if (operation.does == Does::store) {
    ++stores_;
    ++work_.stores;
  }
  waits_ = waits_ || done(seq) == UNKNOWN;
}

/// Wait until the store buffer has a place.
void Pipeline::make_place_for_store() {
  begun_ = first_;
  while (stores_ - drained_stores_ >= core_.store_buffer && !starts_.empty()) pump();
  begun_ = NOBODY;
  const auto& oldest = stored(stores_ - core_.store_buffer);
  if (oldest.drained <= dispatched_) return;
  placement_->wait(oldest.what.object, oldest.drained - dispatched_);
  dispatched_ = oldest.drained;
}

/// End an instruction: its operations that wait for none begin.
void Pipeline::end(bool ordered) {
  ++instructions_;
  ++work_.instructions;
  for (Seq seq = first_; waits_ && seq < next_; ++seq)
    if (done(seq) == UNKNOWN && op(seq).pending == 0 && !op(seq).begun) started(op(seq));
  if (ordered) settle();
}

bool Pipeline::full(unsigned takes) {
  retire();
  return lacks(takes) || instructions_ - retired_instructions_ >= core_.reorder ||
         next_ - retired_ + 2 * SOURCES > mask_;
}

void Pipeline::started(Op& op) {
  op.begun = true;
  if (op.does == Does::load && !op.forwarded) return starts_.add_load(op.ready, op.seq);
  if (op.forwarded) reach_near(bytes_of(op), Kind::load, op.ready);  // it looks in the cache, too
  finish(op, op.ready + (op.does == Does::load ? cycles(core_.unit ? 1 : FORWARD) : op.latency));
}

void Pipeline::finish(Op& op, Time done) {
  this->done(op.seq) = done;
  for (auto id = op.waiters; id != LAST_LINK; id = links_[id]) {
    auto& waiting = ops_[id / SOURCES];
    waiting.ready = std::max(waiting.ready, done);
    if (--waiting.pending == 0 && waiting.seq < begun_ && !waiting.begun) started(waiting);
  }
}

void Pipeline::retire_all() {
  for (const Seq end = std::min({next_, begun_, fork_.first}); retired_ < end; ++retired_) {
    const Time at = done(retired_);
    if (at == UNKNOWN) return;
    const auto traits = traits_[retired_ & mask_];
    if (at > last_retirement_) {
      if ((traits & LOADS) != 0) {
        const auto& load = op(retired_);
        placement_->wait(load.object, at - std::max(last_retirement_, load.ready));
      }
      last_retirement_ = at;
    }
    if ((traits & STORES) != 0) {
      const auto& one = op(retired_);
      stored(retired_stores_++) = {bytes_of(one), one.nontemporal, NEVER};
      starts_.add_store(last_retirement_);
    }
    if ((traits & ENDS) == 0) continue;
    last_retirement_ += retires_.next();
    retirements_[retired_instructions_++ & (retirements_.size() - 1)] = last_retirement_;
    if (retired_instructions_ == marked_instruction_) marked_ = last_retirement_;
  }
}

/// Run the next start; a later one cannot come before it.
void Pipeline::pump() {
  retire();
  if (starts_.empty()) return;
  const auto [at, number, what] = starts_.take();
  switch (what) {
    case Starts::What::load:
      return load(op(number), at);
    case Starts::What::store:
      return store(number, at);
    case Starts::What::release:
      return release(buffers_, at);
    case Starts::What::release_of_stores:
      return release(store_buffers_, at);
  }
}

void Pipeline::pump_until(Time at) {
  while (starts_.soonest() <= at) pump();
  retire();
}

void Pipeline::settle() {
  for (retire(); retired_ < next_ || drained_stores_ < stores_; retire()) {
    if (starts_.empty()) break;
    pump();
  }
}

void Pipeline::load(Op& op, Time at) {
  if (const Time done = reach_near(bytes_of(op), Kind::load, at); done != NEVER) return finish(op, done);
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
    if (stored.nontemporal) {
      if (there(stored)) return drained(stored, at);
    } else if (const Time done = reach_near(stored.what, Kind::store, at); done != NEVER) {
      return drained(stored, std::max(at + cycle_, done - near_latency_));
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
    if (!there) done = reach(stored.what, Kind::store_nt, at) + bypass_;
    nontemporal_line_ = stored.what.address / LINE;
  } else {
    done = reach(stored.what, Kind::store, at);
    if (there) done = std::max(at + cycle_, done - near_latency_);
  }
  drained(stored, done);
  return done;
}

/// Note that a store has left the store buffer.
void Pipeline::drained(Stored& stored, Time at) noexcept {
  last_drain_ = stored.drained = std::max(last_drain_, at);
  ++drained_stores_;
}

/// Return whether a store takes no fill buffer.
bool Pipeline::there(const Stored& stored) const {
  return stored.nontemporal ? stored.what.address / LINE == nontemporal_line_ : near(stored.what);
}

/// Let a load or a store wait until a fill buffer is free.
void Pipeline::wait(Buffers& buffers, Seq what, Time at) {
  buffers.waiting.push_back(what);
  if (buffers.releasing) return;
  starts_.add_release(std::max(*std::ranges::min_element(buffers.taken), at), buffers.of_stores);
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
      starts_.add_release(*buffer, buffers.of_stores);
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

Time Pipeline::reach_near(const Bytes& what, Kind kind, Time at) {
  if (!in_one_line(what.address, what.bytes)) return near(what) ? reach(what, kind, at) : NEVER;
  return machine_->access_near(cpu_, program_line(placement_->base(what.object), what.address), kind, at);
}

}  // namespace tierscope::simulate
