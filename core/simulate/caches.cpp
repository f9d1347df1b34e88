/// The way of a line through the levels.
///   A miss takes the line into its level, nearest first, and asks the next one. A dirty line that it replaces is first
///   written to the next level. An access waits for data that are on their way.
///   A level that is not inclusive keeps its lines independently; an inclusive one removes its victims from all nearer.
///   Caches of other CPUs: a load takes a dirty line from them, which is clean there afterwards; a store removes all
///   copies. Either costs a look-up in the first level that both share, and the time of the level where it was found.
///   This is MESI without the state exclusive: the first store to a line that nobody else has costs nothing.
///   Source: M. Papamarcos, J. Patel, "A Low-Overhead Coherence Solution for Multiprocessors with Private Cache
///   Memories", ISCA 1984.
///   Others who use the last cache take lines from it (kept.hpp).
///   Blind to: the bandwidth of the caches, and lookups that wait for each other.
#include "simulate/caches.hpp"

#include <algorithm>
#include <numeric>

#include "simulate/flights.hpp"
#include "simulate/kept.hpp"
#include "simulate/touches.hpp"

namespace tierscope::simulate {

class Caches::Levels : private Lineup {
 public:
  Levels(const std::vector<Section>& sections, unsigned cpus, std::uint64_t seed, Memory& below, Lines lines)
      : Lineup(sections, cpus, seed, lines.bytes()), below_(lines, below), flights_(std::size_t{FLIGHTS} * cpus) {
    for (const auto& level : levels_) {
      facts_.push_back(level.facts);
      prefetching_ = prefetching_ || !level.prefetchers.empty();
    }
    if (depth_ == 0 || facts_.back().keep == 0) return;
    const auto& caches = levels_.back().caches;
    kept_ = std::make_unique<Kept>(caches.size(), caches[0].entries(), facts_.back().keep);
  }

  /// Make an access to a line that its nearest cache did not use last. Other hits there that wait for nothing end here,
  /// too.
  Time access(unsigned cpu, Entry line, Kind kind, Time at) {
    if (kind > Kind::store || depth_ == 0) return otherwise(cpu, line, kind, at);
    const bool store = kind == Kind::store;
    return demand_at_once(cpu, cache(cpu, 0).touch(line), line, store, at);
  }
  /// Make a load or a store if the nearest cache has the line; else change nothing and return NEVER.
  Time access_near(unsigned cpu, Entry line, bool store, Time at) {
    Entry* const held = depth_ == 0 ? nullptr : cache(cpu, 0).touch(line);
    return held == nullptr ? NEVER : demand_at_once(cpu, held, line, store, at);
  }
  Front front(unsigned cpu) {
    if (depth_ == 0) return {&none_, nullptr, 0};
    return {cache(cpu, 0).last(), levels_[0].events.uses.data(), levels_[0].facts.latency};
  }
  [[nodiscard]] bool near(unsigned cpu, Entry line) const { return depth_ != 0 && cache(cpu, 0).find(line) != nullptr; }
  /// Load a line of instructions. Cores write none that others run.
  Time code(unsigned cpu, Entry line, Time at) {
    if (depth_ == 0) return below_.read(line, at);
    const unsigned from = depth_ > 1 ? 1 : 0;
    const auto found = take(cpu, from, cache(cpu, from).touch(line), line, Use::load, at);
    const Time done = arrival(found, line, 0, at);
    if (found.level == from) return done;
    owners_.note(cpu, line);
    flights_.put(line, done);
    return done;
  }
  /// Bypass the caches with 64 bytes of a longer line: what the caches have of it is written back and dropped.
  Time pass_by(std::uint64_t address, Entry line, Time at) {
    if (depth_ != 0) flush(line, true, at);
    return below_.write_part(address, at);
  }
  void touch(unsigned cpu, std::span<const Touch> touches) {
    if (!kept_ && Touches::suffice(*this, cpu)) return touches_.run(*this, cpu, touches, below_);
    for (const auto touch : touches) access(cpu, touch & ADDRESS, (touch & STORE) != 0 ? Kind::store : Kind::load, 0);
  }
  [[nodiscard]] const std::vector<CacheFacts>& facts() const noexcept { return facts_; }
  [[nodiscard]] bool like(const Levels& other) const {
    return (kept_ == nullptr) == (other.kept_ == nullptr) &&
           std::ranges::equal(levels_, other.levels_, [](const Level& a, const Level& b) {
             return a.inclusive == b.inclusive && a.facts.shared == b.facts.shared && a.caches[0].like(b.caches[0]) &&
                    std::ranges::equal(a.prefetchers, b.prefetchers,
                                       [](const auto& x, const auto& y) { return x.like(y); });
           });
  }
  void copy(unsigned cpu, const Levels& from) {
    for (unsigned k = 0; k < depth_; ++k) {
      cache(cpu, k).copy(from.cache(cpu, k));
      const auto number = cpu / levels_[k].facts.shared;
      if (!levels_[k].prefetchers.empty()) levels_[k].prefetchers[number] = from.levels_[k].prefetchers[number];
    }
    if (kept_) kept_->copy(last_cache(cpu), *from.kept_);
    owners_.note_all(cpu);
    flights_ = Flights(std::size_t{FLIGHTS} * cpus_);
  }
  void begin_gap(std::uint64_t instructions, std::uint64_t ran) {
    if (depth_ == 0) return;
    const auto& caches = levels_.back().caches;
    const auto sets = caches[0].sets();
    if (!doubts_) doubts_ = std::make_unique<Doubts>(caches.size(), sets, caches[0].entries() / sets, doubts().reads);
    doubts_->gap(instructions, ran);
  }
  [[nodiscard]] Doubts::Counts doubts() const {
    if (doubts_) return doubts_->counts();
    if (depth_ == 0) return {};
    const auto& misses = levels_.back().events.misses;
    return {std::accumulate(misses.begin(), misses.end(), std::uint64_t{0}), 0, 0};
  }
  void run_to(std::uint64_t instructions, std::uint64_t oldest) {
    if (kept_) kept_->run_to(instructions, oldest);
  }
  void count_all(Counters& counters) const {
    for (const auto& level : levels_) count_events(level, counters);
  }
  void reset_counters() {
    for (auto& level : levels_) level.events = {};
  }

