/// A simulated machine that the stream of the tracer runs through, and what it is asked for.
#pragma once
#include <charconv>
#include <cstdint>
#include <fstream>
#include <set>
#include <string>
#include <string_view>
#include <system_error>

#include "base/error.hpp"
#include "cli/flow_batch.hpp"
#include "cli/flow_knots.hpp"
#include "cli/json.hpp"
#include "simulate/flow.hpp"
#include "simulate/machine.hpp"

namespace tierscope {

/// A request for a machine: its text behind `sim:`, without these parts:
///     objects=FILE   the first line of the file names another machine; each further line names an object in its memory
///     knot=N         the first knot of each part comes after N instructions (flow_knots.hpp)
///     begin=N        the same, and all parts but the first are timed up to that knot; what is behind it only warms the
///                    caches. A part with several threads is timed as a whole
struct FlowAsked {
  std::string word, beside;
  std::set<std::string> moved;
  std::uint64_t knot = Knots::APART;
  bool cuts = false;
};

constexpr std::string_view OBJECTS_OF = ",objects=", KNOT = ",knot=", BEGIN = ",begin=";
constexpr std::uint64_t LEAST_KNOT = 5000;  // instructions: more than any reorder buffer contains

/// Take `key` and its number off the end of a word, and return the number; 0 without it.
inline std::uint64_t number_behind(std::string& word, std::string_view key) {
  const auto at = word.rfind(key);
  if (at == word.npos) return 0;
  const auto text = word.substr(at + key.size());
  std::uint64_t number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || end != text.data() + text.size() || number < LEAST_KNOT)
    throw BadPlan(word.substr(at + 1) + " is not a number of instructions from " + std::to_string(LEAST_KNOT) +
                  " on, at the end of the word of a machine");
  word.resize(at);
  return number;
}

inline FlowAsked asked_of(std::string word) {
  FlowAsked asked;
  const auto begin = number_behind(word, BEGIN), knot = number_behind(word, KNOT);
  asked.cuts = begin != 0;
  if (begin != 0 || knot != 0) asked.knot = begin != 0 ? begin : knot;
  const auto at = word.find(OBJECTS_OF);
  asked.word = word.substr(0, at);
  if (at == word.npos) return asked;
  const auto path = word.substr(at + OBJECTS_OF.size());
  std::ifstream file(path);
  if (!std::getline(file, asked.beside) || asked.beside.empty())
    throw BadPlan("objects=" + path + " cannot be read, or does not name a machine in its first line");
  for (std::string line; std::getline(file, line);) asked.moved.insert(line);
  return asked;
}

/// A machine that the stream runs through.
class FlowRun {
 public:
  explicit FlowRun(const FlowAsked& asked)
      : place_(simulate::parse_place(asked.word)),
        machine_(place_.machine, asked.beside),
        base_(std::uint64_t{machine_.region(place_.memory)} << simulate::MEMORY_BIT) {}
  virtual ~FlowRun() = default;
  /// Take objects into account, which are complete up to each step.
  virtual void follow(const simulate::Objects& objects) = 0;
  virtual void take(const simulate::flow::Step& step) = 0;
  /// Take all steps of a batch.
  virtual void take(const SharedBatch& batch) {
    for (const auto& step : batch->steps()) take(step);
  }
  /// Let an earlier run warm the caches of this one, if both have the same; it gets each step or batch first.
  virtual void lean_on(const FlowRun&) {}
  /// Return the seconds of the program up to the last gap; 0 if it is only counted.
  [[nodiscard]] virtual double seconds() const { return 0; }
  /// Add the results to the fact, after the last step.
  virtual void report(json::Object& fact) = 0;

 protected:
  [[nodiscard]] unsigned cpu_of(std::uint32_t thread) const { return thread % machine_.cpus(); }
  simulate::Place place_;
  simulate::Machine machine_;
  std::uint64_t base_;
};

}  // namespace tierscope
