#include "simulate/machine.hpp"

#include <algorithm>
#include <new>

#include "base/error.hpp"
#include "base/random.hpp"
#include "simulate/cache.hpp"
#include "simulate/interleave.hpp"

namespace tierscope::simulate {

/// All memories of a machine as one: the number of an address above MEMORY_BIT selects the memory.
class Machine::Router final : public Memory {
 public:
  void add(const std::string& name, std::unique_ptr<Memory> memory) {
    names_.push_back(name);
    memories_.push_back(std::move(memory));
  }
  Time read(std::uint64_t address, Time at) override {
    if (!asked_.empty()) return ++asked_[address >> MEMORY_BIT].reads, at;
    if (watch_) watch_(address & MASK, false);
    return in_turn(at, [&](Time now) { return of(address).read(address & MASK, now); });
  }
  Time write(std::uint64_t address, Time at) override {
    if (!asked_.empty()) return ++asked_[address >> MEMORY_BIT].writes, at;
    if (watch_) watch_(address & MASK, true);
    return in_turn(at, [&](Time now) { return of(address).write(address & MASK, now); });
  }
  unsigned beside = 0;  // the number of the memory that another machine lends
  /// From now on, no access waits for another: each comes to memories that have been idle for REST.
  void never_queue() { queues_ = false; }
  void watch(Watch watch) { watch_ = std::move(watch); }
  /// From now on, count requests without a call of the memory.
  void only_count() { asked_.resize(memories_.size()); }
  void count(const std::string&, Counters& counters) const override {
    for (std::size_t m = 0; m < asked_.size(); ++m) {
      counters[names_[m] + ".reads"] += asked_[m].reads;
      counters[names_[m] + ".writes"] += asked_[m].writes;
    }
    for (std::size_t m = 0; m < memories_.size() && asked_.empty(); ++m) memories_[m]->count(names_[m] + ".", counters);
  }
  void reset_counters() override {
    asked_.assign(asked_.size(), {});
    for (const auto& memory : memories_) memory->reset_counters();
  }
  [[nodiscard]] std::uint64_t reach() const override {
    std::uint64_t most = 0;
    for (const auto& memory : memories_) most = std::max(most, memory->reach());
    return most;
  }
  [[nodiscard]] bool announced() const override {
    return std::ranges::any_of(memories_, [](const auto& memory) { return memory->announced(); });
  }
  void announce(std::uint64_t address, unsigned step) const override { of(address).announce(address & MASK, step); }

