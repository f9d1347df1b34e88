/// The way into a memory controller, which several memories may share. A request passes when its memory has a place for
/// it. Requests that have passed keep their order. Until the one at the gate has passed, the others wait outside, also
/// those for another memory. Chance decides which of them is next (crowd.hpp). Requests for one unit of a buffer are
/// then far apart. When it joins them, a request gets its time from the mean times of those before it: from one that
/// passes to the next, and from there to the end.
#pragma once
#include "simulate/busy.hpp"
#include "simulate/crowd.hpp"

namespace tierscope::simulate {

/// When a request passed, and when it is done.
struct Admitted {
  Time at, done;
};

/// `M`: the memory; `ENTER` passes a request on to it, from a time on.
template <class M, Admitted (M::*ENTER)(std::uint64_t address, Time at)>
class Gate {
 public:
  /// @param most  requests outside among which chance decides; 0: all requests keep their order
  Gate(std::size_t most, std::uint64_t seed) : outside_(most, seed) {}
  [[nodiscard]] bool keeps_order() const noexcept { return outside_.most() == 0; }
  /// Return the end of a request that comes at `at`.
  Time pass(M& memory, std::uint64_t address, Time at) {
    if (keeps_order()) return (memory.*ENTER)(address, at).done;
    while (outside_.any() && free_ <= at) enter_one();
    if (!outside_.any() && free_ <= at) return enter({&memory, address}, at);
    if (outside_.full()) enter_one();
    outside_.add({&memory, address}, at);
    return std::max(free_, at) + static_cast<Time>(outside_.size()) * pace_.get() + stay_.get();
  }

 private:
  struct Request {
    M* memory;
    std::uint64_t address;
  };
  Time enter(const Request& one, Time at) {
    const auto passed = (one.memory->*ENTER)(one.address, at);
    stay_.add(passed.done - passed.at);
    free_ = passed.at;
    return passed.done;
  }
  void enter_one() {
    const auto one = outside_.draw();
    const Time since = std::max(free_, one.at);
    enter(one.request, since);
    pace_.add(free_ - since);
  }
  Crowd<Request> outside_;
  Mean pace_, stay_;  // from one that passes to the next; from there to the end
  Time free_ = 0;     // when the last one passed
};

}  // namespace tierscope::simulate
