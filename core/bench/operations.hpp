/// The operations of one round on the keys of a structure: which operations, in what shares, on which keys.
/// A sequence is drawn from the seed and the number of its round, so it can be drawn again when the answer is checked.
/// If a mix has only uniform gets, inserts or removes, each key is taken once, in random order, before any comes again,
/// as pmembench does; mixed operations draw with repetition. Keys that Zipf's law makes hot are spread at random over
/// the keys that were filled in.
#pragma once
#include <cstdint>
#include <span>
#include <string>

namespace tierscope::operations {

enum class Action : std::uint8_t { get, insert, remove };

/// Weights; their sum is above 0.
struct Mix {
  unsigned get = 0, insert = 0, remove = 0;
  [[nodiscard]] unsigned sum() const noexcept { return get + insert + remove; }
  [[nodiscard]] bool changes() const noexcept { return insert + remove > 0; }
  /// Return whether there are only inserts, or only removes: then keys are taken once each, if they are uniform.
  [[nodiscard]] bool alone() const noexcept { return get == 0 && (insert == 0) != (remove == 0); }
  /// Return whether a round leaves about as many keys as it found, so that rounds can follow one another.
  [[nodiscard]] bool lasts() const noexcept { return (insert == 0) == (remove == 0); }
};

/// "get", "get:8+insert:1+remove:1". @throws BadPlan
Mix parse_mix(const std::string& word);
/// "uniform" -> 0, "zipf" -> 0.99, "zipf:1.2" -> 1.2. @throws BadPlan naming the key
double parse_draw(const std::string& key, const std::string& word);

/// One operation: an index of a key, and what is done.
struct Step {
  std::uint64_t word;
  static Step of(std::uint64_t index, Action action) noexcept { return {index << 2U | static_cast<unsigned>(action)}; }
  [[nodiscard]] std::uint64_t index() const noexcept { return word >> 2U; }
  [[nodiscard]] Action action() const noexcept { return static_cast<Action>(word & 3U); }
};

/// The sequences of one thread, on the keys with the indices begin .. end - 1, which are its own.
class Sequence {
 public:
  Sequence(const Mix& mix, double exponent, std::uint64_t begin, std::uint64_t end, std::uint64_t seed) noexcept
      : mix_(mix), exponent_(exponent), begin_(begin), end_(end), seed_(seed) {}
  /// Return whether a key is there before the first round, and after each fill. Mixed operations start at the number of
  /// keys where as many inserts find their key absent as removes find theirs present; inserts with gets start with
  /// half.
  [[nodiscard]] bool starts_with(std::uint64_t index) const noexcept;
  void draw(std::uint64_t round, std::span<Step> steps) const noexcept;
  [[nodiscard]] std::uint64_t begin() const noexcept { return begin_; }
  [[nodiscard]] std::uint64_t end() const noexcept { return end_; }
  [[nodiscard]] const Mix& mix() const noexcept { return mix_; }

 private:
  Mix mix_;
  double exponent_;  // 0: uniform
  std::uint64_t begin_, end_, seed_;
};

}  // namespace tierscope::operations