 private:
  static constexpr std::uint64_t MASK = (std::uint64_t{1} << MEMORY_BIT) - 1;
  static constexpr auto REST =
      static_cast<Time>(TICKS_PER_S / 100'000);  // 10 us: no queue of a memory here takes longer to empty
  [[nodiscard]] Memory& of(std::uint64_t address) const { return *memories_[address >> MEMORY_BIT]; }
  template <class Ask>
  Time in_turn(Time at, const Ask& ask) {
    if (queues_) return ask(at);
    const Time now = rested_;
    const Time done = ask(now);
    rested_ = std::max(done, now) + REST;
    return at + (done - now);
  }
  Watch watch_;
  bool queues_ = true;
  Time rested_ = 0;  // a clock only for the memories, if nothing queues
  struct Asked {
    std::uint64_t reads = 0, writes = 0;
  };
  std::vector<Asked> asked_;  // by memory; empty: the memories have their own counters
  std::vector<std::string> names_;
  std::vector<std::unique_ptr<Memory>> memories_;
};

namespace {

constexpr std::uint64_t MOST_CPUS = 1024;
constexpr std::uint64_t MOST_CODE = std::uint64_t{1} << 30U;  // bytes
constexpr std::uint64_t PAGES = 0x50A6;                       // the same of the pages in parts
constexpr std::uint64_t JITTER = 0x6A17;                      // makes its seed differ from those of other choices
constexpr const char* BESIDE = "beside_";                     // before the names of another machine's memories

/// Return whether a memory, or the one behind it, consists of several that alternate: threads can visit these in step.
bool interleaves(const Section& memory) {
  return (memory.has("ways") && memory.count("ways", 1, 64) > 1) ||
         (memory.has("behind") && interleaves(memory.section("behind")));
}

WalkLimits walk_of(const Section& walk) {
  return {walk.time("base"), static_cast<unsigned>(walk.count("parallel", 0, 64, "0"))};
}

CpuLimits limits_of(const Section& cpu) {
  CpuLimits limits;
  limits.cycle = cpu.time("cycle", "0.4ns");
  limits.issue = cpu.time("issue", "0.25ns");
  limits.loads = static_cast<unsigned>(cpu.count("loads", 1, 1024, "16"));
  limits.stores = static_cast<unsigned>(cpu.count("stores", 1, 1024, "16"));
  limits.combining = static_cast<unsigned>(cpu.count("combining", 1, 1024, "12"));
  limits.streaming = static_cast<unsigned>(cpu.count("streaming", 0, 1U << 20U, "0"));
  limits.bypass = cpu.time("bypass", "0ns");
  limits.transfer = cpu.time("transfer", "0ns");
  limits.scatter = cpu.time("scatter", "3.7ns");
  limits.handover = cpu.time("handover", "47ns");
  if (limits.issue <= 0) cpu.refuse("issue", "must be above 0: a CPU cannot start endless accesses at the same time");
  return limits;
}

/// Return the bytes of a line of the caches.
std::uint64_t line_of(const Section& cpu, bool cached) {
  const auto bytes = cpu.bytes("line", "64B");
  if (bytes != 64 && bytes != 128 && bytes != 256)
    cpu.refuse("line", std::to_string(bytes) + " bytes are none of 64, 128 and 256");
  if (bytes != 64 && !cached) cpu.refuse("line", "is that of caches, and there is no [[cache]]");
  return bytes;
}

FetchLimits fetch_of(const Section& fetch) {
  FetchLimits limits;
  limits.bytes = fetch.bytes("size", "0B");
  limits.ways = static_cast<unsigned>(fetch.count("ways", 1, Cache::MOST_WAYS, "8"));
  limits.ahead = static_cast<unsigned>(fetch.count("ahead", 0, 1024, "0"));
  limits.targets = static_cast<unsigned>(fetch.count("targets", 4, 1U << 20U, "4096"));
  limits.redirect = static_cast<unsigned>(fetch.count("redirect", 0, 1000, "8"));
  limits.pages = static_cast<unsigned>(fetch.count("pages", 1, 1U << 16U, "64"));
  limits.between = static_cast<unsigned>(fetch.count("between", 0, 1000, "0"));
  if (limits.bytes > MOST_CODE) fetch.refuse("size", "is above 1 GiB");
  if (limits.bytes % (LINE * limits.ways) != 0) fetch.refuse("size", "is not a multiple of its ways of 64 bytes");
  return limits;
}

CoreLimits core_of(const Section& root) {
  CoreLimits limits;
  if (!root.has("core")) return limits;
  const auto core = root.section("core");
  limits.width = static_cast<unsigned>(core.count("width", 1, 32, "4"));
  limits.reorder = static_cast<unsigned>(core.count("reorder", 8, 4096, "224"));
  limits.store_buffer = static_cast<unsigned>(core.count("store_buffer", 1, 1024, "56"));
  limits.load_buffer = static_cast<unsigned>(core.count("load_buffer", 0, 4096, "0"));
  limits.integer_registers = static_cast<unsigned>(core.count("integer_registers", 0, 4096, "0"));
  limits.vector_registers = static_cast<unsigned>(core.count("vector_registers", 0, 4096, "0"));
  limits.wrong_guess = static_cast<unsigned>(core.count("wrong_guess", 0, 1000, "16"));
  limits.shared = core.choice("fill_buffers", {"shared", "apart"}, "shared") == "shared";
  limits.unit = core.choice("operations", {"typical", "unit"}, "typical") == "unit";
  limits.wrong_path = core.real("wrong_path", 0, 1, "0");
  if (core.has("fetch")) limits.fetch = fetch_of(core.section("fetch"));
  return limits;
}

}  // namespace

Pages pages_of(const Section& root) {
  Pages found;
  if (!root.has("pages")) return found;
  const auto pages = root.section("pages");
  const auto size = [&](const char* key, std::uint64_t otherwise) {
    if (!pages.has(key)) return otherwise;
    const auto bytes = pages.bytes(key);
    if (bytes < 4096 || (bytes & (bytes - 1)) != 0) pages.refuse(key, "is not a power of two of 4 KiB or more");
    return bytes;
  };
  found = {size("bytes", 0), size("base", found.base), size("large", found.large), pages.real("split", 0, 1, "0")};
  if (found.large <= found.base) pages.refuse("large", "is not above base");
  if (found.bytes > 0 && found.bytes < found.base)
    pages.refuse("bytes", "is below base, the smallest pages of this machine");
  return found;
}

namespace {

/// Return the file with the memories of this machine: its own, or the one that `memories` names, which must be
/// complete.
Section memories_of(const Section& root) {
  if (!root.has("memories")) return root;
  if (root.has("memory") || root.has("default"))
    root.refuse("memories", "takes the memories of another machine; leave [memory] and default out");
  const auto word = root.word("memories");
  const auto from = read_config(word);
  if (from.has("memories")) root.refuse("memories", "names a machine whose memories are those of a third one");
  const Machine whole(word);
  return from;
}

}  // namespace

Machine::Machine(const std::string& word) : Machine(word, "") {}

Machine::Machine(const std::string& word, const std::string& beside) : Machine(word, beside, 0, 0) {}

Machine::Machine(const std::string& word, std::uint64_t which, std::size_t threads)
    : Machine(word, "", which, threads) {}

Machine::Machine(const std::string& word, const std::string& beside, std::uint64_t which, std::size_t threads) try
    : threads_(threads), router_(std::make_unique<Router>()) {
  const auto root = read_config(word);
  name_ = root.word("name");
  summary_ = root.word("summary");
  source_ = root.word("source");
  const auto stated = root.count("seed", 0, ~std::uint64_t{0}, "1995");
  const auto seed = which == 0 ? stated : mixed(stated ^ mixed(which));
  seed_ = mixed(seed ^ JITTER);
  const auto cpu = root.section("cpu");
  cpus_ = static_cast<unsigned>(cpu.count("count", 1, MOST_CPUS));
  limits_ = limits_of(cpu);
  line_bytes_ = line_of(cpu, root.has("cache"));
  core_ = core_of(root);
  pages_ = pages_of(root);
  const auto from = memories_of(root);
  if (!root.flag("queueing", true)) router_->never_queue();
  add_memories(from, seed, "");
  if (regions_.empty()) root.refuse("memory", "there is no table [memory.NAME]");
  default_ = regions_.size() > 1 || from.has("default") ? region(from.word("default")) : 0;
  if (!beside.empty()) router_->beside = add_beside(beside, seed);
  if (root.has("noise")) noise_ = Noise(root.section("noise"), mixed(~seed));
  caches_ = std::make_unique<Caches>(root.sections("cache"), cpus_, seed, *router_, line_bytes_);
  const auto levels = root.sections("tlb");
  if (!levels.empty() && pages_.bytes == 0)
    root.refuse("pages", "is absent, but there is a TLB; write bytes = \"4KiB\"");
  if (levels.empty() && root.has("walk")) root.refuse("walk", "is given, but no [[tlb]] that could miss");
  const auto walk = root.has("walk") ? walk_of(root.section("walk")) : WalkLimits{};
  if (!levels.empty())
    tlbs_ = std::make_unique<Tlbs>(
        levels, cpus_, Translated{pages_.bytes, pages_.base, pages_.split, mixed(stated ^ PAGES)}, walk, *caches_);
  root.refuse_rest();
} catch (const std::bad_alloc&) {
  throw Unsupported("sim:" + word + " needs more memory than this machine has; make its caches and buffers smaller");
}

void Machine::add_memories(const Section& from, std::uint64_t seed, const std::string& prefix) {
  for (const auto& section : from.sections("memory")) {
    const auto size = section.bytes("size");
    if (size < (std::uint64_t{1} << 20U)) section.refuse("size", "is below 1 MiB");
    const auto name = prefix + section.name();
    for (const auto& other : regions_)
      if (other.name == name) from.refuse("memory", "has two tables of the name '" + name + "'");
    router_->add(name, make_memory_of(section, mixed(seed + regions_.size())));
    regions_.push_back(
        {name, size, section.choice("persistence", {"none", "adr", "eadr"}, "none"), interleaves(section)});
  }
}

unsigned Machine::add_beside(const std::string& word, std::uint64_t seed) {
  const auto [machine, memory] = parse_place(word);
  const Machine whole(machine);  // refuses what is wrong with it
  add_memories(memories_of(read_config(machine)), seed, BESIDE);
  return region(BESIDE + whole.regions()[whole.region(memory)].name);
}

Machine::Machine(Machine&&) noexcept = default;
Machine::~Machine() = default;

unsigned Machine::region(const std::string& name) const {
  if (name.empty()) return static_cast<unsigned>(default_);
  std::string known;
  for (std::size_t r = 0; r < regions_.size(); ++r) {
    if (regions_[r].name == name) return static_cast<unsigned>(r);
    known += (known.empty() ? "" : ", ") + regions_[r].name;
  }
  throw BadPlan("simulated machine " + name_ + " has no memory '" + name + "' (known: " + known + ")");
}

unsigned Machine::beside() const noexcept { return router_->beside; }

Jitter Machine::jitter(unsigned cpu) const noexcept {
  const bool some = std::any_of(regions_.begin(), regions_.end(), [](const Region& one) { return one.interleaved; });
  if (threads_ < 2 || !some) return {};
  return {limits_.scatter, limits_.handover * static_cast<Time>(threads_), mixed(seed_ + cpu)};
}

std::uint64_t Machine::reach() const {
  std::uint64_t sum = router_->reach();
  for (const auto& cache : caches_->facts()) sum += cache.size * (cpus_ / cache.shared);
  return sum;
}

bool Machine::announced() const { return router_->announced(); }

void Machine::announce(std::span<const Access> accesses) const {
  for (unsigned step = 0; step < ANNOUNCED; ++step)
    for (const auto& access : accesses) router_->announce(access.address, step);
}

void Machine::watch(Watch watch) { router_->watch(std::move(watch)); }

void Machine::touch(unsigned cpu, std::span<const Touch> touches) {
  router_->only_count();
  if (tlbs_ == nullptr) return caches_->touch(cpu, touches);
  walked_.clear();
  for (const auto touch : touches) {
    if (const auto entry = tlbs_->walk_of(cpu, touch & ADDRESS); entry != 0) walked_.push_back(load_of(entry));
    walked_.push_back(touch);
  }
  caches_->touch(cpu, walked_);
}

bool Machine::caches_like(const Machine& other) const {
  const bool translated = tlbs_ != nullptr;
  const auto &own = core_.fetch, &others = other.core_.fetch;
  if (own.bytes != others.bytes || own.ways != others.ways || own.targets != others.targets ||
      own.pages != others.pages)
    return false;
  return cpus_ == other.cpus_ && caches_->like(*other.caches_) && translated == (other.tlbs_ != nullptr) &&
         (!translated || tlbs_->like(*other.tlbs_));
}

void Machine::copy_caches(unsigned cpu, const Machine& from) {
  caches_->copy(cpu, *from.caches_);
  if (tlbs_ != nullptr) tlbs_->copy(cpu, *from.tlbs_);
}

Counters Machine::counters() const {
  Counters counters;
  caches_->count(counters);
  if (tlbs_ != nullptr) tlbs_->count(counters);
  router_->count("", counters);
  return counters;
}

void Machine::reset_counters() {
  caches_->reset_counters();
  if (tlbs_ != nullptr) tlbs_->reset_counters();
  router_->reset_counters();
}

}  // namespace tierscope::simulate
