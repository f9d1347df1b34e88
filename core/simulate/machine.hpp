/// A simulated machine: CPUs with their caches and TLBs over some memories. The bench asks it for the time of each
/// access. An access finds the state that the accesses before it left.
#pragma once
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "simulate/caches.hpp"
#include "simulate/jitter.hpp"
#include "simulate/memory.hpp"
#include "simulate/noise.hpp"
#include "simulate/tlb.hpp"

namespace tierscope::simulate {

/// The accesses that a thread of this machine can have in flight.
struct CpuLimits {
  Time cycle = 400;         // of the core's clock
  Time issue = 250;         // between two accesses that wait for nothing
  unsigned loads = 16;      // lines on their way to the core (line fill buffers)
  unsigned stores = 16;     // lines on their way from its store buffer, unless they take fill buffers
  unsigned combining = 12;  // write-combining buffers of stores that bypass the caches
  unsigned streaming = 0;   // lines of a stream of stores that are read first; 0: all (store_streams.hpp)
  Time transfer = 0;        // of a line between core and memory, for a store or a flush, one after the other
  Time bypass = 0;          // of a store that bypasses the caches, in addition to its memory's
  Time scatter = 3700;      // of the end of an access, standard deviation, if threads run together (jitter.hpp)
  Time handover = 47'000;   // of a line from one core to another, if they do
};

/// How instructions come to the core (fetch.hpp). `bytes` 0: they are there when they are needed.
struct FetchLimits {
  std::uint64_t bytes = 0;  // of the cache of instructions
  unsigned ways = 8;
  unsigned ahead = 0;       // lines that it asks for before it needs them
  unsigned targets = 4096;  // taken branches whose targets it knows
  unsigned redirect = 8;    // cycles from the line of another taken branch to its target
  unsigned pages = 64;      // whose translation it knows
  unsigned between = 0;     // cycles at least from one line that comes from behind that cache to the next
};

/// The core, for programs that run through `Pipeline`.
struct CoreLimits {
  unsigned width = 4;          // instructions per cycle
  unsigned reorder = 224;      // instructions in the reorder buffer
  unsigned store_buffer = 56;  // stores from their dispatch until their line is written
  unsigned load_buffer = 0;    // instructions that load, from their dispatch to their retirement; 0: any number
  unsigned integer_registers = 0, vector_registers = 0;  // of results that have not retired; 0: any number
  unsigned wrong_guess = 16;  // cycles from the end of a branch to the first instruction of the right path
  bool shared = true;         // stores that miss take fill buffers of loads; else they have `CpuLimits::stores`
  bool unit = false;          // operations and forwarded loads take one cycle; else as long as on most cores
  double wrong_path = 0;  // share of branches whose wrong path meets the right one; 0: a wrong guess fetches nothing
  FetchLimits fetch;
};

/// Page sizes in bytes: those of the TLBs (0: none stated), the smallest, and the transparent large ones. `split`: the
/// share of pages above the smallest size that are translated in parts of that size.
struct Pages {
  std::uint64_t bytes = 0, base = 4096, large = std::uint64_t{2} << 20U;
  double split = 0;
};
/// Read the pages from [pages] of a file. @throws BadPlan
Pages pages_of(const Section& root);

/// One of its memories, which targets name by `memory=NAME`.
struct Region {
  std::string name;
  std::uint64_t size = 0;            // bytes
  std::string persistence = "none";  // none, adr, eadr
  bool interleaved = false;          // several memories that alternate
};

class Machine {
 public:
  /// `word`: the text behind `sim:`. @throws BadPlan, Unsupported
  explicit Machine(const std::string& word);
  /// `beside`: another machine, with `memory=NAME` or its default, whose memories this one has in addition.
  /// @throws BadPlan, Unsupported
  Machine(const std::string& word, const std::string& beside);
  /// The machine of one experiment of this number of threads. All that chance decides (noise, jitter, replacement,
  /// order in a crowd, migrations) depends on `which`, so that two experiments share nothing but the machine.
  /// @throws BadPlan, Unsupported
  Machine(const std::string& word, std::uint64_t which, std::size_t threads);
  Machine(Machine&&) noexcept;
  ~Machine();
  [[nodiscard]] const std::string& name() const noexcept { return name_; }
  [[nodiscard]] const std::string& summary() const noexcept { return summary_; }
  [[nodiscard]] const std::string& source() const noexcept { return source_; }
  [[nodiscard]] unsigned cpus() const noexcept { return cpus_; }
  [[nodiscard]] const CpuLimits& limits() const noexcept { return limits_; }
  [[nodiscard]] const CoreLimits& core() const noexcept { return core_; }
  [[nodiscard]] const std::vector<CacheFacts>& cache_facts() const noexcept { return caches_->facts(); }
  [[nodiscard]] const std::vector<Region>& regions() const noexcept { return regions_; }
  /// Return the index of the memory of that name, or of the default one for "". @throws BadPlan
  [[nodiscard]] unsigned region(const std::string& name) const;
  /// Return the index of the memory that another machine lends.
  [[nodiscard]] unsigned beside() const noexcept;
  /// Return the bytes of a line of its caches.
  [[nodiscard]] std::uint64_t line_bytes() const noexcept { return line_bytes_; }
  [[nodiscard]] const Pages& pages() const noexcept { return pages_; }
  [[nodiscard]] std::uint64_t page_bytes() const noexcept { return pages_.bytes; }
  /// Return the size of all caches and buffers together, in bytes.
  [[nodiscard]] std::uint64_t reach() const;
  [[nodiscard]] Noise& noise() noexcept { return noise_; }
  /// Return the jitter of the thread of a CPU; none unless this is the machine of an experiment with several threads,
  /// and one of its memories is interleaved.
  [[nodiscard]] Jitter jitter(unsigned cpu) const noexcept;
  [[nodiscard]] bool is_interleaved(std::uint64_t address) const noexcept {
    return regions_[address >> MEMORY_BIT].interleaved;
  }

