/// `tierscope-core trace sim:WORD...`: a program's accesses, from standard input, through simulated machines.
#pragma once
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace tierscope {

/// Emit one JSON line for each machine, in the order of the arguments. A trace does not show which load an address came
/// from: `seconds_overlapped` is the time if none waits for another, `seconds_waiting` if each waits for the one
/// before. The argument `--objects` adds the objects of the program (trace_flow.hpp). The argument `--count` leaves
/// times out, which is faster, and counts only reads and writes of the memories. Instructions take a cycle each;
/// accesses that straddle lines count for each line. One thread.
/// @throws BadPlan for a wrong argument or line, Unsupported
void trace(const std::vector<std::string>& words, std::istream& from,
           const std::function<void(const std::string&)>& emit);

}  // namespace tierscope
