/// The solver: primal network simplex of the LEMON graph library, block search pivots, strongly feasible trees. Its
/// headers stay in one unit, which is empty where the build found none (docs/decisions/0008-min-cost-flow-by-lemon.md).
/// Source: P. Kovacs, "Minimum-cost flow algorithms: an experimental evaluation", Optimization Methods and Software
/// 30, 2015.
#pragma once
#include <memory>

#include "victims/certificate.hpp"

namespace tierscope::flow {

class Simplex {
 public:
  /// "" or why this build has no solver, and what brings it.
  static std::string_view lacking() noexcept;
  /// Returns the bytes that it will use for an instance.
  static std::size_t memory_bytes(std::size_t nodes, std::size_t arcs) noexcept;
  /// The most it takes while it is made.
  static std::size_t peak_bytes(std::size_t nodes, std::size_t arcs) noexcept;

  /// Allocates and touches everything on the calling thread. @throws Unsupported where lacking().
  explicit Simplex(const Timetable& timetable);
  ~Simplex();
  Simplex(const Simplex&) = delete;
  Simplex& operator=(const Simplex&) = delete;
  /// One solve from scratch: whatever an earlier one left is forgotten. @returns its cost, -1 where it found no flow.
  std::int64_t solve();
  /// Return the result of the last solve.
  [[nodiscard]] Solution solution() const;

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace tierscope::flow
