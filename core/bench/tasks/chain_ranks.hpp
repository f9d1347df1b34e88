/// The table from which a chain draws ranks by Zipf's law, in a few cycles where rejection (base/zipf.hpp) takes tens
/// of nanoseconds: 1024 equal parts of all draws, each spread evenly over the ranks that it covers. Blind to: at most
/// one part in 1024 of the draws has a neighbour's rank, where one rank ends and another begins within a part.
#pragma once
#include "kernels/chain_steps.hpp"

namespace tierscope {

/// regions: 1 to 2^32; exponent > 0.
kernels::chain::Ranks ranks_of(std::uint64_t regions, double exponent);

}  // namespace tierscope