  /// Make an access by `cpu` that may start at `at`, and return its end. At the end of a load, the data are available.
  /// At the end of a store, the CPU owns the line and has written it. At the end of store_nt, clwb and clflush(opt),
  /// the memory has accepted the line. Fences never come here.
  Time access(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
    if (tlbs_ != nullptr) at = tlbs_->translate(cpu, address, at);
    return caches_->access(cpu, address, kind, at);
  }
  /// Fetch a line of instructions that is not in the core's own cache of them, by its way behind the nearest cache, and
  /// return when it comes.
  Time code(unsigned cpu, std::uint64_t address, Time at) { return caches_->code(cpu, address, at); }
  /// Return the number of the page of this address, or of its part, that an entry of a TLB translates; 0 without any.
  [[nodiscard]] std::uint64_t translated(std::uint64_t address) const {
    return tlbs_ == nullptr ? 0 : tlbs_->entry_of(address);
  }
  /// Return when the translation is known of a page of instructions that the core itself does not know.
  Time translate_code(unsigned cpu, std::uint64_t address, Time at) {
    return tlbs_ == nullptr ? at : tlbs_->translate_code(cpu, address, at);
  }
  /// Return whether `announce` makes accesses faster: a memory has large tables.
  [[nodiscard]] bool announced() const;
  /// Bring what the memories will read of their tables for these accesses into the host's caches; nothing else changes.
  void announce(std::span<const Access> accesses) const;
  /// Return whether the nearest cache has the line, or will have it when its flight ends.
  [[nodiscard]] bool near(unsigned cpu, std::uint64_t address) const { return caches_->near(cpu, address); }
  /// As `access` of a load or a store, if `near`; else change nothing and return NEVER.
  Time access_near(unsigned cpu, std::uint64_t address, Kind kind, Time at) {
    if (tlbs_ == nullptr) return caches_->access_near(cpu, address, kind, at);
    return near(cpu, address) ? access(cpu, address, kind, at) : NEVER;
  }
  /// Count what `access` would count for these loads and stores, in order, without times, which is faster. The memories
  /// then count only reads and writes. A machine is used by `touch` or by `access`, not by both.
  void touch(unsigned cpu, std::span<const Touch> touches);
  /// Called with the address within its memory of each line that a memory reads or writes from now on.
  using Watch = std::function<void(std::uint64_t address, bool write)>;
  void watch(Watch watch);
  /// Return whether caches and TLBs of another machine have the same content after the same accesses, at whatever
  /// times.
  [[nodiscard]] bool caches_like(const Machine& other) const;
  /// Take the content of caches and TLBs of a CPU from a machine whose caches are like those of this one.
  void copy_caches(unsigned cpu, const Machine& from);
  /// As Caches::begin_gap and Caches::doubts.
  void begin_gap(std::uint64_t instructions, std::uint64_t ran) { caches_->begin_gap(instructions, ran); }
  [[nodiscard]] Doubts::Counts doubts() const { return caches_->doubts(); }
  /// As Caches::run_to.
  void run_to(std::uint64_t instructions, std::uint64_t oldest) { caches_->run_to(instructions, oldest); }
  /// Return how long the last cache keeps a line that others may take; 0: nobody takes any.
  [[nodiscard]] Time keep() const { return caches_->facts().empty() ? 0 : caches_->facts().back().keep; }
  [[nodiscard]] Counters counters() const;
  void reset_counters();

 private:
  Machine(const std::string& word, const std::string& beside, std::uint64_t which, std::size_t threads);
  class Router;
  void add_memories(const Section& from, std::uint64_t seed, const std::string& prefix);
  unsigned add_beside(const std::string& word, std::uint64_t seed);
  std::string name_, summary_, source_;
  unsigned cpus_ = 1;
  CpuLimits limits_;
  CoreLimits core_;
  std::uint64_t line_bytes_ = LINE;
  Pages pages_;
  std::vector<Region> regions_;
  std::size_t default_ = 0;
  Noise noise_;
  std::uint64_t seed_ = 0;     // of the jitter
  std::size_t threads_;        // of the experiment; 0: not known
  std::vector<Touch> walked_;  // touches, each after the page walk that it needs
  std::unique_ptr<Router> router_;
  std::unique_ptr<Caches> caches_;
  std::unique_ptr<Tlbs> tlbs_;
};

}  // namespace tierscope::simulate
