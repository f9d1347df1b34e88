/// The keys of groups on chains: a list of dependent reads and writes on two memories, the distribution of places, and
/// the parts of threads.
#pragma once
#include <array>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "bench/streams.hpp"
#include "kernels/chain_steps.hpp"

namespace tierscope {

/// One step as a plan states it: `read 2048 a`, `write 64 b nt flush`.
struct ChainStep {
  bool writes = false;
  bool past = false;                    // stores bypass the caches
  std::uint64_t bytes = kernels::LINE;  // of a region
  std::size_t memory = 0;               // operand: 0 for a, 1 for b
  std::string flush;                    // "", "flush", or the name of an instruction
  [[nodiscard]] std::string text() const;
};

/// "read 2KiB a, write 64 b flush" -> its steps. @throws BadPlan naming the step
std::vector<ChainStep> parse_chain(const std::string& text);
std::string chain_text(const std::vector<ChainStep>& steps);

/// The part of a memory that a thread reads; it writes only its own.
enum class Partition : std::uint8_t { own, shared };

inline constexpr std::array<std::pair<const char*, Partition>, 2> PARTITIONS{
    {{"own", Partition::own}, {"shared", Partition::shared}}};

struct Chains final : WorkOf<Chains> {
  std::uint64_t footprint = 0;
  std::vector<ChainStep> steps{ChainStep{}};
  double exponent = 0;                 // of Zipf's law; 0: uniform
  std::optional<Partition> partition;  // own if it is not set
  static std::span<const Key<Chains>> table();
  [[nodiscard]] bool uses(std::size_t memory) const;
  [[nodiscard]] bool shared() const { return partition == Partition::shared; }
};

/// The instruction of a step's flush on this processor, or on a simulated one. @throws BadPlan, Unsupported
kernels::Flush flush_of(const Group& group, const ChainStep& step);

/// The steps of one member as its kernel makes them, on two memories: the first bytes of a and b of the whole group.
class MemberChain {
 public:
  MemberChain(const Group& group, std::size_t member, const std::array<std::byte*, 2>& memories);
  MemberChain(const MemberChain&) = delete;
  MemberChain& operator=(const MemberChain&) = delete;
  [[nodiscard]] const kernels::chain::Steps& steps() const noexcept { return its_; }
  /// The operand from which a kernel reads them.
  [[nodiscard]] std::byte* frame() noexcept { return reinterpret_cast<std::byte*>(&its_); }
  [[nodiscard]] std::span<const kernels::chain::Step> each() const noexcept { return steps_; }
  /// Return the first draw: each thread draws places of its own.
  [[nodiscard]] std::uint64_t start() const noexcept { return start_; }
  /// Writes of one operation.
  [[nodiscard]] std::uint64_t writes() const noexcept;

 private:
  std::vector<kernels::chain::Step> steps_;
  std::map<std::uint64_t, kernels::chain::Ranks> ranks_;  // by the number of regions
  kernels::chain::Steps its_;
  std::uint64_t start_;
};

/// The data of the task for the members of a group whose memory is known.
const MemberChain& chain_of(const Group& group, const Member& member);

/// 0 or infinity; in bench/tasks/chain_check.cpp.
double verify_chain(const Group& group, const Member& member);
/// In bench/tasks/chain_stream.cpp.
std::unique_ptr<Stream> chain_stream(const Group& group, std::size_t member, const Bases& bases);

}  // namespace tierscope