 private:
  static constexpr unsigned FLIGHTS = 128;  // lines of one CPU in flight: its own and those of prefetchers

  /// The place where a line was found: depth_ is the memory. `ready`: when its data arrive there, if they are on their
  /// way.
  struct Found {
    unsigned level;
    bool dirty;
    Time ready;
  };

  /// `held`: as of `demand`.
  Time demand_at_once(unsigned cpu, Entry* held, Entry line, bool store, Time at) {
    if (held == nullptr || !at_once(*held, line, store))
      return demand(cpu, held, line, store ? Use::store : Use::load, at);
    ++levels_[0].events.uses[store];
    return at + levels_[0].facts.latency;
  }
  [[gnu::noinline]] Time otherwise(unsigned cpu, Entry line, Kind kind, Time at) {
    switch (kind) {
      case Kind::load:
        return below_.read(line, at);  // there are no caches
      case Kind::store:
        return below_.write(line, at);
      case Kind::prefetch:
        return depth_ == 0 ? at : fetch(cpu, 0, line, at);
      case Kind::store_nt:
        remove(line);
        return below_.write(line, at);
      case Kind::clflush:
      case Kind::clflushopt:
      case Kind::clwb:
        return flush(line, kind != Kind::clwb, at);
      default:
        return at;
    }
  }

  /// `held`: its entry in the nearest cache, if it is there.
  [[gnu::noinline]] Time demand(unsigned cpu, Entry* held, Entry line, Use use, Time at) {
    const auto found = take(cpu, 0, held, line, use, at);
    if (found.level != 0) owners_.note(cpu, line);
    const bool alone = !owners_.others(cpu, line) || (found.level == 0 && (use == Use::load || found.dirty));
    const Time shared = alone ? 0 : use == Use::store ? take_away(cpu, found, line, at) : ask(cpu, found, line, at);
    const Time done = arrival(found, line, shared, at);
    if (found.level != 0) flights_.put(line, done);
    if (prefetching_ && (found.level != 0 || fetched_)) prefetch(cpu, found.level, line, at);
    return done;
  }

