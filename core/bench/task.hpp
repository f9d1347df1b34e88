/// The work of a group: one class for each operation that a kernel can state (`.operation`), each in a file of its own
/// in bench/tasks/, where it registers itself. A task knows which keys of a plan it takes, how its memory is prepared,
/// how a block of it runs, what one operation moves, how its answer is checked, and how it runs on a simulated machine.
/// A task has no state: its state is in its Group and Members. It is called before and after blocks. The only call
/// through it during a measurement is the one that starts all blocks of a thread (bench/timed.hpp).
#pragma once
#include <array>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bench/group.hpp"
#include "bench/simulated.hpp"

namespace tierscope {

class BlockRunner;
class Stream;

/// The facts of a group about its work; 0 where a fact has no meaning.
struct WorkFacts {
  unsigned streams = 1, unroll = 1;
  std::uint64_t prefetch_bytes = 0, prefetch_write_bytes = 0, interleave_bytes = 0, element_bytes = 0, access_bytes = 0,
                row_bytes = 0;
};

/// The bytes that one operation moves on one of its memories.
struct Moved {
  double program_bytes = 0;
  double bus_bytes = 0;  // negative if only a counter could show it
};

class Task {
 public:
  explicit constexpr Task(std::string_view its_name) noexcept : name(its_name) {}
  virtual ~Task() = default;
  Task(const Task&) = delete;
  Task& operator=(const Task&) = delete;

  const std::string_view name;  // as kernels and the catalogue state it

  // Its keys of a plan.

  /// The keys that it takes, at their default values.
  [[nodiscard]] virtual std::unique_ptr<Work> work() const = 0;
  /// The kernel entry that only this task knows by this name: a victim, a structure; nullptr if there is none.
  [[nodiscard]] virtual std::shared_ptr<const kernels::KernelEntry> find(std::string_view) const { return nullptr; }
  /// The names of all of them.
  [[nodiscard]] virtual std::vector<std::string_view> names() const { return {}; }
  /// The loop variant that the plan asks for.
  [[nodiscard]] virtual kernels::Shape shape(const GroupPlan&) const { return {}; }
  /// @throws BadPlan if values do not fit together, or do not fit the kernel
  virtual void check(const Group&) const {}
  /// Operations of each member. @throws BadPlan for a footprint that is too small
  [[nodiscard]] virtual std::uint64_t share(const Group&) const { return 1; }
  [[nodiscard]] virtual std::size_t threads(const GroupPlan& plan) const { return plan.cpus.size(); }
  /// Return whether all members work on the same operations, and each needs the others.
  [[nodiscard]] virtual bool together() const { return false; }
  /// Return whether a block is a whole task, whose end the batch waits for.
  [[nodiscard]] virtual bool whole() const { return false; }

  // Its memory.

