/// One member of a simulated group: what it does next, what it has under way, and the block it is in.
#pragma once
#include <vector>

#include "bench/stepper.hpp"
#include "bench/streams.hpp"
#include "simulate/machine.hpp"
#include "simulate/thread.hpp"

namespace tierscope {

class Walker final : public Stepper {
 public:
  /// Blocks are made after `form`. Group and machine must outlive it.
  Walker(simulate::Machine& machine, const Group& group, std::size_t member, std::unique_ptr<Stream> stream,
         Block form);
  simulate::Time begin(simulate::Time at, std::uint32_t batch) override;
  simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) override;
  simulate::Time finish() override;
  /// Untimed: some accesses.
  void warm(simulate::Time at, std::uint64_t accesses);
  /// Behind what was walked to warm up, where a block may begin; from the first operation where all of the slice was.
  void settle();
  /// Relative difference of the accesses that were made from those that the descriptors promise.
  [[nodiscard]] double error() const noexcept;

 private:
  [[nodiscard]] const simulate::Access& next();
  void execute(simulate::Time at);
  void open(simulate::Time at);
  [[nodiscard]] bool end_chunk(simulate::Time end, simulate::Time length);
  void rewind();
  void refill();
  [[nodiscard]] std::uint64_t chunk() const;
  [[nodiscard]] Block block(simulate::Seen seen) const;

  simulate::Thread thread_;
  simulate::Machine* machine_;
  const Group* group_;
  std::unique_ptr<Stream> stream_;
  Block form_;
  bool walks_, drains_;  // what its task says
  std::vector<simulate::Access> pending_;
  std::size_t at_ = 0;
  static constexpr std::uint64_t CHUNK = 64;           // accesses that are made at once, of whole operations, at most
  std::uint64_t most_ = CHUNK;                         // likewise, where so many take too long
  std::uint64_t chunk_ = 0, made_ = 0, executed_ = 0;  // operations at hand; all operations, all accesses so far
  std::uint64_t operations_ = 0, left_ = 0;            // of the block; until it ends, where per_block says so
  simulate::Time start_ = 0;
};

}  // namespace tierscope
