/// A simulated machine as the topology of one.
#pragma once
#include "simulate/machine.hpp"
#include "team/topology.hpp"

namespace tierscope::topology {

/// Its memories are nodes, in the order of their names; all CPUs are of one package, on the node of the default one.
Machine of_simulated(const simulate::Machine& simulated);

}  // namespace tierscope::topology
