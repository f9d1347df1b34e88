/// One group at work: its kernel's variant, its memory, and what each member needs for its blocks.
#pragma once
#include <memory>
#include <string>
#include <vector>

#include "bench/first_content.hpp"
#include "bench/plan.hpp"
#include "bench/timing.hpp"
#include "kernels/kernel.hpp"
#include "targets/target.hpp"
#include "victims/victim.hpp"

namespace tierscope {

class EventCounters;
struct KeyedTeam;

/// One thread's share and its position in it.
struct Member {
  unsigned cpu = 0;
  std::uint64_t begin = 0, end = 0;  // operations of its slice (lines, blocks); 0 and the number of nodes (hops)
  std::uint64_t position = 0;        // where the next block starts (lines, blocks)
  std::uint64_t block = 0;           // operations of one block; 0: not yet sized
  std::uint64_t done = 0;            // operations since the content was made
  kernels::Pass pass;
  FirstContent first;               // of a kernel that updates what it reads
  Victim* victim = nullptr;         // of a task; owned by the group's store
  EventCounters* events = nullptr;  // the counters that run in its blocks; owned by the bench
};

/// Memory that outlives an experiment, so that the next one on the same target need not map it again.
struct Arena {
  std::string word, pages;
  std::unique_ptr<Target> target;
  Buffer buffer;
  Placement placement;
  bool inspected = false;
  std::string content;  // the key of the content; another key means: fill again
};

/// All that the bench keeps for one group from one experiment to the next.
struct Store {
  Arena target, source;                          // source: of operands that are only read, if its target is another
  std::vector<std::unique_ptr<Victim>> victims;  // of each member
  std::string made;                              // the plan that they were made for
  std::vector<Timing> timings;                   // of operations on a structure, in each batch since `prepare`
};

struct Group {
  GroupPlan plan;
  const Task* task = nullptr;
  std::shared_ptr<const kernels::KernelEntry> entry;  // of the registry, or its own of a victim or a structure
  kernels::Variant variant{};
  std::uint64_t operations = 0;        // of all members: lines, nodes or blocks
  std::size_t line = kernels::LINE;    // bytes of a line of the caches, at least LINE
  Emulation target_adds, source_adds;  // the delays and limits that their tiers add to the memory
  std::shared_ptr<void> kept;          // state that its task keeps for the members
  std::vector<Member> members;

  [[nodiscard]] std::uint64_t footprint() const noexcept;
  /// Bytes of operand k from one operation to the next.
  [[nodiscard]] std::uint64_t stride(std::size_t k) const noexcept;
  /// Whether operand k is on the source target.
  [[nodiscard]] bool on_source(std::size_t k) const noexcept;
  /// Bytes of the target or of the source that must be mapped, `skew` included.
  [[nodiscard]] std::uint64_t bytes_needed(bool source) const noexcept;
  /// As KernelEntry::program_bytes; of one block if operations are blocks.
  [[nodiscard]] double program_bytes() const noexcept;
  /// As KernelEntry::bus_bytes; of blocks that are apart from each other, whole lines of the caches count.
  [[nodiscard]] double bus_bytes() const noexcept;
  /// For operations on slices, the part of program_bytes on the source, or the part on the target.
  [[nodiscard]] double program_bytes(bool source) const noexcept;
  /// A key that identifies the content that this group needs in memory.
  [[nodiscard]] std::string content() const;
};

/// Returns the registered kernel on the requested ISA, or on the best that runs. A victim or a structure gets a kernel
/// entry of its own.
/// @throws BadPlan, Unsupported
std::shared_ptr<const kernels::KernelEntry> find_kernel(const GroupPlan& plan);
/// Checks a plan and cuts its slices. @throws BadPlan, Unsupported
Group make_group(const GroupPlan& plan);
/// @throws BadPlan naming the smallest sufficient footprint. least: bytes of one CPU
[[noreturn]] void refuse_footprint(const GroupPlan& plan, std::uint64_t footprint, std::uint64_t least);
/// Points every member's pass at its part of the memory.
void place(Group& group, std::span<std::byte> target, std::span<std::byte> source);
/// Fills the member's part of one memory: random reals, or its cycle.
void fill(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept;
/// Puts random reals into one line of every page that the member stores to, so that the results of earlier blocks
/// cannot pass for those of the next ones. Costs 1/64 of a fill.
void stir(const Group& group, std::size_t member) noexcept;
/// Keeps what the check needs of the content before the blocks.
void remember(Group& group, std::size_t member);
/// Returns the largest relative difference between the results of the blocks and those of scalar code; infinity if a
/// checksum or a chase's end differs; 0 if the kernel states why it is not checked. Samples up to 64 windows of each
/// member.
double verify(const Group& group, std::size_t member);

}  // namespace tierscope
