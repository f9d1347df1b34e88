/// Operations on a structure one at a time, for callers that do not measure time by the clock.
#include "bench/keyed.hpp"

namespace tierscope {

bool Keyed::renew() {
  next_ = 0;
  auto& place = settings_.one ? team_->structure : own_;
  if (place != nullptr && !stale_) return false;
  if (makes()) make();
  filled_ = round_, done_ = 0, wrong_ = 0, stale_ = false;
  return makes();
}

bool Keyed::fill_next() {
  const auto& keys = settings_.one ? all_ : sequence_;
  while (keys.begin() + next_ < keys.end() && !keys.starts_with(keys.begin() + next_)) ++next_;
  if (!failure_.empty() || keys.begin() + next_ >= keys.end()) return next_ = 0, false;
  return put(structure(), keys.begin() + next_++);
}

bool Keyed::step_next() noexcept {
  if (!failure_.empty() || next_ >= steps_.size()) return next_ = 0, false;
  const bool did = act(structure(), steps_[next_++]);
  done_ += did ? 1 : 0;
  timing_.done += did ? 1 : 0;
  return true;
}

}  // namespace tierscope
