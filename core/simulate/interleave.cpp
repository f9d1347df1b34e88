#include "simulate/interleave.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "base/random.hpp"
#include "base/registry.hpp"

namespace tierscope::simulate {
namespace {

/// Block i of `grain` bytes is in memory i mod n, as its block i div n. Hashed, it is in memory (i + hash(i div n)) mod
/// n: n blocks in a row are still in n memories, in an order that differs for each row.
class Interleaved final : public Memory {
 public:
  Interleaved(std::vector<std::unique_ptr<Memory>> parts, std::uint64_t grain, bool hashed)
      : parts_(std::move(parts)), shift_(static_cast<unsigned>(std::countr_zero(grain))), hashed_(hashed) {}
  Time read(std::uint64_t address, Time at) override {
    const auto block = address >> shift_;
    return part(block).read(inside(address, block), at);
  }
  Time write(std::uint64_t address, Time at) override {
    const auto block = address >> shift_;
    return part(block).write(inside(address, block), at);
  }
  void count(const std::string& prefix, Counters& counters) const override {
    for (const auto& part : parts_) part->count(prefix, counters);
  }
  void reset_counters() override {
    for (const auto& part : parts_) part->reset_counters();
  }
  [[nodiscard]] std::uint64_t reach() const override { return parts_.size() * parts_[0]->reach(); }
  [[nodiscard]] bool announced() const override { return parts_[0]->announced(); }
  void announce(std::uint64_t address, unsigned step) const override {
    const auto block = address >> shift_;
    part(block).announce(inside(address, block), step);
  }

 private:
  [[nodiscard]] Memory& part(std::uint64_t block) const {
    const auto turned = hashed_ ? mixed(block / parts_.size()) % parts_.size() : 0;
    return *parts_[(block + turned) % parts_.size()];
  }
  [[nodiscard]] std::uint64_t inside(std::uint64_t address, std::uint64_t block) const {
    return (block / parts_.size() << shift_) | (address & ((std::uint64_t{1} << shift_) - 1));
  }
  std::vector<std::unique_ptr<Memory>> parts_;
  unsigned shift_;
  bool hashed_;
};

const MemoryEntry& kind_of(const Section& section) {
  std::vector<std::string> known;
  for (const auto* entry : Registry<MemoryEntry>::entries()) known.emplace_back(entry->name);
  return Registry<MemoryEntry>::find("kind of memory", section.choice("kind", known));
}

}  // namespace

std::unique_ptr<Memory> make_memory_of(const Section& section, std::uint64_t seed) {
  const auto& kind = kind_of(section);
  const auto ways = section.count("ways", 1, 64, "1");
  const auto grain = section.bytes("grain", ways == 1 ? "4KiB" : nullptr);
  if (grain < LINE || !std::has_single_bit(grain))
    section.refuse("grain", std::to_string(grain) + " is not a power of two of 64 B or more");
  const bool hashed = section.choice("order", {"plain", "hash"}, "plain") == "hash";
  std::vector<std::unique_ptr<Memory>> parts;
  for (std::uint64_t way = 0; way < ways; ++way) parts.push_back(kind.make(section, mixed(seed + way)));
  const auto together = section.count("per_controller", 1, 64, "1");
  const auto controllers = (ways + together - 1) / together;
  for (std::uint64_t way = controllers; way < ways; ++way) parts[way]->share_controller(*parts[way % controllers]);
  if (ways == 1) return std::move(parts[0]);
  return std::make_unique<Interleaved>(std::move(parts), grain, hashed);
}

}  // namespace tierscope::simulate
