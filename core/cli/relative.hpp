/// One process of a program that is followed (family.hpp): what /proc and the kernel state of it.
#pragma once
#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace tierscope {

/// Words of a command line, as the kernel shows them.
struct CommandWords {
  std::vector<std::string> shown;    // the first ones, cut
  std::vector<std::string> digests;  // of each of the first ones, whole
  std::size_t count = 0;
};

/// CPU seconds of a process without its children.
struct Charged {
  double user_s = 0, system_s = 0;
};

struct Relative {
  pid_t pid = 0;
  std::string number;           // as family.hpp defines it
  Relative* parent = nullptr;   // none of the program itself
  unsigned children = 0;        // that it started
  unsigned programs = 0;        // that it became, itself included
  std::string file;             // of the last program
  std::string first_file;       // of the first one
  CommandWords words;           // of the last program
  CommandWords first;           // of the first one
  double begin_s = 0;           // when the first program began, after the begin of the whole
  std::optional<double> end_s;  // none: it still runs
  Charged before;               // until begin_s
  Charged charged;              // from begin_s to its end, or to that of the program
  Charged of_children;          // of those that have ended, with their own children
};

/// Return what the kernel charged to the children that a process waited for, as exactly as possible.
/// ticks: as the kernel states it, rounded down. ended: the exact sum of all that it started and that have ended.
/// The sum is too much if the process did not wait for all of them, and too little if it waited for others: those whose
/// parents have ended may become its children (PR_SET_CHILD_SUBREAPER).
[[nodiscard]] Charged waited_for(const Charged& ticks, const Charged& ended);

/// Return FNV-1a of a text, 64 bits, as 16 hexadecimal digits.
///
/// Source: G. Fowler, L. C. Noll, K.-P. Vo, D. Eastlake, "The FNV Non-Cryptographic Hash Algorithm", IETF draft, 2012.
[[nodiscard]] std::string digest_of(std::string_view text);

/// Return the path of the program that a process runs; "" if it is gone.
[[nodiscard]] std::string file_of(pid_t pid);
[[nodiscard]] CommandWords words_of(pid_t pid);

/// Return the CPU time so far, in ticks of the kernel.
/// An ended process is there until somebody waits for it.
[[nodiscard]] Charged ticks_of(pid_t pid);
/// Return the CPU time so far: the sum exactly, its parts as the ticks are.
[[nodiscard]] Charged charged_of(pid_t pid);
/// Return the CPU time of the children that an ended process waited for, in ticks of the kernel.
[[nodiscard]] Charged children_of(pid_t pid);

/// Return a process as a JSON object.
[[nodiscard]] std::string described(const Relative& one);

}  // namespace tierscope