  /// Take a line into the level `from` and those behind it, up to where it is found. `held`: its entry in `from`.
  Found take(unsigned cpu, unsigned from, Entry* held, Entry line, Use use, Time at) {
    fetched_ = false;
    if (kept_) kept_->come_to(at);
    const auto u = static_cast<std::size_t>(use);
    for (unsigned k = from;; ++k) {
      auto& level = levels_[k];
      ++level.events.uses[u];
      if (held != nullptr) {
        if (k + 1 == depth_ && in_last(cpu, held)) return lose(held, line, u);
        return here(k, held, line, use, at);
      }
      if (k + 1 < depth_) cache(cpu, k + 1).announce(line);
      ++level.events.misses[u];
      const auto filled = cache(cpu, k).fill(line);
      *filled.entry |= k != from           ? COMING
                       : use == Use::load  ? COMING
                       : use == Use::store ? COMING | DIRTY
                                           : COMING | FETCHED;
      if (filled.victim != 0 && ((filled.victim & DIRTY) != 0 || level.inclusive)) leave(cpu, k, filled.victim);
      if (kept_ && filled.victim != 0 && k + 2 == depth_) stay(cpu, filled.victim & ADDRESS);
      if (k + 1 == depth_) {
        if (kept_) kept_->fill(last_cache(cpu), cache(cpu, k).index(filled.entry));
        if (doubts_) doubts_->fill(last_cache(cpu), cache(cpu, k).index(filled.entry), true);
        return {depth_, false, 0};
      }
      held = cache(cpu, k + 1).touch(line);
    }
  }
  /// Use an entry of the last cache; return whether others have taken its line.
  bool in_last(unsigned cpu, const Entry* held) {
    const auto number = last_cache(cpu);
    const auto entry = cache(cpu, depth_ - 1).index(held);
    const bool lost = kept_ && kept_->use(number, entry);
    if (doubts_) lost ? doubts_->lost(number, entry) : doubts_->hit(number, entry);
    return lost;
  }
  /// Take a line from memory again that the last cache lost. If it was dirty, it is written.
  Found lose(Entry* held, Entry line, std::size_t use) {
    auto& level = levels_[depth_ - 1];
    ++level.events.misses[use];
    if ((*held & DIRTY) != 0) {  // nearer caches keep the line, also if this one is inclusive
      ++level.events.writebacks;
      leaving_.push_back(line);
    }
    *held = (*held & ~(DIRTY | FETCHED)) | COMING;
    return {depth_, false, 0};
  }
  /// Note that the cache before the last one used a line until now.
  void stay(unsigned cpu, Entry line) {
    const auto& last = cache(cpu, depth_ - 1);
    if (const auto* held = last.find(line)) kept_->use(last_cache(cpu), last.index(held));
  }
  /// Note that a line was found at `level`.
  Found here(unsigned level, Entry* entry, Entry line, Use use, Time at) {
    const bool dirty = (*entry & DIRTY) != 0;
    if (use == Use::store && level == 0) *entry |= DIRTY;
    return {level, dirty, (*entry & (COMING | FETCHED)) != 0 ? settle(level, entry, line, use, at) : 0};
  }
  /// Complete a hit: return when the line arrives, and note whether this is the first use of a prefetch.
  Time settle(unsigned level, Entry* entry, Entry line, Use use, Time at) {
    if ((*entry & FETCHED) != 0 && use != Use::prefetch) {
      *entry &= ~FETCHED;
      ++levels_[level].events.prefetch_uses;
      fetched_ = true;
    }
    if ((*entry & COMING) == 0) return 0;
    const Time ready = flights_.ready(line);
    if (ready <= at + latency(level)) *entry &= ~COMING;
    return ready;
  }
  /// Return when the data arrive; then send the replaced lines to memory. `shared`: when they come from another CPU, or
  /// 0.
  Time arrival(const Found& found, Entry line, Time shared, Time at) {
    const Time looked = at + latency(found.level);
    Time done = std::max(looked, found.ready);
    if (shared != 0) {
      done = std::max(done, shared);
    } else if (found.level == depth_) {
      done = below_.read(line, looked);
    }
    for (const auto gone : leaving_) below_.write(gone, at + latency(depth_));
    leaving_.clear();
    return done;
  }