  /// Return whether its blocks go through a slice of memory from end to end, operand by operand.
  [[nodiscard]] virtual bool walks() const { return false; }
  /// Return whether each of its accesses waits for the one before.
  [[nodiscard]] virtual bool waits() const { return false; }
  /// Bytes from one operation to the next, of one line of an operand; and how many of them one operation asks for.
  [[nodiscard]] virtual std::uint64_t element(const Group&) const { return kernels::LINE; }
  [[nodiscard]] virtual std::uint64_t asked(const Group&) const { return kernels::LINE; }
  /// Bytes of operand k from one operation to the next.
  [[nodiscard]] virtual std::uint64_t stride(const Group& group, std::size_t k) const;
  /// Return whether operand k can be on the source target.
  [[nodiscard]] virtual bool from_source(const Group& group, std::size_t k) const;
  /// Return what one operation moves on the source or on the target, if the operands do not determine it.
  [[nodiscard]] virtual std::optional<Moved> moved(const Group&, bool) const { return {}; }
  /// Loads and stores of lines in one operation; a flush is not an access of the program.
  [[nodiscard]] virtual std::uint64_t accesses(const Group& group) const;
  /// Return whether a target's ceiling over bytes slows it.
  [[nodiscard]] virtual bool limited() const { return walks(); }
  /// Bytes by which each operand is shifted against the one before.
  [[nodiscard]] virtual std::uint64_t skew(const Group&) const { return 0; }
  /// Bytes before and behind operand k that its first and last operations reach. @pre the members' slices are known
  [[nodiscard]] virtual std::uint64_t margin(const Group&, std::size_t) const { return 0; }
  /// Bytes that are mapped only to learn what the target is; 0: none.
  [[nodiscard]] virtual std::uint64_t asks(const Group&) const { return 0; }
  /// @throws BadPlan if what a target adds to its memory has no effect on this task
  virtual void require_reached(const Group&) const {}
  /// Sets the state that a member's pass keeps from block to block; its operands point at the memory already.
  virtual void place(Group&, std::size_t) const {}
  /// Fills a member's part of one memory.
  virtual void fill(const Group& group, std::size_t member, std::span<std::byte> memory) const noexcept;
  /// Changes a line of every page that the member stores to.
  virtual void stir(const Group&, std::size_t) const noexcept {}
  /// Return whether the check needs a part of the content from before the blocks; `remember` keeps it.
  [[nodiscard]] virtual bool remembers(const Group&) const { return false; }
  virtual void remember(Group&, std::size_t) const {}
  /// Return what distinguishes its content, apart from the seed.
  [[nodiscard]] virtual std::string content(const Group&) const { return ""; }
  /// Makes the object that a member's blocks run, on the thread that will run them; nullptr for a kernel's function.
  /// @throws BadPlan, Unsupported, SystemError
  [[nodiscard]] virtual std::unique_ptr<Victim> make(const Group&, std::size_t, std::shared_ptr<KeyedTeam>) const {
    return nullptr;
  }
  /// Looks up where the memory is, after `make` of all members.
  virtual void look_up(Store&) const {}
  /// Keeps what a member measured within its blocks; called after a batch.
  virtual void keep(Store&, std::size_t) const {}

  // Its blocks.

  /// Return whether this thread only answers another, and needs no block size of its own; and whether it waits for one.
  [[nodiscard]] virtual bool answers(std::size_t) const { return false; }
  [[nodiscard]] virtual bool asks_another(std::size_t) const { return false; }
  /// Operations that a block is a multiple of.
  [[nodiscard]] virtual std::uint64_t granule(const Group&) const { return 1; }
  virtual void size(BlockRunner&) const noexcept = 0;
  virtual void run(BlockRunner&) const noexcept = 0;

  // Its answer: the largest relative difference, infinity if it is wrong.
  [[nodiscard]] virtual double verify(const Group&, const Member&) const = 0;
  /// Changes the keys of a self-check to some that it takes. @throws Unsupported if it cannot run on this CPU
  virtual void prepare_check(Words&) const {}

  // On a simulated machine.

  /// "" or the reason why a kernel has no simulated form.
  [[nodiscard]] virtual std::string unsimulated(const kernels::KernelEntry&) const;
  /// Bytes of its simulated memory.
  [[nodiscard]] virtual std::uint64_t simulated_bytes(const Group& group) const { return group.bytes_needed(false); }
  /// @throws Unsupported, BadPlan
  [[nodiscard]] virtual std::unique_ptr<SimulatedGroup> simulate(const SimulatedPlace& place) const;
  /// The accesses of a member. bases: of each operand. @pre unsimulated() returns ""
  [[nodiscard]] virtual std::unique_ptr<Stream> stream(const Group&, std::size_t,
                                                       const std::array<std::uint64_t, kernels::OPERANDS>& bases) const;
  /// Return whether a block ends with a fence that waits for all stores.
  [[nodiscard]] virtual bool drains() const { return false; }

  // Return the facts that it adds to those of a group.
  [[nodiscard]] virtual WorkFacts facts(const Group&) const { return {}; }
  [[nodiscard]] virtual Persistence persistence(const Group&, const Store& store) const {
    return store.target.target->persistence();
  }
};

/// The pages of one memory that a member fills.
std::span<std::byte> part_of(const Group& group, std::size_t member, std::span<std::byte> memory) noexcept;
/// The task of a kernel, a victim or a structure; nullptr if there is none of this name.
const Task* task_of(std::string_view kernel);
/// @throws BadPlan naming every kernel
[[noreturn]] void refuse_kernel(const std::string& name);

}  // namespace tierscope
