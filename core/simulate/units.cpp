#include "simulate/units.hpp"

#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/registry.hpp"
#include "simulate/buckets.hpp"
#include "simulate/lru.hpp"
#include "simulate/modulus.hpp"

namespace tierscope::simulate {
namespace {

constexpr const char* LRU = "lru";

/// One set that replaces the least recently used unit: lru.hpp takes the same time for any size.
class OneLru final : public Units {
 public:
  explicit OneLru(std::size_t places) : lru_(places) {}
  Held* find(std::uint64_t key) override { return lru_.find(key); }
  [[nodiscard]] const Held* peek(std::uint64_t key) const override { return lru_.peek(key); }
  const Held& victim(std::uint64_t) override { return lru_.oldest(); }
  Held& insert(std::uint64_t key) override { return lru_.insert(key); }
  void announce(std::uint64_t key, unsigned step) const override { lru_.announce(key, step); }
  [[nodiscard]] std::size_t bytes() const override { return lru_.bytes(); }

 private:
  Lru lru_;
};

/// Sets of any policy. A chained hash over all places finds a key; the sets only choose the unit to replace.
class Sets final : public Units {
 public:
  Sets(std::size_t sets, std::size_t ways, bool hashed, std::unique_ptr<Replacement> policy)
      : sets_(sets),
        ways_(ways),
        hashed_(hashed),
        policy_(std::move(policy)),
        places_(sets * ways),
        buckets_(2 * sets * ways),
        taken_(sets, 0),
        one_(sets == 1) {}
  Held* find(std::uint64_t key) override {
    const auto place = where(key);
    if (place == NONE) return nullptr;
    policy_->used(place / ways_, place % ways_);
    return &places_[place];
  }
  [[nodiscard]] const Held* peek(std::uint64_t key) const override {
    const auto place = where(key);
    return place == NONE ? nullptr : &places_[place];
  }
  const Held& victim(std::uint64_t key) override { return places_[room(set_of(key))]; }
  Held& insert(std::uint64_t key) override {
    const auto set = set_of(key);
    const auto p = room(set);
    auto& place = places_[p];
    if (place.key == Held::EMPTY) {
      ++taken_[set];
    } else {
      unchain(p);
    }
    auto& head = buckets_.head(key);
    static_cast<Held&>(place) = {.key = key};
    place.chain = head;
    head = static_cast<std::uint32_t>(p);
    policy_->filled(set, p % ways_);
    if (one_ && taken_[0] == ways_) expect_victims();
    return place;
  }
  void announce(std::uint64_t key, unsigned step) const override {
    if (step == 0) return announce_set(key);
    const auto place = buckets_.head(key);
    if (place != NONE) {
      if (step == 1) __builtin_prefetch(&places_[place], 1);
      return;
    }
    if (one_) return;  // `insert` looks ahead
    const auto set = set_of(key);
    const auto& next = places_[set * ways_ + (taken_[set] < ways_ ? taken_[set] : policy_->guess(set, 0))];
    if (step == 1) return __builtin_prefetch(&next, 1);
    if (next.key != Held::EMPTY) buckets_.announce(next.key);
  }
  [[nodiscard]] std::size_t bytes() const override { return places_.size() * sizeof(Place) + buckets_.bytes(); }

 private:
  static constexpr std::uint32_t NONE = Buckets::NONE;
  static constexpr std::size_t SOON = 4, LATER = 8;  // keys until a place is replaced
  struct Place : Held {
    std::uint32_t chain = NONE;
  };
  [[nodiscard]] std::size_t set_of(std::uint64_t key) const noexcept {
    return sets_.of(hashed_ ? mixed(key) >> 1U : key).rest;  // Modulus takes 63 bits
  }
  /// The first places of a set are filled first.
  std::size_t room(std::size_t set) { return set * ways_ + (taken_[set] < ways_ ? taken_[set] : policy_->pick(set)); }
  void announce_set(std::uint64_t key) const {
    buckets_.announce(key);
    if (one_) return;
    const auto set = set_of(key);
    __builtin_prefetch(&taken_[set]);
    policy_->announce(set);
  }
  /// Prefetch a place that is replaced later, and the bucket of one that is replaced sooner.
  void expect_victims() const {
    buckets_.announce(places_[policy_->guess(0, SOON)].key);
    __builtin_prefetch(&places_[policy_->guess(0, LATER)], 1);
  }
  [[nodiscard]] std::uint32_t where(std::uint64_t key) const noexcept {
    auto place = buckets_.head(key);
    while (place != NONE && places_[place].key != key) place = places_[place].chain;
    return place;
  }
  void unchain(std::size_t place) noexcept {
    auto* link = &buckets_.head(places_[place].key);
    while (*link != place) link = &places_[*link].chain;
    *link = places_[place].chain;
  }

  Modulus sets_;
  std::size_t ways_;
  bool hashed_;
  std::unique_ptr<Replacement> policy_;
  std::vector<Place, Large<Place>> places_;
  Buckets buckets_;
  std::vector<std::size_t> taken_;
  bool one_;  // there is one set
};

std::string policy_of(const Section& section) {
  std::vector<std::string> known;
  for (const auto* entry : Registry<ReplacementEntry>::entries()) known.emplace_back(entry->name);
  return section.choice("policy", known, LRU);
}

}  // namespace

std::unique_ptr<Units> make_units(const Section& section, std::size_t places, std::uint64_t seed) {
  const auto policy = policy_of(section);
  const auto ways = section.has("ways") ? section.count("ways", 1, places) : places;
  const bool hashed = section.choice("index", {"plain", "hash"}, "plain") == "hash";
  if (places % ways != 0)
    section.refuse("ways", std::to_string(places) + " units cannot be divided into sets of " + std::to_string(ways));
  if (policy == LRU && ways == places) return std::make_unique<OneLru>(places);
  const auto& entry = Registry<ReplacementEntry>::find("policy", policy);
  return std::make_unique<Sets>(places / ways, ways, hashed, entry.make(places / ways, ways, seed));
}

}  // namespace tierscope::simulate
