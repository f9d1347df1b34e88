/// Checks the content of a structure after the rounds against the expected one, and looks up where it is.
#include <algorithm>

#include "base/random.hpp"
#include "base/syscall.hpp"
#include "bench/compare.hpp"
#include "bench/keyed.hpp"

namespace tierscope {

using operations::Action;
using operations::Step;

std::vector<bool> Keyed::replayed(std::uint64_t& done) const {
  const auto begin = sequence_.begin();
  std::vector<bool> there(sequence_.end() - begin);
  for (std::uint64_t i = 0; i < there.size(); ++i) there[i] = sequence_.starts_with(begin + i);
  std::vector<Step> steps(steps_.size());
  for (auto round = filled_; round < round_; ++round) {
    if (!sequence_.mix().changes()) {
      done += steps.size();  // all keys are there
      continue;
    }
    sequence_.draw(round, steps);
    for (const auto step : steps) {
      const auto at = step.index() - begin;
      const bool found = there[at];
      done += found == (step.action() != Action::insert) ? 1 : 0;
      if (step.action() != Action::get) there[at] = step.action() == Action::insert;
    }
  }
  return there;
}

/// Return whether it contains every key that must be present, with its value, and no other.
bool Keyed::holds(const std::vector<bool>& there) const {
  const auto& whole = structure();
  for (std::uint64_t i = 0; i < there.size(); ++i) {
    const auto its = key(sequence_.begin() + i);
    const auto* found = static_cast<const std::uint64_t*>(whole.find(its));
    if ((found != nullptr) != there[i]) return false;
    if (found == nullptr) continue;
    if (found[0] != its) return false;
    for (std::size_t word = 1; word < value_.size(); ++word)
      if (found[word] != random_word(~settings_.options.seed, word)) return false;
  }
  return true;
}

double Keyed::check() const {
  if (!failure_.empty() || (settings_.one && team_->structure == nullptr)) return WRONG;
  std::uint64_t done = 0;
  const auto there = replayed(done);
  if (wrong_ != 0 || done != done_ || !holds(there)) return WRONG;
  const auto& whole = structure();
  if (!makes()) return 0;
  auto keys = static_cast<std::uint64_t>(std::ranges::count(there, true));
  for (auto index = sequence_.end(); settings_.one && index < count_; ++index) keys += whole.find(key(index)) ? 1 : 0;
  return whole.count() == keys && whole.check().empty() ? 0 : WRONG;
}

namespace {
constexpr std::size_t PROBED = 1000;  // values whose pages are looked up
}

Placement Keyed::placement() const {
  Placement placement;
  if (settings_.entry->persistent && settings_.node < 0) {
    placement.how = settings_.kept ? "a pool that is there" : "a pool without a name, made for each fill";
    return placement;
  }
  const auto& whole = structure();
  const auto keys = sequence_.end() - sequence_.begin();
  std::vector<void*> pages;
  for (std::uint64_t i = 0; i < keys; i += (keys + PROBED - 1) / PROBED)
    if (const void* at = whole.find(key(sequence_.begin() + i)); at != nullptr)
      pages.push_back(const_cast<void*>(at));  // move_pages takes what it only looks up as writable
  std::vector<int> status(pages.size(), -1);
  const bool told = !pages.empty() && sys::page_nodes(pages, status) == 0;
  placement.how =
      told ? "move_pages: values of " + std::to_string(pages.size()) + " of " + std::to_string(keys) + " keys"
           : "not verified: move_pages is forbidden here, or no key is there yet";
  for (const int node : status)
    if (told && node >= 0) placement.nodes[static_cast<unsigned>(node)] += memory_bytes() / pages.size();
  return placement;
}

}  // namespace tierscope
