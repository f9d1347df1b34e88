/// `dimm`: a persistent-memory DIMM. Reads pass `buffer`s, nearest first, each of units (units.hpp) that adds its
/// latency whether it has the line or not; then the medium. Writes are accepted by the controller's queue
/// (`queue.wpq` lines), which survives the loss of power, and pass a queue in which the lines of one unit of the medium
/// combine (write_queue.hpp). Groups that only wait for an idle port, which are whole ones and those above `queue.kept`
/// lines, leave when no fetch comes before. Each group takes the medium's port for `media.write`, a fetch for
/// `media.interval`. A part of a unit is merged in the nearest buffer if its units are of the same size. The rest of
/// the unit is read for that, which occupies a bank of the medium if it has some (banks.hpp), and it is written when it
/// is whole or must leave. Without such a buffer it is read and written immediately. A buffer that `holds =
/// "addresses"` knows where the data of its units are: a hit there saves `media.read`, which is then the look-up on the
/// medium, but the data are fetched anyway. The DIMM has `crowd.read_places` and `crowd.write_places` for requests on
/// their way, which keep their order. If these are taken, further ones wait at the gate of the memory controller
/// (gate.hpp), up to `crowd.reads` or `crowd.writes`, and lose their order. DIMMs of one controller share the gate.
/// Source of the structure: Z. Wang, X. Liu, J. Yang, T. Michailidis, S. Swanson, J. Zhao, Characterizing and Modeling
/// Non-Volatile Memory Systems, MICRO, 2020; J. Yang, J. Kim, M. Hoseinzadeh, J. Izraelevitz, S. Swanson, An Empirical
/// Guide to the Behavior and Use of Scalable Persistent Memory, FAST, 2020. The combining FIFO and the gate are ours.
/// Blind to: refresh, power limits, errors, the order of reads and writes of one line that both wait outside.
#pragma once
#include <memory>
#include <vector>

#include "simulate/banks.hpp"
#include "simulate/gate.hpp"
#include "simulate/media.hpp"
#include "simulate/memory.hpp"
#include "simulate/modulus.hpp"
#include "simulate/units.hpp"
#include "simulate/write_queue.hpp"

namespace tierscope::simulate {

/// The keys of [memory.NAME.queue], in lines.
struct QueueLimits {
  std::size_t entries, kept, wpq;
};

class Dimm final : public Memory {
 public:
  /// @throws BadPlan naming the key
  Dimm(const Section& section, std::uint64_t seed);
  Time read(std::uint64_t address, Time at) override;
  Time write(std::uint64_t address, Time at) override;
  void count(const std::string& prefix, Counters& counters) const override;
  void reset_counters() override;
  /// @pre `first` is a Dimm
  void share_controller(Memory& first) override { controller_ = dynamic_cast<Dimm&>(first).controller_; }
  [[nodiscard]] std::uint64_t reach() const override { return reach_; }
  [[nodiscard]] bool announced() const override;
  void announce(std::uint64_t address, unsigned step) const override;

 private:
  static constexpr std::size_t LARGE = std::size_t{1} << 22U;  // bytes of the host
  struct Buffer {
    std::unique_ptr<Units> units;
    Time latency;
    std::uint64_t unit;  // bytes
    Modulus divide;      // of an address, to its unit
    bool large;          // the units do not fit in a near cache of the host
    std::uint64_t hits = 0;
    [[nodiscard]] std::uint64_t number(std::uint64_t address) const noexcept { return divide.of(address).quotient; }
  };
  void add_buffer(const Section& section, std::uint64_t seed);
  Time serve(std::uint64_t address, Time at);
  Time fetch(std::uint64_t address, Time at);
  void fill(std::size_t levels, std::uint64_t address, Time ready);
  Admitted take_write(std::uint64_t address, Time at);
  [[gnu::noinline]] void drain(Time until);
  Time put(const Group& group, Time at);
  void land(const Group& group, Time at, bool lacks);
  [[nodiscard]] bool lacks_rest(const Group& group) const;
  Time rest(std::uint64_t address);
  Held& merge_slot(std::uint64_t number, Time at);
  [[nodiscard]] bool held(std::uint64_t address) const;
  [[nodiscard]] bool whole(const Group& group) const noexcept { return group.lines == unit_.whole; }
  Admitted take_read(std::uint64_t address, Time at);

  std::vector<Buffer> buffers_;
  std::size_t data_ = 0;  // buffers that contain data: the nearest ones
  bool merges_ = false;   // the nearest has units of the medium's line
  std::uint64_t fetch_lines_ = 1;
  Time latency_, accept_, line_;
  Unit unit_;
  Media media_;
  Banks banks_;
  QueueLimits limits_;
  WriteQueue queue_;
  Places wpq_;
  Places read_places_, write_places_;  // requests that keep their order
  Ports bus_{1};
  struct Controller {
    Gate<Dimm, &Dimm::take_read> reads;
    Gate<Dimm, &Dimm::take_write> writes;
  };
  std::shared_ptr<Controller> controller_;
  Time near_ = 0;   // to the nearest buffer
  Time moved_ = 0;  // when the last line left the controller's queue
  std::uint64_t reach_ = 0, reads_ = 0, writes_ = 0, forwards_ = 0, stalls_ = 0;
};

}  // namespace tierscope::simulate
