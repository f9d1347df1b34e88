/// A stream of the tracer through simulated machines: counts, and one estimate of the time.
#pragma once
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace tierscope {

/// Emit one JSON line for each machine, in the order of `machines` (`sim:WORD`). `count`: without times, which is
/// faster. Threads run on CPUs of their own, share caches and memories in the order of their clocks, and end with the
/// last.
/// @throws BadPlan for a wrong argument, or a stream that contradicts itself; Unsupported
void trace_flow(const std::vector<std::string>& machines, bool count, std::istream& from,
                const std::function<void(const std::string&)>& emit);

}  // namespace tierscope
