/// The banks of a medium: unit n is in bank n mod `banks`. Stores that are a multiple of `banks` units apart have one
/// of them in common. A bank limits only what is not whole:
///
///     per_bank   units in its part of the write queue. One more pushes the oldest one out, be it whole or not. As many
///                parts that left wait to be completed
///     complete   a part of a unit whose rest is in no buffer: the rest is read, then the unit is written. A bank does
///                that for one unit at a time. The table of addresses, the medium and the write take their usual times
///
/// Source: bandwidths of stores with gaps fall in proportion to the lines of 4 KiB that they touch, sixteen of 256 B
/// (J. Yang, J. Kim, M. Hoseinzadeh, J. Izraelevitz, S. Swanson, An Empirical Guide to the Behavior and Use of Scalable
/// Persistent Memory, FAST, 2020, the data of its bandwidths). That these are banks, and what they limit, is our guess.
/// Blind to: reads and whole units, which no bank delays; banks that a hash of the address selects.
#pragma once
#include <algorithm>
#include <vector>

#include "simulate/busy.hpp"

namespace tierscope::simulate {

/// `banks` 0: none.
struct BankLimits {
  std::size_t banks = 0, per_bank = 0;
};

class Banks {
 public:
  explicit Banks(BankLimits limits) : limits_(limits), banks_(limits.banks, Bank{0, Places(limits.per_bank)}) {}
  [[nodiscard]] bool none() const noexcept { return banks_.empty(); }
  [[nodiscard]] const BankLimits& limits() const noexcept { return limits_; }
  /// Return when there is a place for a part of the unit that comes at `at`.
  [[nodiscard]] Time wait(std::uint64_t number, Time at) const noexcept {
    return none() ? at : banks_[number % banks_.size()].places.wait(at);
  }
  /// Complete a unit whose part came at `at`, which takes `length`; return when it is written. @pre not none
  Time complete(std::uint64_t number, Time at, Time length) noexcept {
    auto& bank = banks_[number % banks_.size()];
    bank.free = std::max(bank.free, at) + length;
    bank.places.hold(bank.free);
    return bank.free;
  }

 private:
  struct Bank {
    Time free;
    Places places;
  };
  BankLimits limits_;
  std::vector<Bank> banks_;
};

}  // namespace tierscope::simulate
