#include "simulate/dimm.hpp"

#include <algorithm>

#include "base/random.hpp"
#include "base/registry.hpp"

namespace tierscope::simulate {
namespace {

constexpr std::uint64_t MOST_UNITS = std::uint64_t{1} << 24U;

Migration migration_of(const Section& section, std::uint64_t seed, Unit unit) {
  if (!section.has("migration")) return {};
  return {section.section("migration"), mixed(seed ^ 1U), unit.bytes()};
}

/// Return a number of [crowd]; by default the least one.
std::uint64_t crowd_of(const Section& section, const char* key, std::uint64_t least) {
  return section.has("crowd") ? section.section("crowd").count(key, least, 65536, std::to_string(least).c_str())
                              : least;
}

QueueLimits queue_of(const Section& queue) {
  const auto entries = queue.count("entries", 0, 65536);
  return {entries, queue.has("kept") ? queue.count("kept", 0, entries) : entries, queue.count("wpq", 1, 65536)};
}

BankLimits banks_of(const Section& media) {
  if (!media.has("banks")) return {};
  return {media.count("banks", 1, 4096), media.count("per_bank", 1, 4096)};
}

}  // namespace

Dimm::Dimm(const Section& section, std::uint64_t seed)
    : latency_(section.time("latency", "0ns")),
      accept_(section.time("accept")),
      line_(section.time("line", "0ns")),
      unit_(Unit::of(section.section("media"))),
      media_(section.section("media"), migration_of(section, seed, unit_)),
      banks_(banks_of(section.section("media"))),
      limits_(queue_of(section.section("queue"))),
      queue_(limits_.entries, unit_, banks_.limits(), limits_.kept),
      wpq_(limits_.wpq),
      read_places_(crowd_of(section, "read_places", 1)),
      write_places_(crowd_of(section, "write_places", 1)),
      controller_(std::make_shared<Controller>(Controller{{crowd_of(section, "reads", 0), mixed(seed ^ 2U)},
                                                          {crowd_of(section, "writes", 0), mixed(seed ^ 3U)}})) {
  for (const auto& buffer : section.sections("buffer")) add_buffer(buffer, seed);
  if (buffers_.size() > 8) section.refuse("buffer", "has more than 8 levels");
  if (section.has("size") && reach_ > section.bytes("size"))
    section.refuse("size", "is below that of a buffer, " + std::to_string(reach_) + " bytes");
  merges_ = data_ > 0 && buffers_[0].unit == unit_.bytes();
  if (data_ > 0) fetch_lines_ = (buffers_[data_ - 1].unit + unit_.bytes() - 1) / unit_.bytes();
  reach_ += LINE * (limits_.entries + limits_.wpq);
  near_ = latency_ + (buffers_.empty() ? 0 : buffers_[0].latency);
}

void Dimm::add_buffer(const Section& section, std::uint64_t seed) {
  const auto size = section.bytes("size");
  const auto unit = section.bytes("unit");
  const bool data = section.choice("holds", {"data", "addresses"}, "data") == "data";
  if (unit < LINE || unit % LINE != 0) section.refuse("unit", std::to_string(unit) + " is not a multiple of 64 B");
  if (size < unit || size % unit != 0)
    section.refuse("size",
                   std::to_string(size) + " is not a multiple of the unit of " + std::to_string(unit) + " bytes");
  if (size / unit > MOST_UNITS) section.refuse("size", "is above " + std::to_string(MOST_UNITS) + " units");
  if (!buffers_.empty() && unit < buffers_.back().unit)
    section.refuse("unit", "is smaller than that of the buffer before, which is filled from here");
  if (data && data_ < buffers_.size()) section.refuse("holds", "data behind a buffer of addresses is never reached");
  auto units = make_units(section, size / unit, mixed(seed ^ (8U + buffers_.size())));
  const bool large = units->bytes() > LARGE;
  buffers_.push_back({std::move(units), section.time("latency"), unit, Modulus(unit), large});
  if (data) ++data_;
  reach_ = std::max(reach_, size);
}

/// Insert the units of the nearest `levels` buffers that contain `address`; they are there at `ready`.
void Dimm::fill(std::size_t levels, std::uint64_t address, Time ready) {
  for (std::size_t b = 0; b < levels; ++b) {
    auto& buffer = buffers_[b];
    if (b == 0 && merges_) {
      merge_slot(buffer.number(address), ready).ready = ready;
    } else {
      buffer.units->insert(buffer.number(address)).ready = ready;
    }
  }
}

/// Return a place for a line of the medium in the nearest buffer; the replaced unit is written if it was changed.
Held& Dimm::merge_slot(std::uint64_t number, Time at) {
  auto& units = *buffers_[0].units;
  const auto& old = units.victim(number);
  if (old.dirty != 0) media_.wrote(unit_.address(old.key), at);
  return units.insert(number);
}

/// Fetch data that no buffer of data contains, requested at `at`.
Time Dimm::fetch(std::uint64_t address, Time at) {
  if (queue_.drains()) drain(at);
  Time time = media_.fetch(address, at);
  std::size_t level = data_;
  for (; level < buffers_.size(); ++level) {
    auto& buffer = buffers_[level];
    time += buffer.latency;
    if (const auto* slot = buffer.units->find(buffer.number(address))) {
      ++buffer.hits;
      time = std::max(time, slot->ready);
      break;
    }
  }
  if (level == buffers_.size()) time += media_.latency();
  media_.reads += fetch_lines_;
  fill(level, address, time);
  return time;
}

Time Dimm::serve(std::uint64_t address, Time at) {
  Time time = at + latency_;
  for (std::size_t level = 0; level < data_; ++level) {
    auto& buffer = buffers_[level];
    time += buffer.latency;
    if (const auto* slot = buffer.units->find(buffer.number(address))) {
      ++buffer.hits;
      time = std::max(time, slot->ready);
      fill(level, address, time);
      return time;
    }
  }
  return fetch(address, time);
}

Time Dimm::read(std::uint64_t address, Time at) {
  ++reads_;
  at = bus_.take(at, line_);
  if (queue_.holds(address)) return ++forwards_, at + near_;
  return controller_->reads.pass(*this, address, at);
}

Admitted Dimm::take_read(std::uint64_t address, Time at) {
  const Time entered = controller_->reads.keeps_order() ? at : read_places_.wait(at);
  const Time back = serve(address, entered);
  read_places_.hold(back);
  return {entered, back};
}

Time Dimm::write(std::uint64_t address, Time at) {
  ++writes_;
  return controller_->writes.pass(*this, address, bus_.take(at, line_));
}

/// Accept the line into the controller's queue, which passes it on when there is space.
Admitted Dimm::take_write(std::uint64_t address, Time at) {
  const Time passed = controller_->writes.keeps_order() ? at : write_places_.wait(at);
  if (queue_.drains()) drain(passed);
  const Time entered = wpq_.wait(passed);
  Time moved = std::max(entered, moved_);
  if (queue_.none()) {
    moved = put(queue_.alone(address), moved);
  } else {
    if (queue_.full()) moved = put(queue_.take(), moved);
    if (queue_.crowded(address)) moved = put(queue_.take_beside(address), moved);
    queue_.add(address, moved);
  }
  stalls_ += entered > at ? 1 : 0;
  moved_ = moved;
  wpq_.hold(moved);
  write_places_.hold(moved);
  return {passed, entered + accept_};
}

/// Let groups leave that wait for nothing but an idle port, and begin to be written before `until`. @pre one drains
void Dimm::drain(Time until) {
  do {
    const Time since = whole(queue_.oldest()) ? queue_.oldest().since : moved_;
    if (std::max(media_.free(), since) >= until) return;
    put(queue_.take(), since);
  } while (queue_.drains());
}

/// Take a group that leaves the queue at `at`; return when its port is free again.
Time Dimm::put(const Group& group, Time at) {
  const bool lacks = lacks_rest(group);
  const Time end = media_.put(unit_.address(group.number), lacks ? banks_.wait(group.number, at) : at);
  land(group, end, lacks);
  return end;
}

/// Return whether a part of a unit leaves whose rest is in no buffer.
bool Dimm::lacks_rest(const Group& group) const { return !whole(group) && !held(unit_.address(group.number)); }

/// Write the group's part of a line to the medium, or to the buffer before it. `lacks`: its rest must be read.
void Dimm::land(const Group& group, Time at, bool lacks) {
  const auto address = unit_.address(group.number);
  if (lacks) {
    ++media_.reads;
    if (!banks_.none()) at = banks_.complete(group.number, at, rest(address));
  }
  auto* slot = merges_ ? buffers_[0].units->find(group.number) : nullptr;
  if (!whole(group) && slot == nullptr && merges_) (slot = &merge_slot(group.number, at))->ready = at;
  if (slot != nullptr) {
    const Group merged{group.number, slot->dirty | group.lines};
    slot->dirty = whole(merged) ? 0 : merged.lines;
    if (!whole(merged)) return;
  }
  media_.wrote(address, at);
}

/// Return how long it takes to read the rest of a unit, and to write the unit.
Time Dimm::rest(std::uint64_t address) {
  Time time = media_.write_time();
  for (auto level = data_; level < buffers_.size(); ++level) {
    auto& buffer = buffers_[level];
    time += buffer.latency;
    if (buffer.units->find(buffer.number(address)) != nullptr) return time;
    buffer.units->insert(buffer.number(address));
  }
  return time + media_.latency();
}

bool Dimm::held(std::uint64_t address) const {
  return std::any_of(buffers_.begin(), buffers_.begin() + static_cast<std::ptrdiff_t>(data_),
                     [&](const Buffer& buffer) { return buffer.units->peek(buffer.number(address)) != nullptr; });
}

bool Dimm::announced() const { return std::ranges::any_of(buffers_, &Buffer::large); }

void Dimm::announce(std::uint64_t address, unsigned step) const {
  for (const auto& buffer : buffers_)
    if (buffer.large) buffer.units->announce(buffer.number(address), step);
}

void Dimm::count(const std::string& prefix, Counters& counters) const {
  const auto add = [&](const std::string& name, std::uint64_t value) { counters[prefix + name] += value; };
  add("reads", reads_);
  add("writes", writes_);
  add("forwards", forwards_);
  add("stalls", stalls_);
  add("media_reads", media_.reads);
  add("media_writes", media_.writes);
  add("migrations", media_.moved());
  for (std::size_t b = 0; b < buffers_.size(); ++b) add("buffer" + std::to_string(b) + ".hits", buffers_[b].hits);
}

void Dimm::reset_counters() {
  reads_ = writes_ = forwards_ = stalls_ = 0;
  media_.reset_counters();
  for (auto& buffer : buffers_) buffer.hits = 0;
}

namespace dimm {
namespace {
constexpr MemoryEntry entry{"dimm", "a persistent-memory DIMM with its buffers", &make_memory<Dimm>};
const Registration registration{entry};
}  // namespace
}  // namespace dimm

}  // namespace tierscope::simulate