  void leave(unsigned cpu, unsigned level, Entry victim) {
    const Entry line = victim & ADDRESS;
    auto& here = levels_[level];
    if (here.inclusive && level != 0) {
      const unsigned first = cpu / here.facts.shared * here.facts.shared;
      each(line, first, first + here.facts.shared, level, [&](Cache& nearer, unsigned k, unsigned) {
        const Entry was = nearer.drop(line);
        levels_[k].events.invalidations += was != 0;
        victim |= was & DIRTY;
      });
    }
    if ((victim & DIRTY) == 0) return;
    ++here.events.writebacks;
    write_back(cpu, level + 1, line);
  }
  void write_back(unsigned cpu, unsigned level, Entry line) {
    if (level == depth_) {
      leaving_.push_back(line);
      return;
    }
    if (Entry* const held = cache(cpu, level).find(line); held != nullptr) {
      *held |= DIRTY;
      return;
    }
    const auto filled = cache(cpu, level).fill(line);
    *filled.entry |= DIRTY;
    if (level + 1 == depth_) {
      const auto entry = cache(cpu, level).index(filled.entry);
      if (doubts_) doubts_->fill(last_cache(cpu), entry, false);
      if (kept_) kept_->fill(last_cache(cpu), entry);
    }
    if (filled.victim == 0) return;
    leave(cpu, level, filled.victim);
    if (kept_ && level + 2 == depth_) stay(cpu, filled.victim & ADDRESS);
  }

  /// Look for the line of a load in other CPUs that wrote it. Return when it arrives, or 0.
  Time ask(unsigned cpu, const Found& found, Entry line, Time at) {
    const unsigned group = found.level == depth_ ? cpus_ : levels_[found.level].facts.shared;
    const unsigned first = cpu / group * group;
    unsigned holder = cpus_, nearest = depth_;
    each(line, first, first + group, found.level, [&](Cache& other, unsigned k, unsigned c) {
      if (&other == &cache(cpu, k)) return;
      Entry* const held = other.find(line);
      if (held == nullptr || (*held & DIRTY) == 0) return;
      *held &= ~DIRTY;
      if (k < nearest) {
        nearest = k;
        holder = c;
      }
    });
    if (holder == cpus_) return 0;
    ++levels_[nearest].events.transfers;
    const unsigned both = meeting(cpu, holder);
    write_back(cpu, both, line);
    return at + latency(both) + latency(nearest);
  }
  /// Remove the line of a store from all other CPUs. Return when this is done, or 0 if nobody had it.
  Time take_away(unsigned cpu, const Found& found, Entry line, Time at) {
    unsigned both = 0, nearest = depth_;
    bool any = false;
    each(line, 0, cpus_, depth_, [&](Cache& other, unsigned k, unsigned c) {
      if (&other == &cache(cpu, k)) return;
      const Entry was = other.drop(line);
      if (was == 0) return;
      any = true;
      ++levels_[k].events.invalidations;
      both = std::max(both, meeting(cpu, c));
      if ((was & DIRTY) != 0) nearest = std::min(nearest, k);
    });
    if (!any) return 0;
    if (nearest != depth_ && found.level != 0) {
      ++levels_[nearest].events.transfers;
      return at + latency(both) + latency(nearest);
    }
    const Time told = at + latency(both);
    return found.level == depth_ ? std::max(told, below_.read(line, at + latency(depth_))) : told;
  }

  /// Bring a line into a level and those behind it. Return when it arrives, though nothing waits for it.
  Time fetch(unsigned cpu, unsigned level, Entry line, Time at) {
    if (cache(cpu, level).find(line) != nullptr) return at;
    if (owners_.others(cpu, line) && written_elsewhere(cpu, line)) return at;
    owners_.note(cpu, line);
    const auto found = take(cpu, level, nullptr, line, Use::prefetch, at);
    const Time done = arrival(found, line, 0, at);
    flights_.put(line, done);
    return done;
  }
  bool written_elsewhere(unsigned cpu, Entry line) {
    bool any = false;
    each(line, 0, cpus_, depth_, [&](Cache& other, unsigned k, unsigned) {
      if (&other == &cache(cpu, k)) return;
      const Entry* const held = other.find(line);
      any = any || (held != nullptr && (*held & DIRTY) != 0);
    });
    return any;
  }
  /// Run the prefetchers after a demand that was found at `level`: those of the levels that it missed, and of the level
  /// that had it through a prefetch.
  void prefetch(unsigned cpu, unsigned level, Entry line, Time at) {
    const unsigned end = std::min(fetched_ ? level + 1 : level, depth_);
    for (unsigned k = 0; k < end; ++k) {
      auto& prefetchers = levels_[k].prefetchers;
      if (prefetchers.empty()) continue;
      prefetchers[cpu / levels_[k].facts.shared].observe(line, k < level, [&](Entry next) { fetch(cpu, k, next, at); });
    }
  }

