#include "bench/tasks/loop_route.hpp"

#include <algorithm>

#include "base/error.hpp"

namespace tierscope {

using kernels::PAGE;

namespace {

/// Lines from the first of a window to its last, including both.
std::uint64_t span_of(const Loops& its) {
  const auto reach = (its.train - 1) * its.stride + its.ahead + 1;
  if (its.parity.value_or(Parity::any) == Parity::any) return reach;
  return (reach + 2) / 2 * 2;  // even, with a spare line at the start
}

}  // namespace

Route::Route(const Loops& its, std::uint64_t bytes, std::uint64_t seed) : its_(its) {
  const auto refuse = [&](const std::string& why) {
    throw BadPlan("kernel loop on " + std::to_string(bytes) + " bytes of each CPU: " + why);
  };
  if (its.train == 0) {
    const auto chains = std::max<std::uint64_t>(its.chains, 1);
    const auto most = bytes / its.element / (1 + its.beside);
    const auto nodes = most == 0 ? 0 : (most - 1) | 1U;  // odd, so that areas do not meet in the same sets of a cache
    hops_ = nodes / chains;
    distance_ = nodes * its.element;
    lines_ = hops_ * chains * (1 + its.beside);
    if (hops_ < 2) refuse("too small for " + std::to_string(chains) + " chains; ask for a larger footprint");
    for (std::uint64_t c = 0; c < chains; ++c) orders_.emplace_back(hops_, random_word(seed, c));
    return;
  }
  span_ = span_of(its);
  page_lines_ = PAGE / its.element;
  if (span_ > page_lines_)
    refuse("a window of " + std::to_string(span_) + " lines does not fit a page of " + std::to_string(page_lines_));
  per_page_ = page_lines_ / span_;
  pages_ = bytes / PAGE / 2;  // the other half has the lines that are apart
  const auto groups = std::max<std::uint64_t>(its.windows, 1);
  visits_ = pages_ * per_page_ / groups * groups;
  if (visits_ < 2) refuse("too small for windows; ask for a larger footprint");
  hops_ = visits_ * (its.train + 1);
  lines_ = hops_;
  orders_.emplace_back(visits_, seed);
}

std::uint64_t Route::in_window(std::uint64_t hop) const noexcept {
  const auto groups = std::max<std::uint64_t>(its_.windows, 1), hops = groups * (its_.train + 1);
  const auto phase = hop % hops / groups, visit = orders_[0].at(hop / hops * groups + hop % groups);
  const auto last = phase == its_.train;
  auto line = visit % per_page_ * span_ + std::min(phase, its_.train - 1) * its_.stride + (last ? its_.ahead : 0);
  // spans are even there: mirrored, the parity of a line changes
  if (const auto parity = its_.parity.value_or(Parity::any); parity != Parity::any)
    line += (parity == Parity::odd) != (its_.down != 0) ? 1 : 0;
  if (its_.down != 0) line = page_lines_ - 1 - line;
  const auto page = visit / per_page_ + (last && its_.apart != 0 ? pages_ : 0);
  return page * PAGE + line * its_.element;
}

}  // namespace tierscope
