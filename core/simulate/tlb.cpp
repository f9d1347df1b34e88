/// Levels of translations over page walks. A page that is found in one level is put into those nearer; each replaces
/// the least recently used one. A page walk costs `base` and one read of the page's entry through the caches. The
/// entries are eight bytes for each page, from 2^47 on in the same memory, so that eight neighbouring pages share one
/// line of them. Entries of parts of pages are in a table of their own. A CPU has `parallel` page walkers, each busy
/// from the begin of its walk until the entry has come.
/// Blind to: the upper steps of a page walk, which have their own caches; `base` stands for them. Parts of a page are
/// in the levels of whole pages, where processors often have a level of their own for the smallest pages.
///
/// Sources: A. Bhattacharjee, D. Lustig, "Architectural and Operating System Support for Virtual Memory", Synthesis
/// Lectures on Computer Architecture, 2017; Intel, "64 and IA-32 Architectures Optimization Reference Manual", 2024,
/// chapter 2 (two or four walks at the same time).
#include "simulate/tlb.hpp"

#include <algorithm>
#include <bit>
#include <optional>

#include "base/random.hpp"
#include "simulate/busy.hpp"
#include "simulate/cache.hpp"
#include "simulate/flights.hpp"
#include "simulate/lru.hpp"

namespace tierscope::simulate {
namespace {

constexpr unsigned MOST_ENTRIES = 1U << 20U;
constexpr std::uint64_t ENTRY_BYTES = 8, TABLE = std::uint64_t{1} << 47U, PARTS_TABLE = TABLE + TABLE / 2;
constexpr std::uint64_t PART = std::uint64_t{1} << 55U;  // marks the number of a part
constexpr std::size_t WALKS = 64;                        // simultaneous ones of one CPU that are distinguished

struct Facts {
  std::string name;
  std::uint64_t pages = 0;  // bytes of the pages that it serves; 0: of any
  unsigned entries = 0, ways = 0;
  Time latency = 0;
};

/// One level of one CPU. If all places are one set: a hash, whatever its size; else like a cache of lines.
class Translations {
 public:
  explicit Translations(const Facts& facts) {
    if (facts.ways == facts.entries) {
      all_.emplace(facts.entries);
    } else {
      sets_.emplace(facts.entries / facts.ways, facts.ways, Policy::lru, 0);
    }
  }
  /// Use the page.
  bool touch(std::uint64_t page) noexcept {
    return all_ ? all_->find(page) != nullptr : sets_->touch(page * LINE) != nullptr;
  }
  /// Take the pages of one of the same entries and ways.
  void copy(const Translations& from) {
    if (all_) {
      *all_ = *from.all_;
    } else {
      sets_->copy(*from.sets_);
    }
  }
  /// Insert a page that is absent.
  void fill(std::uint64_t page) noexcept {
    if (all_) {
      all_->insert(page);
    } else {
      sets_->fill(page * LINE);
    }
  }

