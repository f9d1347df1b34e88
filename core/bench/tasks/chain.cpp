/// Chains: lists of dependent reads and writes of regions on two memories, a on the target and b on the source. Each
/// member has a part of both. A thread writes in its own part alone, so that no two threads store to one line and each
/// answer can be checked; with partition=shared it reads in all parts.
#include "bench/tasks/chain.hpp"

#include <algorithm>
#include <charconv>

#include "base/cpuid.hpp"
#include "base/error.hpp"
#include "base/random.hpp"
#include "base/registry.hpp"
#include "bench/content.hpp"
#include "bench/operations.hpp"
#include "bench/tasks/chain_ranks.hpp"
#include "bench/timed.hpp"

namespace tierscope {

using kernels::Flush;
using kernels::LINE;
using kernels::PAGE;
using kernels::chain::Act;
using kernels::chain::Step;

namespace {

constexpr std::size_t MEMORIES = 2;
constexpr std::uint64_t MOST_REGIONS = std::uint64_t{1} << 32U;  // of Zipf's law (kernels/chain_steps.hpp)

struct Instruction {
  Flush flush;
  std::string_view name, feature;  // the CPU's
};
/// The best first: what leaves the line in the cache, then what need not wait for another line.
constexpr std::array<Instruction, 7> INSTRUCTIONS{{{Flush::clwb, "clwb", "clwb"},
                                                   {Flush::clflushopt, "clflushopt", "clflushopt"},
                                                   {Flush::clflush, "clflush", "clflush"},
                                                   {Flush::cvadp, "cvadp", "dcpodp"},
                                                   {Flush::cvap, "cvap", "dcpop"},
                                                   {Flush::cvac, "cvac", "cvac"},
                                                   {Flush::civac, "civac", "civac"}}};

std::string draw_word(double exponent) {
  if (exponent == 0) return "uniform";
  std::array<char, 32> digits{};
  const auto end = std::to_chars(digits.data(), digits.data() + digits.size(), exponent).ptr;
  return "zipf:" + std::string(digits.data(), end);
}

}  // namespace

std::span<const Key<Chains>> Chains::table() {
  static constexpr Key<Chains> KEYS[]{
      bytes_key<Chains, &Chains::footprint>("footprint"),
      {"chain",
       [](Chains& its, const std::string& key, const std::string& word) {
         its.steps = parse_chain(percent_decoded(key, word));
       },
       [](const Chains& its) { return percent_encoded(chain_text(its.steps)); }},
      {"draw",
       [](Chains& its, const std::string& key, const std::string& word) {
         its.exponent = operations::parse_draw(key, word);
       },
       [](const Chains& its) { return draw_word(its.exponent); }},
      choice_key<Chains, &Chains::partition, PARTITIONS>("partition"),
  };
  return KEYS;
}

bool Chains::uses(std::size_t memory) const {
  return std::ranges::any_of(steps, [memory](const ChainStep& step) { return step.memory == memory; });
}

Flush flush_of(const Group& group, const ChainStep& step) {
  if (step.flush.empty() || step.past) return Flush::none;
  const bool any = step.flush == "flush", free = simulated(group.plan);
  for (const auto& [flush, name, feature] : INSTRUCTIONS)
    if ((any || step.flush == name) && (free || cpu::has(feature))) return flush;
  auto other = step;
  other.flush = any ? "" : "flush";
  throw Unsupported("chain: '" + step.text() + "' needs " + (any ? "an instruction that flushes a line" : step.flush) +
                    ", which this CPU or its hypervisor does not offer; try '" + other.text() + "'");
}

MemberChain::MemberChain(const Group& group, std::size_t number, const std::array<std::byte*, 2>& memories)
    : start_(random_word(group.plan.seed, number)) {
  const auto& its = group.plan.of<Chains>();
  const auto& member = group.members[number];
  for (const auto& asked : its.steps) {
    const bool all = its.shared() && !asked.writes;
    const auto lines = all ? group.operations : member.end - member.begin;
    Step step{.act = asked.writes ? (asked.past ? Act::write_nt : Act::write) : Act::read,
              .fences = !asked.flush.empty(),
              .flush = flush_of(group, asked),
              .bytes = asked.bytes,
              .regions = lines * LINE / asked.bytes,
              .base = memories[asked.memory] + (all ? 0 : member.begin * LINE)};
    if (its.exponent > 0) {
      auto& ranks = ranks_[step.regions];
      if (ranks.quantile.back() == 0) ranks = ranks_of(step.regions, its.exponent);
      step.ranks = &ranks;
    }
    steps_.push_back(step);
  }
  its_ = {steps_.data(), steps_.size(), group.line, its.exponent > 0};
  if (!simulated(group.plan)) its_.line = std::max<std::size_t>(cpu::line_bytes(), 1);
}

std::uint64_t MemberChain::writes() const noexcept {
  return static_cast<std::uint64_t>(
      std::ranges::count_if(steps_, [](const Step& step) { return step.act != Act::read; }));
}

namespace {

struct Kept {
  std::vector<std::unique_ptr<MemberChain>> chains;
};

}  // namespace

const MemberChain& chain_of(const Group& group, const Member& member) {
  const auto number = static_cast<std::size_t>(&member - group.members.data());
  return *static_cast<const Kept*>(group.kept.get())->chains[number];
}

namespace tasks::chain {
namespace {

/// Fills whole words; `first` is the number of the first in its memory.
void fill_tagged(std::span<std::byte> range, std::uint64_t seed, std::uint64_t first) noexcept {
  auto* word = words_at(range.data());
  for (std::size_t i = 0; i < range.size() / 8; ++i) word[i] = kernels::chain::tagged(random_word(seed, first + i));
}

/// The bytes that a step of this size needs at least: parts of a page or more are whole pages.
std::uint64_t in_pages(std::uint64_t bytes) { return bytes > PAGE ? (bytes + PAGE - 1) / PAGE * PAGE : bytes; }

void require_floorless(const Emulation& adds, const std::string& word) {
  if (adds.latency_floor_s > 0)
    throw BadPlan("kernel chain has several accesses in each operation, which target " + word +
                  " does not slow one by one; take an emulated bandwidth alone, or target=node:N");
}

class ChainTask final : public TaskOf<blocks::FencedRepeats> {
 public:
  using TaskOf::TaskOf;
  [[nodiscard]] std::unique_ptr<Work> work() const override { return std::make_unique<Chains>(); }
  void check(const Group& group) const override {
    const auto& its = group.plan.of<Chains>();
    if (!its.uses(0)) throw BadPlan("chain: no step uses a, the target; write a for the first memory");
    if (!group.plan.source.empty() && !its.uses(1))
      throw BadPlan("chain: no step uses b, the memory of source=" + group.plan.source + "; remove source=, or use b");
    for (const auto& step : its.steps) {
      (void)flush_of(group, step);
      if (step.past && !kernels::chain::PASSES_CACHES && !simulated(group.plan))
        throw Unsupported("chain: '" + step.text() + "' needs stores that bypass the caches, which this processor " +
                          "family does not have; remove nt");
    }
  }
  /// Lines of a member's part of each memory.
  [[nodiscard]] std::uint64_t share(const Group& group) const override {
    const auto& its = group.plan.of<Chains>();
    const auto memories = its.uses(1) ? MEMORIES : 1;
    const auto part = its.footprint / memories / group.plan.cpus.size();
    const auto each = part / (part >= PAGE ? PAGE : LINE) * (part >= PAGE ? PAGE : LINE);
    const auto largest =
        std::ranges::max_element(its.steps, {}, [](const ChainStep& step) { return step.bytes; })->bytes;
    if (each < largest) refuse_footprint(group.plan, its.footprint, memories * in_pages(largest));
    if (its.exponent > 0 && each * group.plan.cpus.size() / LINE > MOST_REGIONS)
      throw BadPlan("draw=zipf takes memories of 256 GiB at most; ask for a smaller footprint");
    return each / LINE;
  }

