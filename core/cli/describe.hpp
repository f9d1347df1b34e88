/// Facts as JSON: what this build holds, what this machine is, what a group really runs.
#pragma once
#include <string>
#include <vector>

#include "bench/bench.hpp"

namespace tierscope::describe {

/// Kernels with their traffic, their ISAs and variants, and the targets. What cannot run stays, with the reason.
std::string catalogue();
/// CPUs, caches and nodes below `root`, and what the processor says of itself.
std::string topology(const std::string& root);
/// The same of a simulated machine: `word` as behind `sim:`, its memories as nodes. @throws BadPlan, Unsupported
std::string simulated_topology(const std::string& word);
/// What the ticks of blocks are; those of a simulation are picoseconds.
std::string clock(bool simulated);
std::string hello();
std::string group(const Group& group, const Store& store);
/// What operations on a structure took in one batch, in ticks.
std::string timing(const Timing& timing);
/// Each performance event that has a name, and why it is not counted here.
std::vector<std::string> events();
/// Which performance events are counted, as a fact; and what they counted in one group.
std::string counting(const Counting& counting);
std::string counted(const Counted& counted);

}  // namespace tierscope::describe
