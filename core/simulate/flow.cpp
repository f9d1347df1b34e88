#include "simulate/flow.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/error.hpp"

namespace tierscope::simulate::flow {
namespace {

constexpr std::uint64_t ADDRESS = (std::uint64_t{1} << 48U) - 1, IS_ACCESS = std::uint64_t{1} << 61U;
constexpr std::uint64_t IS_OBJECT = std::uint64_t{1} << 62U, IS_FREED = std::uint64_t{1} << 63U;
constexpr std::uint64_t LARGEST_CHUNK = 64U << 20U;
constexpr std::size_t MOST_BLOCKS = 1U << 24U, MOST_INSTRUCTIONS = 512, MOST_THREADS = 4096, MOST_NOTES = 1000;
constexpr std::size_t MOST_PHASES = 100'000, LONGEST_NAME = 48;
constexpr std::uint64_t MOST_INSTRUCTIONS_OF_A_GAP = std::uint64_t{1} << 56U;
constexpr std::uint8_t LAST_CLASS = static_cast<std::uint8_t>(Class::serialize);

enum class Chunk : std::uint32_t { block = 1, events = 2, note = 3, end = 4, gap = 5, place = 6, phase = 7, lines = 8 };
struct Header {
  std::uint32_t what, thread;
  std::uint64_t bytes;
};

bool is_access(std::uint64_t event) { return (event & (IS_ACCESS | IS_OBJECT)) == IS_ACCESS; }
bool is_object(std::uint64_t event) { return (event & IS_OBJECT) != 0; }

bool known(std::span<const std::uint8_t> registers) {
  return std::ranges::all_of(registers, [](auto r) { return r < REGISTERS || r == NO_REGISTER; });
}

}  // namespace

Flow::Flow(std::istream& from) : from_(from) {
  std::array<char, 8> magic{};
  from_.read(magic.data(), magic.size());
  if (!begins({magic.data(), static_cast<std::size_t>(from_.gcount())}))
    throw BadPlan("this is not a stream of tierscope-tracer: it does not begin with TSFLOW01");
  offset_ = magic.size();
}

bool Flow::next(Step& step) {
  while (!drain(step)) {
    if (in_gap_) return take_gap(step);
    if (take_lines(step)) return true;
    if (in_phase_) return take_phase(step);
    if (!chunk()) return false;
  }
  return true;
}

/// Take a gap after the last blocks before it.
bool Flow::take_gap(Step& step) {
  in_gap_ = false;
  step = Step{};
  step.gap = &gap_;
  return true;
}

/// Take the lines of a chunk, each as an access.
bool Flow::take_lines(Step& step) {
  accesses_.clear();
  auto& [events, at] = lines_;
  while (at < events.size()) {
    if (!take_objects(lines_, objects_) || at == events.size()) break;
    const auto event = events[at++];
    if (!is_access(event)) refuse("lines contain a block");
    const auto address = event & ADDRESS;
    const auto what = static_cast<std::uint16_t>(event >> 48U & 511U);
    if (what > CODE) refuse("lines are neither of data nor of instructions");
    const auto object = follows_ && what == DATA ? objects_.at(address) : REST;
    accesses_.push_back({address, 1, what, (event >> 57U & 1U) != 0, object});
  }
  events.clear();
  at = 0;
  if (accesses_.empty()) return false;
  step = Step{};
  step.thread = lines_thread_;
  step.accesses = accesses_;
  step.lines = true;
  return true;
}

/// Take a phase after the last block of its thread before it.
bool Flow::take_phase(Step& step) {
  in_phase_ = false;
  step = Step{};
  step.thread = static_cast<std::uint32_t>(phase_thread_);
  step.phase = &phase_;
  return true;
}

/// Take what a thread allocated or freed before its next block; return false where half of it has not come yet.
bool Flow::take_objects(Thread& thread, Objects& objects) {
  auto& [events, at] = thread;
  while (at < events.size() && is_object(events[at])) {
    const auto address = events[at] & ADDRESS;
    if ((events[at] & IS_FREED) != 0) {
      objects.remove(address);
      ++at;
    } else if (at + 1 < events.size()) {
      objects.add(address, events[at + 1] & ADDRESS, static_cast<Object>(events[at + 1] >> 48U));
      at += 2;
    } else {
      return false;
    }
  }
  return true;
}

/// Read the next whole block of the current thread. A block is whole when the next one began or the stream has ended.
bool Flow::drain(Step& step) {
  for (; current_ < threads_.size(); ++current_) {
    auto& [events, at] = threads_[current_];
    if (!take_objects(threads_[current_], objects_) || at == events.size()) continue;
    auto until = at + 1;
    while (until < events.size() && is_access(events[until])) ++until;
    const bool last = ended_ || in_gap_ || (in_phase_ && current_ == phase_thread_);
    if (until == events.size() && !last) continue;
    if (is_access(events[at])) refuse("an access comes before any block of its thread");
    const auto number = static_cast<std::size_t>(events[at] & 0xFFFFFFFFU);
    if (number >= blocks_.size() || blocks_[number].empty())
      refuse("block " + std::to_string(number) + " ran before it was defined");
    collect(std::span(events).first(until), at + 1, blocks_[number]);
    step = Step{static_cast<std::uint32_t>(current_), &blocks_[number], accesses_, nullptr};
    at = until;
    return true;
  }
  return false;
}

/// Collect into `accesses_`: QEMU splits a vector of 32 bytes into parts, which are one access of the program.
std::size_t Flow::collect(std::span<const Event> events, std::size_t from, const Block& block) {
  accesses_.clear();
  for (; from < events.size(); ++from) {
    const auto event = events[from];
    Access access{event & ADDRESS, std::uint32_t{1} << (event >> 58U & 7U),
                  static_cast<std::uint16_t>(event >> 48U & 511U), (event >> 57U & 1U) != 0, REST};
    if (follows_) access.object = objects_.at(access.address);
    if (access.instruction >= block.size()) refuse("an access names an instruction that its block does not have");
    auto* last = accesses_.empty() ? nullptr : &accesses_.back();
    if (last != nullptr && last->instruction == access.instruction && last->store == access.store &&
        last->address + last->bytes == access.address && block[access.instruction].kind != Class::gather)
      last->bytes += access.bytes;
    else
      accesses_.push_back(access);
  }
  return accesses_.size();
}

/// Read one chunk; return false after the last.
bool Flow::chunk() {
  if (ended_) return false;
  Header header{};
  from_.read(reinterpret_cast<char*>(&header), sizeof header);
  if (from_.gcount() == 0) {  // without an end: what came so far is used
    ended_ = true;
    current_ = 0;
    return true;
  }
  if (from_.gcount() != sizeof header) refuse("the stream ends within the head of a chunk");
  if (header.bytes > LARGEST_CHUNK) refuse("a chunk states " + std::to_string(header.bytes) + " bytes; at most 64 MiB");
  payload_.resize(header.bytes);
  from_.read(payload_.data(), static_cast<std::streamsize>(header.bytes));
  if (static_cast<std::uint64_t>(from_.gcount()) != header.bytes) refuse("the stream ends within a chunk");
  switch (static_cast<Chunk>(header.what)) {
    case Chunk::block:
      define(payload_);
      break;
    case Chunk::events:
      add_events(header.thread, payload_);
      break;
    case Chunk::lines:
      add_lines(header.thread, payload_);
      break;
    case Chunk::note:
      if (notes_.size() < MOST_NOTES) notes_.emplace_back(payload_.begin(), payload_.end());
      break;
    case Chunk::place:
      if (const auto why = objects_.name({payload_.data(), payload_.size()}); !why.empty()) refuse(why);
      break;
    case Chunk::phase:
      add_phase(header.thread, payload_);
      break;
    case Chunk::gap: {
      constexpr std::size_t LEAST = sizeof(Gap) - sizeof(std::uint64_t);
      if (payload_.size() != LEAST && payload_.size() != sizeof gap_) refuse("a gap is not two or three numbers");
      gap_ = {};
      std::memcpy(&gap_, payload_.data(), payload_.size());
      if (gap_.instructions > MOST_INSTRUCTIONS_OF_A_GAP) refuse("a gap is longer than any program");
      if (gap_.stated > gap_.instructions) refuse("a gap states the lines of more instructions than it has");
      in_gap_ = true;
      current_ = 0;
      break;
    }
    case Chunk::end:
      whole_ = ended_ = true;
      current_ = 0;
      break;
    default:
      refuse("a chunk is of the unknown kind " + std::to_string(header.what));
  }
  offset_ += sizeof header + header.bytes;
  return true;
}

void Flow::define(std::span<const char> payload) {
  std::array<std::uint32_t, 2> head{};
  if (payload.size() < sizeof head) refuse("the definition of a block is too short");
  std::memcpy(head.data(), payload.data(), sizeof head);
  const auto [number, count] = head;
  if (number != blocks_.size() || number >= MOST_BLOCKS)
    refuse("block " + std::to_string(number) + " is defined out of order");
  if (count == 0 || count > MOST_INSTRUCTIONS || payload.size() != sizeof head + count * sizeof(Instruction))
    refuse("block " + std::to_string(number) + " states " + std::to_string(count) +
           " instructions, which its bytes are not");
  Block block(count);
  std::memcpy(block.data(), payload.data() + sizeof head, count * sizeof(Instruction));
  for (const auto& one : block)
    if (static_cast<std::uint8_t>(one.kind) > LAST_CLASS || !known(one.address_registers) ||
        !known(one.data_registers) || !known(one.written))
      refuse("an instruction of block " + std::to_string(number) + " has a class or register that does not exist");
  blocks_.push_back(std::move(block));
}

void Flow::add_phase(std::uint32_t thread, std::span<const char> payload) {
  if (payload.size() < sizeof phase_.untraced) refuse("a phase has no number before its name");
  if (++phases_ > MOST_PHASES) refuse("there are more than " + std::to_string(MOST_PHASES) + " phases");
  std::memcpy(&phase_.untraced, payload.data(), sizeof phase_.untraced);
  if (phase_.untraced > MOST_INSTRUCTIONS_OF_A_GAP) refuse("a phase begins behind any program");
  const auto name = payload.subspan(sizeof phase_.untraced);
  phase_.name.assign(name.begin(), name.begin() + static_cast<std::ptrdiff_t>(std::min(name.size(), LONGEST_NAME)));
  phase_thread_ = thread;
  in_phase_ = true;
  current_ = 0;
}

void Flow::add_events(std::uint32_t thread, std::span<const char> payload) {
  if (thread >= MOST_THREADS) refuse("thread " + std::to_string(thread) + " is beyond the 4096th");
  if (payload.size() % sizeof(Event) != 0) refuse("a chunk of events is not a multiple of 8 bytes");
  if (thread >= threads_.size()) threads_.resize(thread + 1);
  auto& [events, at] = threads_[thread];
  events.erase(events.begin(), events.begin() + static_cast<std::ptrdiff_t>(at));
  at = 0;
  const auto old = events.size();
  events.resize(old + payload.size() / sizeof(Event));
  if (!payload.empty()) std::memcpy(events.data() + old, payload.data(), payload.size());
  current_ = thread;
}

void Flow::add_lines(std::uint32_t thread, std::span<const char> payload) {
  if (thread >= MOST_THREADS) refuse("thread " + std::to_string(thread) + " is beyond the 4096th");
  if (payload.size() % sizeof(Event) != 0) refuse("a chunk of lines is not a multiple of 8 bytes");
  lines_.events.resize(payload.size() / sizeof(Event));
  lines_.at = 0;
  if (!payload.empty()) std::memcpy(lines_.events.data(), payload.data(), payload.size());
  lines_thread_ = thread;
}

void Flow::refuse(const std::string& why) const {
  throw BadPlan("trace, byte " + std::to_string(offset_) + ": " + why + "; trace the program again");
}

}  // namespace tierscope::simulate::flow