  [[nodiscard]] std::uint64_t stride(const Group& group, std::size_t k) const override {
    return k < MEMORIES && group.plan.of<Chains>().uses(k) ? LINE : 0;
  }
  [[nodiscard]] bool from_source(const Group& group, std::size_t k) const override {
    return k == 1 && group.plan.of<Chains>().uses(1);
  }
  [[nodiscard]] bool limited() const override { return true; }
  /// A read moves its lines once. A plain store reads its line first, and writes it when it is flushed or replaced;
  /// one past the caches writes alone. The share that Zipf's law leaves in caches is not known.
  [[nodiscard]] std::optional<Moved> moved(const Group& group, bool source) const override {
    const auto& its = group.plan.of<Chains>();
    Moved moved;
    bool known = its.exponent == 0;
    double lines = 0;
    for (const auto& step : its.steps) {
      if (group.on_source(step.memory) != source) continue;
      const auto bytes = static_cast<double>(step.bytes);
      const bool owns = step.writes && !step.past;
      known = known && step.bytes % group.line == 0 && (!step.writes || kernels::OWNS);
      moved.program_bytes += bytes;
      lines += owns ? 2 * bytes : bytes;
    }
    moved.bus_bytes = known ? lines : -1;
    return moved;
  }
  [[nodiscard]] std::uint64_t accesses(const Group& group) const override {
    std::uint64_t lines = 0;
    for (const auto& step : group.plan.of<Chains>().steps) lines += step.bytes / LINE;
    return lines;
  }
  void require_reached(const Group& group) const override {
    require_floorless(group.target_adds, group.plan.target + ":" + group.plan.where);
    require_floorless(group.source_adds, group.plan.source);
  }

