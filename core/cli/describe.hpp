/// Facts as JSON: the content of this build, the properties of this machine, what a group really runs.
#pragma once
#include <string>
#include <vector>

#include "bench/bench.hpp"

namespace tierscope::describe {

/// Return the kernels with their traffic, their ISAs and variants, and the targets. Entries that cannot run stay, with
/// the reason.
std::string catalogue();
/// Return CPUs, caches and nodes below `root`, and what the processor reports about itself.
std::string topology(const std::string& root);
/// Return the same for a simulated machine: `word` as behind `sim:`, its memories as nodes. @throws BadPlan,
/// Unsupported
std::string simulated_topology(const std::string& word);
/// Return the unit of the ticks of blocks; those of a simulation are picoseconds.
std::string clock(bool simulated);
std::string hello();
std::string group(const Group& group, const Store& store);
/// Return the times of operations on a structure in one batch, in ticks.
std::string timing(const Timing& timing);
/// Return each performance event that has a name, and why it is not counted here.
std::vector<std::string> events();
/// Return which performance events are counted, as a fact; and their counts in one group.
std::string counting(const Counting& counting);
std::string counted(const Counted& counted);

}  // namespace tierscope::describe
