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

/// One thread's share and its place in it.
struct Member {
  unsigned cpu = 0;
  std::uint64_t begin = 0, end = 0;  // operations of its slice (lines, blocks); 0 and the number of nodes (hops)
  std::uint64_t position = 0;        // where the next block starts (lines, blocks)
  std::uint64_t block = 0;           // operations of one block; 0: not yet sized
  std::uint64_t done = 0;            // operations since the content was made
  std::uint64_t ended = 0;           // ticks at the end of its last batch; 0: it had none
  kernels::Pass pass;
  FirstContent first;               // of a kernel that updates what it reads
  Victim* victim = nullptr;         // of a task; owned by the group's store
  EventCounters* events = nullptr;  // that count in its blocks; owned by the bench
};

/// Memory that outlives an experiment, so that the next one on the same target need not map it again.
struct Arena {
  std::string word, pages;
  std::unique_ptr<Target> target;
  Buffer buffer;
  Placement placement;
  bool inspected = false;
  std::string content;  // what it was filled for; another key means: fill again
};

/// All that a group's place in the bench keeps from one experiment to the next.
struct Store {
  Arena target, source;                          // source: of the operands that are only read, if they are apart
  std::vector<std::unique_ptr<Victim>> victims;  // of each member
  std::string made;                              // what they were made for
  std::vector<Timing> timings;                   // of operations on a structure, in each batch since `prepare`
};

struct Group {
  GroupPlan plan;
  const Task* task = nullptr;
  std::shared_ptr<const kernels::KernelEntry> entry;  // of the registry, or its own of a victim or a structure
  kernels::Variant variant{};
  std::uint64_t operations = 0;        // of all members: lines, nodes or blocks
  std::size_t line = kernels::LINE;    // bytes of a line of the caches, at least LINE
  bool streams_stores = false;         // a plain store may cost no read: the bytes on the bus are not known
  Emulation target_adds, source_adds;  // what their tiers add to the memory
  std::shared_ptr<void> kept;          // what its task keeps for the members
  std::vector<Member> members;

  [[nodiscard]] std::uint64_t footprint() const noexcept;
  /// Bytes of operand k from one operation to the next.
  [[nodiscard]] std::uint64_t stride(std::size_t k) const noexcept;
  /// Return whether operand k is on the source target.
  [[nodiscard]] bool on_source(std::size_t k) const noexcept;
  /// The bytes that must be mapped of the target or of the source, `skew` included.
  [[nodiscard]] std::uint64_t bytes_needed(bool source) const noexcept;
  /// As KernelEntry::program_bytes, of one block where operations are blocks.
  [[nodiscard]] double program_bytes() const noexcept;
  /// The same for KernelEntry::bus_bytes; blocks apart from each other move whole lines of the caches.
  [[nodiscard]] double bus_bytes() const noexcept;
  /// The part of the program bytes on the source, or on the target.
  [[nodiscard]] double program_bytes(bool source) const noexcept;
  /// A key that shows whether the memory already contains what this group needs.
  [[nodiscard]] std::string content() const;
};

/// The registered kernel on the ISA asked for, or on the best that runs; of a victim or a structure one made for it.
/// @throws BadPlan, Unsupported
std::shared_ptr<const kernels::KernelEntry> find_kernel(const GroupPlan& plan);
/// Checks a plan and cuts its slices. @throws BadPlan, Unsupported
Group make_group(const GroupPlan& plan);
/// @throws BadPlan naming the least that will do. least: bytes of one CPU
[[noreturn]] void refuse_footprint(const GroupPlan& plan, std::uint64_t footprint, std::uint64_t least);
/// Points every member's pass at its part of the memory.
void place(Group& group, std::span<std::byte> target, std::span<std::byte> source);
/// Fills the member's part of one memory: random reals, or its cycle.
void fill(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept;
/// Puts random reals into one line of every page that the member stores to, so that what earlier blocks left there
/// cannot pass for the work of the next ones. Costs 1/64 of a fill.
void stir(const Group& group, std::size_t member) noexcept;
/// Keeps what the check wants of the content before the blocks.
void remember(Group& group, std::size_t member);
/// The largest relative difference between what the blocks left and what scalar code leaves; infinity if a
/// checksum or a chase's end differs; 0 if the kernel states why nothing is checked. Samples up to 64 windows of each
/// member.
double verify(const Group& group, std::size_t member);

}  // namespace tierscope