  /// On one target, b is behind a.
  void place(Group& group, std::size_t number) const override {
    if (number == 0) group.kept = std::make_shared<Kept>();
    auto& member = group.members[number];
    auto& pass = member.pass;
    if (!group.on_source(1)) pass.operand[1] += group.operations * LINE;
    auto& chains = static_cast<Kept*>(group.kept.get())->chains;
    chains.push_back(std::make_unique<MemberChain>(group, number,
                                                   std::array<std::byte*, MEMORIES>{pass.operand[0], pass.operand[1]}));
    pass.operand[3] = chains.back()->frame();
    pass.state = chains.back()->start();
    pass.written = 0;
  }
  void fill(const Group& group, std::size_t member, std::span<std::byte> memory) const noexcept override {
    const auto part = part_of(group, member, memory);
    fill_tagged(part, group.plan.seed, static_cast<std::uint64_t>(part.data() - memory.data()) / 8);
  }
  /// Changes one line of each page of the member's own parts.
  void stir(const Group& group, std::size_t number) const noexcept override {
    constexpr auto per_page = PAGE / LINE;
    const auto& member = group.members[number];
    for (std::size_t k = 0; k < MEMORIES; ++k)
      for (auto line = member.begin; group.stride(k) > 0 && line < member.end; line += per_page) {
        const auto chosen = std::min(line + random_word(~group.plan.seed, line) % per_page, member.end - 1);
        fill_tagged({member.pass.operand[k] + chosen * LINE, LINE}, ~group.plan.seed, chosen * (LINE / 8));
      }
  }
  [[nodiscard]] std::string content(const Group&) const override { return " chain"; }

  [[nodiscard]] double verify(const Group& group, const Member& member) const override {
    return verify_chain(group, member);
  }

  [[nodiscard]] std::string unsimulated(const kernels::KernelEntry&) const override { return ""; }
  [[nodiscard]] std::unique_ptr<Stream> stream(const Group& group, std::size_t member,
                                               const Bases& bases) const override {
    return chain_stream(group, member, bases);
  }
  [[nodiscard]] bool drains() const override { return true; }
};

const ChainTask task{"chain"};
const Registration<Task> registration{task};

}  // namespace
}  // namespace tasks::chain
}  // namespace tierscope
