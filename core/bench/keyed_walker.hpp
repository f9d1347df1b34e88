/// One member of a simulated group whose kernel is a structure. Operations run on the real structure and are recorded;
/// their accesses are then executed one after another in simulated time. Between two operations nothing overlaps but
/// stores that drain, as on hardware, where the clock is read between them. Instructions cost `cpu.issue` for each
/// access and nothing else. Fills and rehashes take simulated time too; each is counted separately.
#pragma once
#include "bench/keyed.hpp"
#include "bench/keyed_lock.hpp"
#include "bench/stepper.hpp"
#include "bench/touched_lines.hpp"
#include "simulate/machine.hpp"
#include "simulate/thread.hpp"

namespace tierscope {

class KeyedWalker final : public Stepper {
 public:
  /// `form` is the template of its blocks; its thread is the number of its heap. Machine and keyed must outlive it.
  /// lock: of threads that change one structure, else null.
  KeyedWalker(simulate::Machine& machine, unsigned cpu, Keyed& keyed, TouchedLines lines, const Block& form,
              std::shared_ptr<KeyedLock> lock)
      : thread_(machine, cpu),
        machine_(&machine),
        keyed_(&keyed),
        lines_(std::move(lines)),
        form_(form),
        lock_(std::move(lock)),
        heap_(keyed.shared() ? 0 : form.thread) {}

  /// Prepares what the next `begin` starts: the fill, if the structure had to be made again, or the round.
  /// @throws as StructureEntry::open
  bool prepare_fill();
  void prepare_round() noexcept;
  simulate::Time begin(simulate::Time at, std::uint32_t batch) override;
  simulate::Time step(simulate::Time at, simulate::Time end, simulate::Time length) override;
  simulate::Time finish() override;
  [[nodiscard]] Keyed& keyed() noexcept { return *keyed_; }

 private:
  enum class Part : std::uint8_t { nothing, waiting, fill, operation, rehash };
  [[nodiscard]] simulate::Time next();
  [[nodiscard]] simulate::Time look();
  [[nodiscard]] simulate::Time ready();
  void close();
  bool open();
  void record(Part part);
  void run(Part part);
  void end();

  simulate::Thread thread_;
  simulate::Machine* machine_;
  Keyed* keyed_;
  TouchedLines lines_;
  Block form_;
  std::shared_ptr<KeyedLock> lock_;
  unsigned heap_;
  bool fills_ = false;
  Part part_ = Part::nothing;
  bool more_ = false;  // whether the last recorded step was one
  std::uint64_t moved_ = 0;
  std::uint64_t operations_ = 0;
  LineCounts counts_;  // of the current part
  simulate::Time start_ = 0, before_ = 0;
  std::vector<simulate::Access> pending_;
  std::size_t at_ = 0;
};

}  // namespace tierscope
