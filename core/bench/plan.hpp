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
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "kernels/kernel.hpp"

namespace tierscope {

/// One line: its command and its words in the order of their keys.
struct Line {
  std::string command;
  std::map<std::string, std::string> words;
};

/// A blank or comment line has no command. @throws BadPlan
Line parse_line(std::string_view text);
/// @throws BadPlan naming the key
std::uint64_t parse_bytes(const std::string& key, const std::string& word);
double parse_seconds(const std::string& key, const std::string& word);
std::uint64_t parse_count(const std::string& key, const std::string& word);

/// One group in native words. See docs/reference/plan.md for each key.
struct GroupPlan {
  std::string kernel;
  std::string isa;  // empty: the highest rank that runs here
  std::string target = "node";
  std::string where;
  std::string source;  // target word of the operands that are only read; empty: beside the others
  std::string pages = "thp";
  std::vector<unsigned> cpus;
  bool shared = false;  // CPUs may be named twice, or be in other groups of a batch
  std::uint64_t footprint = 0;
  unsigned streams = 1;
  unsigned unroll = 1;
  std::uint64_t prefetch = 0;
  std::uint64_t prefetch_write = 0;
  std::uint64_t interleave = 0;  // 0 or 4096
  std::uint64_t element = 64;
  std::uint64_t access = 0;             // of blocks; 0: the whole element
  std::uint64_t locality = 0;           // 0: the whole slice
  std::uint64_t pace = 0;               // core cycles
  std::uint64_t burst = 1024;           // program bytes
  std::uint64_t skew = 0;               // bytes by which each operand is shifted against the one before
  std::uint64_t seed = 1995;            // the year of STREAM
  std::uint64_t per_block = 0;          // operations; 0: as many as fill a block
  std::optional<kernels::Fence> fence;  // Group::fence tells what holds where it is not given
  std::optional<kernels::Order> order;  // likewise Group::order
  std::string size;                     // of a victim's instance
  std::string command;                  // of the victim `command`
  double limit_s = 0;                   // of a command; 0: its own default
  std::string operation = "get";        // on a structure, as bench/operations.hpp tells
  std::string keys = "uniform";         // likewise: how they are drawn
  std::string sharing = "own";          // own: each thread has a structure; one: they share one
  std::uint64_t count = 0;              // keys of all threads
  std::uint64_t value = 16;             // bytes of each value
};

/// Whether it names a simulated memory.
bool simulated(const GroupPlan& plan);

/// The plan as words of a line, without those that are at their defaults. Two plans that differ in a key have other
/// words, however they were typed; a key that a later version adds changes no words of plans without it.
std::string words_of(const GroupPlan& plan);
/// Reads `words` into `plan`; a key that is not of a group is an error. @throws BadPlan
void read_words(const std::map<std::string, std::string>& words, GroupPlan& plan);

}  // namespace tierscope
