/// A stream of the tracer through simulated machines: counts, and one estimate of the time.
#pragma once
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace tierscope {

/// count: without times, which is faster. objects: with the time that waits for each object of the program. warm_once:
/// of machines with the same caches one warms them before a timed part, and the others take over their content. Events
/// of the others are then those of the timed parts alone. progress: with a line {"fact":"timed", ...} at each gap, with
/// the seconds and the instructions of the program so far on the first machine, and its threads.
struct Wanted {
  bool count = false, objects = false, warm_once = false, progress = false;
};

/// Emit one JSON line for each machine, in the order of `machines` (`sim:WORD`). Threads run on CPUs of their own,
/// share caches and memories in the order of their clocks, and end with the last. A machine with `,objects=FILE` at its
/// end has some objects in the memory of another machine: the file names, a line each, that machine and the objects.
/// @throws BadPlan for a wrong argument, or a stream that contradicts itself; Unsupported
void trace_flow(const std::vector<std::string>& machines, const Wanted& wanted, std::istream& from,
                const std::function<void(const std::string&)>& emit);

}  // namespace tierscope
