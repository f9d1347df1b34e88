/// One member of a simulated group: its next accesses, its accesses in flight, and its current block.
#pragma once
#include <vector>

#include "bench/stepper.hpp"
#include "bench/streams.hpp"
#include "simulate/machine.hpp"
#include "simulate/thread.hpp"

namespace tierscope {

class Walker final : public Stepper {
 public:
  /// `form` is the template of its blocks. Group and machine must outlive it.
  Walker(simulate::Machine& machine, const Group& group, std::size_t member, std::unique_ptr<Stream> stream,
         Block form);
  simulate::Time begin(simulate::Time at, std::uint32_t batch) override;
  simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) override;
  simulate::Time finish() override;
  /// Makes some accesses, untimed.
  void warm(simulate::Time at, std::uint64_t accesses);
  /// Ends the warm-up, so that a block may begin; continues at the first operation if the whole slice was walked.
  void settle();
  /// Relative difference between the accesses made and those that the descriptors state.
  [[nodiscard]] double error() const noexcept;

 private:
  [[nodiscard]] const simulate::Access& next();
  void execute(simulate::Time at);
  void count() noexcept;
  void open(simulate::Time at);
  [[nodiscard]] bool end_chunk(simulate::Time end, simulate::Time length);
  void rewind();
  void refill();
  [[nodiscard]] std::uint64_t chunk() const;

  simulate::Thread thread_;
  simulate::Machine* machine_;
  const Group* group_;
  std::unique_ptr<Stream> stream_;
  Block form_;
  bool walks_, drains_;  // as its task states
  bool announced_;       // as the machine states
  std::vector<simulate::Access> pending_;
  std::size_t at_ = 0;
  static constexpr std::uint64_t CHUNK = 64;           // most accesses that are made together, of whole operations
  std::uint64_t most_ = CHUNK;                         // the same, reduced if that many take too long
  std::uint64_t chunk_ = 0, made_ = 0, executed_ = 0;  // current operations; all operations, all accesses so far
  std::uint64_t operations_ = 0, left_ = 0;            // of the block; until it ends, if per_block is set
  simulate::Time start_ = 0;
};

}  // namespace tierscope
