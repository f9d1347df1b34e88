/// One thread of a simulated machine: when its next access may start, given its accesses in flight.
///
/// A load or a store that waits starts when the load before it is back. Any other load, and a prefetch, starts when one
/// of `loads` line fill buffers is free. A miss of the first level, also of a prefetch, occupies one until its line
/// arrives, though no fence waits for a prefetch. A store, clwb or clflushopt starts when one of `stores` buffers is
/// free; clflush also starts after the one before it. A store past the caches starts when one of `combining` buffers is
/// free, and takes `bypass` longer than its memory. Stores of a stream may pass the caches by (store_streams.hpp).
///
/// Stores and flushes leave the store buffer in the order of the program. So a flush ends no earlier than the lines of
/// all stores before it came, plus its own time. Behind sfence no store, flush or store past the caches ends, and none
/// of the last two begins, before all stores are accepted. But the line of a store is asked for while the fence waits,
/// and loads pass it. Behind mfence nothing starts before all stores are accepted and all loads are back.
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
        stores_(machine.limits().stores),
        combining_(machine.limits().combining),
        streams_(machine.limits().streaming),
        jitter_(machine.jitter(cpu)) {}

  /// Return the earliest start of this access.
  [[nodiscard]] Time ready(const Access& access) const noexcept {
    const Time address = access.waits ? awaited_ : 0;
    switch (access.kind) {
      case Kind::load:
        return std::max({now_, loads_.free(), address});
      case Kind::prefetch:
        return std::max(now_, loads_.free());
      case Kind::store_nt:
        return std::max({now_, combining_.free(), address, fenced_});
      case Kind::clflush:
        return std::max({now_, stores_.free(), flushed_});
      case Kind::sfence:
        return now_;
      case Kind::mfence:
        return drained();
      case Kind::store:
      case Kind::clflushopt:
      case Kind::clwb:
        break;
    }
    return std::max({now_, stores_.free(), address});
  }
  /// Start it at `at`, which `ready` returned.
  void execute(const Access& access, Time at) {
    now_ = at + issue_;
    if (access.kind == Kind::sfence) fenced_ = stored();
    if (access.kind == Kind::sfence || access.kind == Kind::mfence) return;
    Time done = machine_->access(cpu_, access.address, met(access), at);
    if (done - at > far_ && machine_->is_interleaved(access.address))
      done = std::max(done + jitter_.of_access(), at + far_ + 1);
    switch (access.kind) {
      case Kind::load:
        awaited_ = done;
        loads_.take(done, done - at > near_);
        break;
      case Kind::prefetch:
        if (done - at > near_) loads_.hold(done);
        break;
      case Kind::store_nt:
        combining_.take(done + bypass_, true);
        break;
      case Kind::store:
        committed_ = std::max({committed_, done, fenced_});
        stores_.take(committed_, true);
        break;
      default:
        done = std::max({at, committed_, fenced_}) + (done - at);
        if (access.kind == Kind::clflush) flushed_ = done;
        stores_.take(done, true);
    }
  }
  /// Do nothing until `at`.
  void wait(Time at) noexcept { now_ = std::max(now_, at); }
  /// Begin at `at`, or shortly after, with other threads.
  void start(Time at) noexcept { wait(at + jitter_.of_start()); }
  void pause(Time time) noexcept { now_ += time; }
  [[nodiscard]] Time now() const noexcept { return now_; }
  /// Return when all loads so far are back.
  [[nodiscard]] Time loaded() const noexcept { return std::max({now_, awaited_, loads_.latest()}); }
  /// Return when all stores so far are accepted and all loads are back.
  [[nodiscard]] Time drained() const noexcept { return std::max(loaded(), stored()); }

 private:
  /// Return the kind of an access as the caches meet it: a store of a stream passes them by, unless its line is there.
  [[nodiscard]] Kind met(const Access& access) noexcept {
    if (access.kind != Kind::store) return access.kind;
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
  Time issue_, near_, far_, bypass_, now_ = 0, awaited_ = 0, flushed_ = 0;
  Time committed_ = 0;  // when the last of the stores so far writes its line
  Time fenced_ = 0;     // when the stores before the last sfence were accepted
  Ring loads_, stores_, combining_;
  StoreStreams streams_;
  Jitter jitter_;
};

}  // namespace tierscope::simulate
