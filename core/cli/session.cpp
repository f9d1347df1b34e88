#include "cli/session.hpp"

#include <algorithm>
#include <utility>

#include "base/error.hpp"
#include "cli/describe.hpp"
#include "cli/json.hpp"
#include "team/topology.hpp"

namespace tierscope {
namespace {

constexpr double LONGEST_S = 3600;  // of one batch: its samples are kept in memory until its end
constexpr double SHORTEST_BLOCK_S = 1e-6;
constexpr double MOST_BLOCKS = 4e6;  // of one thread and batch, an hour of milliseconds: they take 640 MB

std::string take(std::map<std::string, std::string>& words, const std::string& key, const std::string& otherwise) {
  const auto found = words.extract(key);
  return found.empty() ? otherwise : found.mapped();
}

void refuse_rest(const std::string& command, const std::map<std::string, std::string>& words) {
  if (!words.empty()) throw BadPlan("unknown key '" + words.begin()->first + "' of " + command);
}

}  // namespace

Session::Session(const std::string& samples, Emit emit) : emit_(std::move(emit)) {
  if (!samples.empty()) samples_ = std::make_unique<SampleFile>(samples);
  emit_(describe::hello());
}

void Session::execute(const std::string& text) {
  const auto line = parse_line(text);
  if (line.command.empty()) return;
  using Command = void (Session::*)(const Line&);
  static const std::map<std::string, Command> commands{
      {"group", &Session::add_group}, {"prepare", &Session::prepare}, {"set", &Session::set},
      {"measure", &Session::measure}, {"check", &Session::check},     {"drop", &Session::drop},
      {"timings", &Session::timings}, {"count", &Session::count},     {"counts", &Session::counts}};
  const auto found = commands.find(line.command);
  if (found == commands.end())
    throw BadPlan("unknown command '" + line.command +
                  "' (known: check, count, counts, drop, group, measure, prepare, set, timings)");
  (this->*found->second)(line);
}

void Session::finish() {
  if (pending_.empty()) return;
  prepare({"prepare", {}});
  measure({"measure", {}});
  check({"check", {}});
}

void Session::add_group(const Line& line) {
  GroupPlan plan;
  const bool before = std::exchange(refused_, true);  // unless its options can be read
  read_words(line.words, plan);
  refused_ = before;
  pending_.push_back(plan);
}

void Session::prepare(const Line& line) {
  refuse_rest("prepare", line.words);
  if (std::exchange(refused_, false)) {
    pending_.clear();
    throw BadPlan("a group of this prepare was refused, so none is prepared; correct it and write all of them again");
  }
  if (pending_.empty()) throw BadPlan("prepare without a group; write group kernel=... first");
  const auto plans = std::exchange(pending_, std::vector<GroupPlan>{});
  const bool counted = std::ranges::any_of(plans, &simulated);
  stage_ = counted ? static_cast<Stage*>(&simulation_) : &bench_;
  stage_->prepare(plans);
  std::vector<std::string> groups;
  for (std::size_t g = 0; g < stage_->groups().size(); ++g)
    groups.push_back(describe::group(stage_->groups()[g], stage_->store(g)));
  emit_(json::Object()
            .add("fact", "prepared")
            .raw("groups", json::list(groups))
            .raw("clock", describe::clock(counted))
            .str());
}

void Session::set(const Line& line) {
  auto words = line.words;
  const auto number = parse_count("group", take(words, "group", "0"));
  if (number >= stage_->groups().size())
    throw BadPlan("set names group " + std::to_string(number) + "; prepare it first");
  auto plan = stage_->groups()[number].plan;
  if (words.contains("kernel") && !words.contains("isa")) plan.isa.clear();
  read_words(words, plan);
  stage_->set(number, plan);
  emit_(json::Object()
            .add("fact", "set")
            .raw("group", describe::group(stage_->groups()[number], stage_->store(number)))
            .str());
}

void Session::measure(const Line& line) {
  auto words = line.words;
  const auto seconds = parse_seconds("seconds", take(words, "seconds", "1"));
  const auto block = parse_seconds("block", take(words, "block", "1ms"));
  const auto keep = parse_count("keep", take(words, "keep", "1"));
  const auto groups = topology::parse_list(take(words, "groups", ""));
  refuse_rest("measure", words);
  if (stage_->groups().empty()) throw BadPlan("measure without prepared groups");
  if (!(seconds > 0 && seconds <= LONGEST_S)) throw BadPlan("seconds must be above 0 and at most 3600");
  if (!(block >= SHORTEST_BLOCK_S && block <= seconds)) throw BadPlan("block must be from 1us to seconds");
  if (seconds / block > MOST_BLOCKS) throw BadPlan("seconds/block is over 4000000 blocks; ask for longer blocks");
  if (keep > 1) throw BadPlan("keep must be 0 or 1");
  const auto batch = stage_->batch();
  const auto first = samples_ ? samples_->rows() : 0;
  const auto rows = stage_->measure(seconds, block, groups, keep == 1 ? samples_.get() : nullptr);
  emit_(json::Object().add("fact", "measured").add("batch", batch).add("first", first).add("rows", rows).str());
}

void Session::check(const Line& line) {
  refuse_rest("check", line.words);
  if (stage_->groups().empty()) throw BadPlan("check without prepared groups");
  const auto errors = stage_->check();
  std::vector<std::string> details;  // what the victims have found so far
  for (std::size_t g = 0; g < stage_->groups().size(); ++g) {
    const auto& victims = stage_->store(g).victims;
    details.push_back(victims.empty() ? "" : victims.front()->detail());
  }
  emit_(json::Object()
            .add("fact", "checked")
            .add("largest_relative_error", errors)
            .add("details", details)
            .raw("counters", json::object(stage_->counters()))
            .str());
}

/// Report the times of each group, for each batch in which it ran; none for groups that run no structure.
void Session::timings(const Line& line) {
  refuse_rest("timings", line.words);
  if (stage_->groups().empty()) throw BadPlan("timings without prepared groups");
  std::vector<std::string> groups;
  for (std::size_t g = 0; g < stage_->groups().size(); ++g) {
    std::vector<std::string> batches;
    for (const auto& timing : stage_->store(g).timings) batches.push_back(describe::timing(timing));
    groups.push_back(json::list(batches));
  }
  emit_(json::Object().add("fact", "timings").raw("groups", json::list(groups)).str());
}

/// Count performance events in the blocks of all batches from now on, until the next `prepare`.
void Session::count(const Line& line) {
  auto words = line.words;
  const auto events = take(words, "events", "");
  refuse_rest("count", words);
  if (stage_->groups().empty()) throw BadPlan("count without prepared groups");
  emit_(describe::counting(stage_->count(events.empty() ? decltype(event_groups("")){} : event_groups(events))));
}

/// Report their counts since then, for each group.
void Session::counts(const Line& line) {
  refuse_rest("counts", line.words);
  if (stage_->groups().empty()) throw BadPlan("counts without prepared groups");
  std::vector<std::string> groups;
  for (const auto& counted : stage_->counted()) groups.push_back(describe::counted(counted));
  emit_(json::Object()
            .add("fact", "counts")
            .raw("groups", json::list(groups))
            .raw("machine", describe::counted(stage_->counted_of_machine()))
            .str());
}

/// Release all memory and threads.
void Session::drop(const Line& line) {
  refuse_rest("drop", line.words);
  bench_ = Bench{};
  simulation_ = Simulation{};
  stage_ = &bench_;
  emit_(json::Object().add("fact", "dropped").str());
}

}  // namespace tierscope
