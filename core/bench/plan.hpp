/// A plan is plain text, one command per line, the same words a person types:
///     group kernel=triad target=node:0 cpus=0-3 footprint=1GiB
///     prepare
///     measure seconds=0.5 block=1ms
///     set group=0 streams=4 unroll=1
///     check
/// Words are key=value; a '#' before a word starts a comment. Numbers of bytes take KiB, MiB, GiB, KB, MB, GB; times s,
/// ms, us.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "bench/work.hpp"

namespace tierscope {

class Task;

/// One line: its command and its words in the order of their keys.
struct Line {
  std::string command;
  Words words;
};

/// A blank or comment line has no command. @throws BadPlan
Line parse_line(std::string_view text);

/// One group in native form: what every group takes, and the work of its kernel's task. See docs/reference/plan.md for
/// each key. `read_words` keeps kernel, task and work consistent.
struct GroupPlan {
  std::string kernel;
  std::string isa;  // empty: the highest rank that runs here
  std::string target = "node";
  std::string where;
  std::string source;  // target of the operands that are only read; empty: the same as the others
  std::string pages = "thp";
  std::vector<unsigned> cpus;
  bool shared = false;          // CPUs may be named twice, or be in other groups of a batch
  std::uint64_t pace = 0;       // core cycles
  std::uint64_t burst = 1024;   // program bytes
  std::uint64_t seed = 1995;    // the year of STREAM
  std::uint64_t per_block = 0;  // operations; 0: as many as fill a block
  const Task* task = nullptr;   // of its kernel; null if the kernel does not exist
  HeldWork work;                // the keys that this task takes
  Words others;                 // keys of other tasks that are not at their usual values

  /// Its work, as that of the task that asks.
  template <class Its>
  [[nodiscard]] const Its& of() const {
    return dynamic_cast<const Its&>(*work.get());
  }
  template <class Its>
  [[nodiscard]] Its& of() {
    return dynamic_cast<Its&>(*work.get());
  }
};

/// Return whether it names a simulated memory.
bool simulated(const GroupPlan& plan);

/// The plan as words of a line, without those that are at their defaults. Two plans that differ in a key have other
/// words, however they were typed; a key that a later version adds changes no words of plans without it.
std::string words_of(const GroupPlan& plan);
/// Reads `words` into `plan`. After a change of the kernel, the work keeps the keys that the new task takes, too.
/// @throws BadPlan for a key that no group has, and for an invalid value
void read_words(const Words& words, GroupPlan& plan);
/// @throws BadPlan for a kernel that does not exist, and for a key that its task does not take
void require_known(const GroupPlan& plan);

}  // namespace tierscope
