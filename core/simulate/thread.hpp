/// One thread of a simulated machine: when its next access may start, given its accesses in flight.
///
/// A load or a store that waits starts when the load before it is back. Any other load, and a prefetch, starts when one
/// of `loads` line fill buffers is free. A miss of the first level, also of a prefetch, occupies one until its line
/// arrives, though no fence waits for a prefetch. A store or a flush starts when one of `stores` places is free. It
/// leaves in the order of the program (store_buffer.hpp). A store past the caches starts when one of `combining`
/// buffers is free, and takes `bypass` longer than its memory. Stores of a stream may pass the caches by
/// (store_streams.hpp).
///
/// A flush ends no earlier than the lines of all stores before it came, plus its own time. Behind sfence no store,
/// flush or store past the caches ends, and none of the last two reaches the caches, before all stores are accepted.
/// But the line of a store is asked for while the fence waits, and loads pass it. Behind mfence nothing starts before
/// all stores are accepted and all loads are back. A store to a line that a flush has not reached starts after the
/// flush.
///
/// Threads of one experiment differ by chance in when they start and when their accesses end (jitter.hpp).
///
/// Buffers become free in the order in which they were taken, as a reorder buffer retires in order.
/// Blind to: instructions between accesses beyond `issue`, mispredicted branches, ports; loads that hit the first level
/// wait for a free buffer as well.
/// Source: Intel, "64 and IA-32 Architectures Software Developer's Manual", volume 3, 12.2 (memory ordering).
#pragma once
#include <algorithm>
#include <vector>

#include "simulate/machine.hpp"
#include "simulate/store_buffer.hpp"
#include "simulate/store_streams.hpp"

namespace tierscope::simulate {

class Thread {
 public:
  Thread(Machine& machine, unsigned cpu)
      : machine_(&machine),
        cpu_(cpu),
        issue_(machine.limits().issue),
        near_(machine.cache_facts().empty() ? 0 : machine.cache_facts().front().latency),
        far_(machine.cache_facts().empty() ? 0 : machine.cache_facts().back().latency),
        bypass_(machine.limits().bypass),
        loads_(machine.limits().loads),
        combining_(machine.limits().combining),
        stores_(machine.limits().stores, machine.limits().transfer),
        streams_(machine.limits().streaming),
        jitter_(machine.jitter(cpu)) {}

  /// Return when the thread continues: with this access, or before that with a flush that leaves its store buffer.
  [[nodiscard]] Time ready(const Access& access) const noexcept { return std::min(start(access), stores_.due()); }
  /// Continue at `at`, which `ready` returned. Return whether the access has begun; if not, a flush has left, and the
  /// thread continues with the same access.
  bool execute(const Access& access, Time at) {
    if (stores_.due() <= at) return leave(at), false;
    begin(access, at);
    return true;
  }
  /// Begin this access, and return when. Flushes that leave before do that now.
  Time run(const Access& access) {
    Time at = ready(access);
    while (!execute(access, at)) at = ready(access);
    return at;
  }
  /// Do nothing until `at`.
  void wait(Time at) noexcept { now_ = std::max(now_, at); }
  /// Begin at `at`, or shortly after, with other threads.
  void start(Time at) noexcept { wait(at + jitter_.of_start()); }
  void pause(Time time) noexcept { now_ += time; }
  [[nodiscard]] Time now() const noexcept { return now_; }
  /// Return when all loads so far are back.
  [[nodiscard]] Time loaded() const noexcept { return std::max({now_, awaited_, loads_.latest()}); }
  /// Return when all stores so far are accepted and all loads are back. Flushes leave now.
  [[nodiscard]] Time drained() {
    while (stores_.waits()) leave(stores_.due());
    return std::max(loaded(), stored());
  }

 private:
  [[nodiscard]] Time start(const Access& access) const noexcept {
    const Time address = access.waits ? awaited_ : 0;
    switch (access.kind) {
      case Kind::load:
        return std::max({now_, loads_.free(), address});
      case Kind::prefetch:
        return std::max(now_, loads_.free());
      case Kind::store_nt:
        if (stores_.waits() && stores_.flushes(access.address)) return NEVER;
        return std::max({now_, combining_.free(), address, stores_.fenced()});
      case Kind::sfence:
        return now_;
      case Kind::mfence:
        return stores_.waits() ? NEVER : std::max(loaded(), stored());
      case Kind::store:
        if (stores_.waits() && stores_.flushes(access.address)) return NEVER;
        break;
      case Kind::clflush:
      case Kind::clflushopt:
      case Kind::clwb:
        break;
    }
    return std::max({now_, stores_.free(), address});
  }
  void begin(const Access& access, Time at) {
    now_ = at + issue_;
    switch (access.kind) {
      case Kind::load:
        awaited_ = reach(access.address, Kind::load, at);
        return loads_.take(awaited_, awaited_ - at > near_);
      case Kind::prefetch:
        if (const Time done = reach(access.address, Kind::prefetch, at); done - at > near_) loads_.hold(done);
        return;
      case Kind::store_nt:
        return combining_.take(reach(access.address, Kind::store_nt, at) + bypass_, true);
      case Kind::store:
        return store(access, at);
      case Kind::sfence:
        return stores_.fence(combining_.latest());
      case Kind::mfence:
        return;
      default:
        stores_.flush(access.address, access.kind, at);
    }
  }
  void store(const Access& access, Time at) {
    const Time ready = reach(access.address, met(access), at);
    if (ready - at > far_) stores_.miss(at);
    stores_.store(ready);
  }
  /// Let the next flush leave.
  void leave(Time at) {
    const auto flush = stores_.next();
    stores_.left(reach(flush.address, flush.kind, at));
  }
  /// Return the end of an access of the machine.
  Time reach(std::uint64_t address, Kind kind, Time at) {
    const Time done = machine_->access(cpu_, address, kind, at);
    if (done - at <= far_ || !machine_->is_interleaved(address)) return done;
    return std::max(done + jitter_.of_access(), at + far_ + 1);
  }
  /// Return the kind of a store as the caches meet it: one of a stream passes them by, unless its line is there.
  [[nodiscard]] Kind met(const Access& access) noexcept {
    const auto kind = streams_.kind_of(access.address);
    return kind != Kind::store && machine_->near(cpu_, access.address) ? Kind::store : kind;
  }
  [[nodiscard]] Time stored() const noexcept { return std::max(stores_.latest(), combining_.latest()); }
  /// Buffers as the times at which they become free.
  class Ring {
   public:
    explicit Ring(unsigned size) : ends_(size, 0) {}
    [[nodiscard]] Time free() const noexcept { return ends_[next_]; }
    [[nodiscard]] Time latest() const noexcept { return latest_; }
    void take(Time end, bool held) noexcept {
      latest_ = std::max(latest_, end);
      if (held) hold(end);
    }
    /// Occupy a buffer for an access that nothing waits for.
    void hold(Time end) noexcept {
      ends_[next_] = end;
      next_ = next_ + 1 == ends_.size() ? 0 : next_ + 1;
    }

   private:
    std::vector<Time> ends_;
    std::size_t next_ = 0;
    Time latest_ = 0;
  };

  Machine* machine_;
  unsigned cpu_;
  Time issue_, near_, far_, bypass_, now_ = 0, awaited_ = 0;
  Ring loads_, combining_;
  StoreBuffer stores_;
  StoreStreams streams_;
  Jitter jitter_;
};

}  // namespace tierscope::simulate
