/// A session reads a plan line by line and answers each command with one JSON line. A program can therefore control it
/// through pipes, and a person can keep the plan in a file. It decides nothing.
#pragma once
#include <functional>
#include <memory>
#include <string>

#include "bench/bench.hpp"
#include "bench/simulation.hpp"

namespace tierscope {

class Session {
 public:
  using Emit = std::function<void(const std::string&)>;
  /// `samples` may be empty: then blocks are counted and dropped.
  Session(const std::string& samples, Emit emit);
  Session(const Session&) = delete;  // `stage_` points into it
  Session& operator=(const Session&) = delete;
  /// @throws Error; the session continues with the next line
  void execute(const std::string& line);
  /// Measure groups that were named but never measured, for a second: a plan of one line is a plan.
  void finish();

 private:
  void add_group(const Line& line);
  void prepare(const Line& line);
  void set(const Line& line);
  void measure(const Line& line);
  void check(const Line& line);
  void drop(const Line& line);
  void timings(const Line& line);
  void count(const Line& line);
  void counts(const Line& line);

  Emit emit_;
  std::unique_ptr<SampleFile> samples_;
  Bench bench_;
  Simulation simulation_;
  Stage* stage_ = &bench_;  // the one whose groups are prepared
  std::vector<GroupPlan> pending_;
  bool refused_ = false;  // a group since the last prepare was: half a plan must not be measured
};

}  // namespace tierscope