 private:
  std::optional<Lru> all_;
  std::optional<Cache> sets_;
};

Facts facts_of(const Section& section) {
  Facts facts;
  facts.name = section.word("name");
  facts.entries = static_cast<unsigned>(section.count("entries", 1, MOST_ENTRIES));
  facts.ways = static_cast<unsigned>(section.count("ways", 0, MOST_ENTRIES, "0"));
  facts.latency = section.time("latency", "0ns");
  if (section.has("pages")) facts.pages = section.bytes("pages");
  if (facts.ways == 0) facts.ways = facts.entries;
  if (facts.entries % facts.ways != 0)
    section.refuse("ways",
                   std::to_string(facts.ways) + " do not divide its " + std::to_string(facts.entries) + " entries");
  if (facts.ways != facts.entries && facts.ways > Cache::MOST_WAYS)
    section.refuse("ways", "are above " + std::to_string(Cache::MOST_WAYS) + "; 0 means that any entry takes any page");
  return facts;
}

/// Refuse what contradicts the level before it.
void check_behind(const Section& section, const Facts& facts, const Facts& nearer) {
  if (facts.name == nearer.name) section.refuse("name", "'" + facts.name + "' is the name of two TLBs");
  if (facts.entries < nearer.entries)
    section.refuse("entries", std::to_string(facts.entries) + " are fewer than the " + std::to_string(nearer.entries) +
                                  " of " + nearer.name + ", which is nearer");
  if (facts.latency < nearer.latency)
    section.refuse("latency", "is below that of " + nearer.name + ", which is nearer");
}

}  // namespace

class Tlbs::Levels {
 public:
  Levels(const std::vector<Section>& sections, unsigned cpus, const Translated& pages, const WalkLimits& walk,
         Caches& caches)
      : page_bytes_(pages.page_bytes),
        shift_(static_cast<unsigned>(std::countr_zero(pages.page_bytes))),
        part_shift_(static_cast<unsigned>(std::countr_zero(std::max<std::uint64_t>(pages.part_bytes, 1)))),
        split_(pages.part_bytes < pages.page_bytes ? static_cast<std::uint64_t>(pages.split * SPLITS) : 0),
        seed_(pages.seed),
        walk_(walk),
        caches_(caches),
        cpus_(cpus) {
    for (const auto& section : sections) {
      const auto facts = facts_of(section);
      if (facts.pages != 0 && facts.pages != page_bytes_) continue;
      if (!facts_.empty()) check_behind(section, facts, facts_.back());
      facts_.push_back(facts);
    }
    if (facts_.empty())
      sections.front().refuse("pages", "no TLB of this machine is for pages of " + std::to_string(page_bytes_) +
                                           " bytes; add one, or take other pages");
    hits_.resize(facts_.size());
    misses_.resize(facts_.size());
  }

  Time translate(unsigned cpu, std::uint64_t address, Time at) {
    const auto page = entry_of(address);
    auto& own = cpus_[cpu];
    if (page == own.last && at >= own.busy) {
      ++hits_[0];
      return at + facts_[0].latency;
    }
    return other(cpu, page, address, at);
  }
  Time translate_code(unsigned cpu, std::uint64_t address, Time at) {
    return other(cpu, entry_of(address), address, at, facts_.size() > 1 ? 1 : 0);
  }
  std::uint64_t walk_of(unsigned cpu, std::uint64_t address) {
    const auto page = entry_of(address);
    const auto k = page == cpus_[cpu].last ? 0 : find(cpu, page);
    if (k == facts_.size()) return place_of(address);
    ++hits_[k];
    return 0;
  }
  [[nodiscard]] bool like(const Levels& other) const {
    return shift_ == other.shift_ && part_shift_ == other.part_shift_ && split_ == other.split_ &&
           seed_ == other.seed_ && std::ranges::equal(facts_, other.facts_, [](const Facts& a, const Facts& b) {
             return a.entries == b.entries && a.ways == b.ways;
           });
  }
  void copy(unsigned cpu, const Levels& from) {
    auto& own = cpus_[cpu];
    const auto& other = from.cpus_[cpu];
    if (other.levels.empty()) return;
    make(own);
    for (std::size_t k = 0; k < facts_.size(); ++k) own.levels[k].copy(other.levels[k]);
    own.last = other.last;
  }
  void count(Counters& counters) const {
    for (std::size_t k = 0; k < facts_.size(); ++k) {
      counters[facts_[k].name + ".hits"] += hits_[k];
      counters[facts_[k].name + ".misses"] += misses_[k];
    }
    counters["walks"] += misses_.back();
  }
  void reset_counters() {
    hits_.assign(hits_.size(), 0);
    misses_.assign(misses_.size(), 0);
  }

  /// Return the number of the page, or of the part of it, that has an entry.
  [[nodiscard]] std::uint64_t entry_of(std::uint64_t address) const noexcept {
    const auto page = address >> shift_;
    return split_ != 0 && mixed(page ^ seed_) % SPLITS < split_ ? (address >> part_shift_) | PART : page;
  }

 private:
  static constexpr std::uint64_t SPLITS = std::uint64_t{1} << 32U;  // shares of pages are counted in these

