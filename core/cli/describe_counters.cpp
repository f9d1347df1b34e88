/// Performance events as JSON: which are counted, and their counts.
#include "cli/describe.hpp"
#include "cli/json.hpp"

namespace tierscope::describe {

std::vector<std::string> events() {
  std::vector<std::string> found;
  for (const auto& name : event_names()) {
    const auto reason = why_not_counted(make_event(name));
    found.push_back(json::Object().add("name", name).add("available", reason.empty()).add("reason", reason).str());
  }
  return found;
}

namespace {

std::string facts_of(const EventFacts& facts, std::uint64_t empty) {
  return json::Object()
      .add("event", facts.event)
      .add("scope", facts.scope)
      .add("reason", facts.reason)
      .add("group", facts.group)
      .add("empty", empty)
      .str();
}

}  // namespace

std::string counting(const Counting& counting) {
  std::vector<std::string> events, machine;
  for (std::size_t e = 0; e < counting.events.size(); ++e)
    events.push_back(facts_of(counting.events[e], counting.empty[e]));
  for (const auto& facts : counting.machine) machine.push_back(facts_of(facts, 0));
  return json::Object()
      .add("fact", "counting")
      .raw("events", json::list(events))
      .add("empty_blocks", counting.empty_blocks)
      .add("pair_s", counting.pair_s)
      .raw("machine", json::list(machine))
      .str();
}

std::string counted(const Counted& counted) {
  std::vector<std::string> events;
  for (const auto& one : counted.events)
    events.push_back(json::Object()
                         .add("value", one.value)
                         .add("enabled_ns", one.enabled_ns)
                         .add("running_ns", one.running_ns)
                         .add("reason", one.reason)
                         .str());
  return json::Object()
      .add("blocks", counted.blocks)
      .add("operations", counted.operations)
      .add("ticks", counted.ticks)
      .raw("events", json::list(events))
      .str();
}

}  // namespace tierscope::describe