  void remove(Entry line) {
    each(line, 0, cpus_, depth_, [&](Cache& any, unsigned, unsigned) { any.drop(line); });
  }
  /// Write the line to memory if it is dirty anywhere. Return when the memory has accepted it.
  Time flush(Entry line, bool drop, Time at) {
    unsigned nearest = depth_;
    each(line, 0, cpus_, depth_, [&](Cache& any, unsigned k, unsigned) {
      Entry* const held = any.find(line);
      if (held == nullptr) return;
      if ((*held & DIRTY) != 0) nearest = std::min(nearest, k);
      *held &= ~DIRTY;
      if (drop) any.drop(line);
    });
    if (depth_ == 0) return at;
    if (nearest == depth_) return at + latency(depth_);
    ++levels_[nearest].events.flushes;
    return below_.write(line, at + latency(depth_));
  }

  /// Return the number of the last cache of a CPU.
  [[nodiscard]] std::size_t last_cache(unsigned cpu) const noexcept { return cpu / levels_.back().facts.shared; }

  Entry empty_ = 0;
  Entry* none_ = &empty_;  // the last entry where there is no cache
  LineMemory below_;
  Flights flights_;
  Touches touches_;
  std::vector<CacheFacts> facts_;
  std::unique_ptr<Doubts> doubts_;  // null: there was no gap
  std::unique_ptr<Kept> kept_;      // null: others use no cache
  std::vector<Entry> leaving_;      // lines that go to memory after the request of the read before them
  bool prefetching_ = false;
  bool fetched_ = false;  // the last `take` was the first use of a prefetched line
};

Caches::Caches(const std::vector<Section>& levels, unsigned cpus, std::uint64_t seed, Memory& below, std::uint64_t line)
    : lines_(line), levels_(std::make_unique<Levels>(levels, cpus, seed, below, lines_)) {
  for (unsigned c = 0; c < cpus; ++c) fronts_.push_back(levels_->front(c));
}
Caches::~Caches() = default;
const std::vector<CacheFacts>& Caches::facts() const noexcept { return levels_->facts(); }
Time Caches::otherwise(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
  const Entry line = lines_.number64(address) & ADDRESS;
  if (lines_.wide() && kind == Kind::store_nt) return levels_->pass_by(address, line, at);
  return levels_->access(cpu, line, kind, at);
}
Time Caches::code(unsigned cpu, std::uint64_t address, Time at) {
  return levels_->code(cpu, lines_.number64(address) & ADDRESS, at);
}
void Caches::touch(unsigned cpu, std::span<const Touch> touches) {
  if (!lines_.wide()) return levels_->touch(cpu, touches);
  wide_.clear();
  for (const auto touch : touches) wide_.push_back((lines_.number64(touch) & ADDRESS) | (touch & ~ADDRESS));
  levels_->touch(cpu, wide_);
}
bool Caches::otherwise_near(unsigned cpu, Entry line) const { return levels_->near(cpu, line); }
Time Caches::otherwise_near(unsigned cpu, Entry line, Kind kind, Time at) {
  return levels_->access_near(cpu, line, kind == Kind::store, at);
}
bool Caches::like(const Caches& other) const {
  return lines_.bytes() == other.lines_.bytes() && levels_->like(*other.levels_);
}
void Caches::copy(unsigned cpu, const Caches& from) { levels_->copy(cpu, *from.levels_); }
void Caches::begin_gap(std::uint64_t instructions, std::uint64_t ran) { levels_->begin_gap(instructions, ran); }
Doubts::Counts Caches::doubts() const { return levels_->doubts(); }
void Caches::run_to(std::uint64_t instructions, std::uint64_t oldest) { levels_->run_to(instructions, oldest); }
void Caches::count(Counters& counters) const { levels_->count_all(counters); }
void Caches::reset_counters() { levels_->reset_counters(); }

}  // namespace tierscope::simulate
