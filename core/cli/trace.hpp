/// `tierscope-core trace sim:WORD...`: a program's accesses, from standard input, through simulated machines.
#pragma once
#include <functional>
#include <istream>
#include <string>
#include <vector>

namespace tierscope {

/// One JSON line for each machine, in the order of the words. Which load an address came out of, a trace does not tell:
/// `seconds_overlapped` is the time if none waits for another, `seconds_waiting` if each waits for the one before.
/// With `--count` among the words, times are left out, which is faster, and of the memories only reads
/// and writes are counted. Instructions take a cycle each; accesses that straddle lines count for each line. One
/// thread.
/// @throws BadPlan for a word or a line that is wrong, Unsupported
void trace(const std::vector<std::string>& words, std::istream& from,
           const std::function<void(const std::string&)>& emit);

}  // namespace tierscope