  /// The state of one CPU; its levels are made at its first use.
  struct Own {
    std::vector<Translations> levels;
    std::optional<Flights> walks;
    std::optional<Ports> walkers;            // absent: any number
    std::uint64_t last = ~std::uint64_t{0};  // page
    Time busy = 0;                           // until when a page walk is in flight
  };

  void make(Own& own) const {
    if (!own.levels.empty()) return;
    for (const auto& facts : facts_) own.levels.emplace_back(facts);
    own.walks.emplace(WALKS);
    if (walk_.parallel != 0) own.walkers.emplace(walk_.parallel);
  }
  /// Return the level from `first` on that has the page, or the number of levels if none does. The levels that it
  /// missed have it now.
  std::size_t find(unsigned cpu, std::uint64_t page, std::size_t first = 0) {
    auto& own = cpus_[cpu];
    make(own);
    if (first == 0) own.last = page;
    std::size_t k = first;
    while (k < facts_.size() && !own.levels[k].touch(page)) ++misses_[k++];
    for (std::size_t nearer = first; nearer < k; ++nearer) own.levels[nearer].fill(page);
    return k;
  }
  [[gnu::noinline]] Time other(unsigned cpu, std::uint64_t page, std::uint64_t address, Time at,
                               std::size_t first = 0) {
    const auto k = find(cpu, page, first);
    if (k == facts_.size()) return walk(cpu, page, address, at);
    auto& own = cpus_[cpu];
    ++hits_[k];
    const Time done = at + facts_[k].latency;
    return at < own.busy ? std::max(done, own.walks->ready(page * LINE)) : done;
  }
  [[nodiscard]] std::uint64_t place_of(std::uint64_t address) const noexcept {
    constexpr std::uint64_t WITHIN = (std::uint64_t{1} << MEMORY_BIT) - 1;
    const bool part = (entry_of(address) & PART) != 0;
    return (address & ~WITHIN) + (part ? PARTS_TABLE : TABLE) +
           ((address & WITHIN) >> (part ? part_shift_ : shift_)) * ENTRY_BYTES;
  }
  Time walk(unsigned cpu, std::uint64_t page, std::uint64_t address, Time at) {
    auto& own = cpus_[cpu];
    const Time begin = own.walkers ? std::max(at, own.walkers->free()) : at;
    const Time done = caches_.access(cpu, place_of(address), Kind::load, begin + walk_.base);
    if (own.walkers) own.walkers->take(begin, done - begin);
    own.walks->put(page * LINE, done);
    own.busy = std::max(own.busy, done);
    return done;
  }

  std::uint64_t page_bytes_;
  unsigned shift_, part_shift_;
  std::uint64_t split_, seed_;
  WalkLimits walk_;
  Caches& caches_;
  std::vector<Facts> facts_;
  std::vector<Own> cpus_;
  std::vector<std::uint64_t> hits_, misses_;
};

Tlbs::Tlbs(const std::vector<Section>& levels, unsigned cpus, const Translated& pages, const WalkLimits& walk,
           Caches& caches)
    : levels_(std::make_unique<Levels>(levels, cpus, pages, walk, caches)) {}
Tlbs::~Tlbs() = default;
Time Tlbs::translate(unsigned cpu, std::uint64_t address, Time at) { return levels_->translate(cpu, address, at); }
std::uint64_t Tlbs::walk_of(unsigned cpu, std::uint64_t address) { return levels_->walk_of(cpu, address); }
bool Tlbs::like(const Tlbs& other) const { return levels_->like(*other.levels_); }
std::uint64_t Tlbs::entry_of(std::uint64_t address) const { return levels_->entry_of(address); }
Time Tlbs::translate_code(unsigned cpu, std::uint64_t address, Time at) {
  return levels_->translate_code(cpu, address, at);
}
void Tlbs::copy(unsigned cpu, const Tlbs& from) { levels_->copy(cpu, *from.levels_); }
void Tlbs::count(Counters& counters) const { levels_->count(counters); }
void Tlbs::reset_counters() { levels_->reset_counters(); }

}  // namespace tierscope::simulate
