#include "bench/keyed.hpp"

#include <algorithm>
#include <array>
#include <cerrno>

#include "base/capacity.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/tasks/key.hpp"
#include "recorded/recorder.hpp"

namespace tierscope {
namespace {

using operations::Action;
using operations::Step;

constexpr std::size_t TRIES = 1000, SERIES = 31;  // of the loop that finds what the clock costs

operations::Sequence sequence_of(const GroupPlan& plan, std::uint64_t begin, std::uint64_t end) {
  return {operations::parse_mix(plan.of<Keys>().operation), operations::parse_draw("keys", plan.of<Keys>().drawn),
          begin, end, plan.seed};
}

/// @throws Unsupported if less is free.
void require_free(const GroupPlan& plan, std::size_t bytes, const capacity::Free& place) {
  try {
    capacity::require(bytes, place);
  } catch (const Unsupported& error) {
    throw Unsupported("structure " + plan.kernel + " of " + std::to_string(plan.of<Keys>().count) +
                      " keys: " + error.what() + "; give a smaller count=");
  }
}

/// Operations of one round of a member. @throws BadPlan if there are too few keys to take each once; Unsupported
std::size_t steps_of(const GroupPlan& plan, const operations::Sequence& sequence) {
  const auto keys = sequence.end() - sequence.begin();
  const auto steps = plan.per_block == 0 ? keys : plan.per_block;
  const bool once = sequence.mix().alone() && operations::parse_draw("keys", plan.of<Keys>().drawn) == 0;
  if (once && steps > keys)
    throw BadPlan("per_block=" + std::to_string(steps) + " of operation=" + plan.of<Keys>().operation +
                  " takes each key once, and " + "each thread has " + std::to_string(keys) +
                  "; give a larger count=, or keys=zipf");
  if (steps > structures::MOST_KEYS)
    throw BadPlan("per_block=" + std::to_string(steps) + " is above " + std::to_string(structures::MOST_KEYS));
  require_free(plan, steps * sizeof(Step), {~std::size_t{0}, {}});
  return steps;
}

/// Random words, after the word that becomes the key of each insert.
std::vector<std::uint64_t> value_of(const StructureOptions& options) {
  std::vector<std::uint64_t> words(std::max<std::size_t>(options.value_bytes / 8, 1));
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_word(~options.seed, i);
  return words;
}

/// Ticks of one operation that does nothing: the median of series, so that an interruption has no effect.
std::uint64_t clock_cost(const Clock& clock) {
  auto spare = std::make_unique<Timing>();
  std::array<std::uint64_t, SERIES> costs{};
  for (auto& cost : costs) {
    const auto first = clock.now();
    auto before = first;
    for (std::size_t i = 0; i < TRIES; ++i) {
      const auto after = clock.now();
      spare->add(after - before);
      before = after;
    }
    cost = (before - first) / TRIES;
  }
  std::ranges::nth_element(costs, costs.begin() + SERIES / 2);
  return costs[SERIES / 2];
}

}  // namespace

Keyed::Keyed(const GroupPlan& plan, std::size_t member, std::shared_ptr<KeyedTeam> team, const Emulation& adds)
    : settings_(settings_of(plan, member, adds)),
      team_(std::move(team)),
      first_(member == 0),
      count_(plan.of<Keys>().count),
      all_(sequence_of(plan, 0, plan.of<Keys>().count)),
      sequence_(sequence_of(plan, share(plan, member), share(plan, member + 1))),
      steps_(steps_of(plan, sequence_)),
      value_(value_of(settings_.options)) {
  if (!settings_.counted) timing_.clock_ticks = clock_cost(clock_);
  if (settings_.floor_s > 0)
    delays_.emplace(settings_.floor_s, std::as_bytes(std::span(value_)), settings_.entry->persistent);
  if (!makes()) return;
  if (!settings_.entry->persistent)  // a pool checks its free space itself
    require_free(plan, held_bytes(plan),
                 settings_.counted ? capacity::Free{~std::size_t{0}, {}}
                                   : capacity::of_node(static_cast<unsigned>(settings_.node)));
  if (settings_.counted) return;  // `renew` makes it
  bind_memory();
  const auto begin = clock_.now();
  make();
  if (settings_.kept && structure().count() > 0)
    throw Unsupported("pool " + settings_.options.path + " contains " + std::to_string(structure().count()) +
                      " keys, which are kept; give a pool whose structure is empty");
  fill();
  note_fill(begin);
  sys::bind_thread(-1);
  if (failure_.empty()) return;
  if (settings_.kept) empty();
  throw Unsupported(failure_);
}

/// Leaves the user's own pool empty, as it was found.
Keyed::~Keyed() {
  if (settings_.kept && makes() && (own_ != nullptr || team_->structure != nullptr)) empty();
}

/// Containers forbid policies. With one node there is nothing to choose; the placement of the pages is checked anyway.
void Keyed::bind_memory() const {
  if (settings_.node < 0) return;
  sys::give_back_freed();
  if (sys::bind_thread(settings_.node) == 0 || (settings_.node == 0 && (errno == EPERM || errno == ENOSYS))) return;
  throw SystemError("take memory on node " + std::to_string(settings_.node), errno);
}

void Keyed::make() {
  auto& place = settings_.one ? team_->structure : own_;
  place.reset();  // unmaps first: the old and the new one together might not fit
  place = settings_.entry->open(settings_.options);
}

std::uint64_t Keyed::key(std::uint64_t index) const noexcept { return random_word(settings_.options.seed, index); }

/// Erases each key that may be present.
void Keyed::empty() {
  auto& whole = structure();
  const auto& keys = settings_.one ? all_ : sequence_;
  for (auto index = keys.begin(); index < keys.end(); ++index) {
    whole.erase(key(index));
    if (whole.rehash_due()) whole.rehash();
  }
}

void Keyed::fill() {
  auto& whole = structure();
  const auto& keys = settings_.one ? all_ : sequence_;
  for (auto index = keys.begin(); index < keys.end(); ++index) {
    if (!keys.starts_with(index)) continue;
    if (!put(whole, index)) return;
    if (whole.rehash_due()) whole.rehash();
  }
}

bool Keyed::put(Structure& whole, std::uint64_t index) {
  const auto& keys = settings_.one ? all_ : sequence_;
  value_[0] = key(index);
  if (whole.insert(value_[0], value_.data()) == Outcome::done) return true;
  failure_ = "structure " + std::string(settings_.entry->name) + " has no space for key " +
             std::to_string(index - keys.begin()) + " of " + std::to_string(keys.end() - keys.begin()) +
             "; give a larger pool, or a smaller count=";
  return false;
}

void Keyed::ready() noexcept {
  try {
    if (stale_ && failure_.empty() && makes()) {
      bind_memory();
      const auto begin = clock_.now();
      settings_.kept ? empty() : make();
      fill();
      note_fill(begin);
    }
    if (stale_) filled_ = round_, done_ = 0, wrong_ = 0;
    stale_ = false;
    if (delays_) delays_->settle();
    draw();
  } catch (const std::exception& error) {
    failure_ = error.what();
  }
  team_->rounds.agree(true);
}

/// Fills are not delayed: they would have the time of the plain memory in a row of an emulated tier.
void Keyed::note_fill(std::uint64_t begin) noexcept {
  if (delays_) return;
  timing_.fill_ticks += clock_.now() - begin;
  ++timing_.fills;
}

void Keyed::draw() noexcept { sequence_.draw(round_, steps_); }

void Keyed::run() noexcept {
  if (!failure_.empty() || (settings_.one && team_->structure == nullptr)) return;
  if (delays_) delays_->begin();
  locks() ? go<true>() : go<false>();
  if (delays_) delays_->end();
  end_round();
}

void Keyed::end_round() noexcept {
  ++round_;
  ++timing_.rounds;
  timing_.operations += steps_.size();
  stale_ = !sequence_.mix().lasts();
}

/// Threads that share a structure wait for its lock before each operation. If all operations are gets, no lock is
/// needed.
template <bool Locked>
void Keyed::go() noexcept {
  auto& whole = structure();
  std::uint64_t done = 0;
  auto before = clock_.now();
  for (const auto step : steps_) {
    if constexpr (Locked) {
      team_->lock.lock();
      const auto got = clock_.now();
      timing_.lock_ticks += got - before;
      before = got;
    }
    if (delays_) delays_->restart();
    done += act(whole, step) ? 1 : 0;
    auto after = clock_.now();
    timing_.add(after - before);
    if (delays_) timing_.waits += delays_->take();
    if (step.action() != Action::get && whole.rehash_due()) after = rehash(whole, after);
    if constexpr (Locked) team_->lock.unlock();
    before = after;
    if (!failure_.empty()) break;
  }
  done_ += done;
  timing_.done += done;
}

/// A get reads the first word of the value, which is the key.
bool Keyed::act(Structure& whole, Step step) noexcept {
  const auto its = key(step.index());
  auto outcome = Outcome::absent;
  switch (step.action()) {
    case Action::get: {
      const auto* found = static_cast<const std::uint64_t*>(whole.find(its));
      if (found == nullptr) return false;
      if (settings_.counted || delays_) recorded::note(recorded::What::load, found, sizeof *found);
      wrong_ |= *found ^ its;
      return true;
    }
    case Action::insert:
      value_[0] = its;
      outcome = whole.insert(its, value_.data());
      break;
    case Action::remove:
      outcome = whole.erase(its);
      break;
  }
  if (outcome == Outcome::full)
    failure_ = "structure " + std::string(settings_.entry->name) + " had no space at " + std::to_string(whole.count()) +
               " keys; give a larger pool, or a smaller count=";
  return outcome == Outcome::done;
}

std::uint64_t Keyed::rehash(Structure& whole, std::uint64_t before) noexcept {
  if (delays_) delays_->restart();
  timing_.moved += whole.rehash();
  const auto after = clock_.now();
  if (delays_) static_cast<void>(delays_->take());
  timing_.rehash_ticks += after - before;
  ++timing_.rehashes;
  return after;
}

bool Keyed::goes_on(bool wanted) noexcept {
  if (settings_.node >= 0) sys::bind_thread(-1);
  return team_->rounds.agree(wanted && failure_.empty());
}

std::size_t Keyed::memory_bytes() const {
  return (sequence_.end() - sequence_.begin()) * (sizeof(std::uint64_t) + settings_.options.value_bytes);
}

std::string Keyed::detail() const {
  return std::to_string(count_) + " keys, values of " + std::to_string(settings_.options.value_bytes) + " bytes, " +
         (settings_.one ? "one structure" : "a structure for each thread");
}

Timing Keyed::take_timing() noexcept {
  const Timing taken = timing_;
  timing_ = {};
  timing_.clock_ticks = taken.clock_ticks;
  return taken;
}

}  // namespace tierscope
