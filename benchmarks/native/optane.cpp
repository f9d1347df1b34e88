/// Simulated bandwidth by the protocol of published tables: optane MACHINE < ROWS. MACHINE: a file of a simulated
/// machine, with changes as behind `sim:`. Each row of ROWS is `pattern kind access_bytes threads fence_bytes each|end
/// lines`. The pattern is sequential, random, same (place, for ever) or the bytes from one access to the next. The kind
/// is read, nt_write, store_clwb, `readers:N` (N threads read, the others are nt_write) or `ratio:R:W` (each reads R
/// times, then is nt_write W times). Each thread works in 2 GiB of its own. A random access is at a multiple of the
/// power of two at or above it. The fifth number is the bytes between two sfence, 0 for none. Lines are flushed each by
/// itself, or at the `end` before the fence. After a third of `lines` the clock starts. Prints GB/s for each row, and
/// bytes asked for by those at the medium.
#include <bit>
#include <cstdio>
#include <iostream>
#include <queue>
#include <vector>

#include "base/random.hpp"
#include "simulate/machine.hpp"
#include "simulate/presets.hpp"
#include "simulate/thread.hpp"

namespace tierscope::simulate {
const std::span<const PresetText> PRESETS{};
}

using namespace tierscope::simulate;

namespace {

struct Row {
  std::string pattern, kind;
  std::uint64_t access, threads, fence;
  std::string flush;
  std::uint64_t lines;
};

constexpr std::uint64_t START = 20'000'000;  // ps: each published thread starts after it emptied the caches
constexpr std::uint64_t SLICE = std::uint64_t{1} << 31U;  // bytes of a thread

/// The accesses of one thread, without end.
class Walk {
 public:
  Walk(const Row& row, std::uint64_t number, std::uint64_t memory)
      : row_(&row), number_(number), stride_(stride_of(row)), base_((memory << MEMORY_BIT) + number * SLICE) {
    jump();
  }
  [[nodiscard]] const Access& now() const { return now_; }
  /// Continue; return whether a line is done.
  bool next() {
    const auto was = now_.kind;
    if (!flushes()) return was == Kind::sfence ? (forward(), false) : end_of_line();
    if (was == Kind::store && row_->flush == "each") return now_.kind = Kind::clwb, false;
    if (was == Kind::store) {
      stored_.push_back(now_.address);
      if ((++stored_lines_ * LINE) % fence() != 0) return forward(), false;
      return now_ = {stored_[flushed_ = 0], Kind::clwb, false}, false;
    }
    if (was == Kind::clwb && row_->flush != "each") {
      if (++flushed_ < stored_.size()) return now_.address = stored_[flushed_], true;
      stored_.clear();
      return row_->fence != 0 ? now_.kind = Kind::sfence : (forward(), now_.kind), true;
    }
    return was == Kind::sfence ? (forward(), false) : end_of_line();
  }

 private:
  [[nodiscard]] bool flushes() const { return row_->kind == "store_clwb"; }
  [[nodiscard]] std::uint64_t fence() const { return row_->fence != 0 ? row_->fence : row_->access; }
  bool end_of_line() {
    ++lines_;
    if (row_->fence != 0 && lines_ * LINE % row_->fence == 0) return now_.kind = Kind::sfence, true;
    return forward(), true;
  }
  void jump() {
    const auto room = std::bit_ceil(row_->access);
    const bool random = row_->pattern == "random";
    start_ = random                    ? tierscope::random_word(number_ + 77, visits_) % (SLICE / room) * room
             : row_->pattern == "same" ? 0
                                       : visits_ * stride_ % (SLICE - SLICE % stride_);
    stores_ = !reads();
    ++visits_;
    done_ = 0;
    place();
  }
  void forward() {
    done_ += LINE;
    if (done_ >= row_->access) return jump();
    place();
  }
  void place() {
    now_ = {base_ + start_ + done_, !stores_ ? Kind::load : flushes() ? Kind::store : Kind::store_nt, false};
  }
  static std::uint64_t stride_of(const Row& row) {
    const bool stated = row.pattern.find_first_not_of("0123456789") == std::string::npos;
    return stated ? std::stoull(row.pattern) : row.access;
  }
  /// Return whether the access that begins reads.
  [[nodiscard]] bool reads() const {
    unsigned long long some = 0, others = 0;
    if (std::sscanf(row_->kind.c_str(), "readers:%llu", &some) == 1) return number_ < some;
    if (std::sscanf(row_->kind.c_str(), "ratio:%llu:%llu", &some, &others) == 2)
      return visits_ % (some + others) < some;
    return row_->kind == "read";
  }
  const Row* row_;
  std::uint64_t number_, stride_, base_, start_ = 0, done_ = 0, visits_ = 0, lines_ = 0, stored_lines_ = 0;
  std::size_t flushed_ = 0;
  bool stores_ = false;
  std::vector<std::uint64_t> stored_;
  Access now_;
};

void run(const std::string& word, const Row& row) {
  Machine machine(word, 1 + row.access * 64 + row.threads, row.threads);
  std::vector<Thread> threads;
  std::vector<Walk> walks;
  using Turn = std::pair<Time, std::size_t>;
  std::priority_queue<Turn, std::vector<Turn>, std::greater<>> turns;
  for (unsigned t = 0; t < row.threads; ++t) {
    threads.emplace_back(machine, t);
    walks.emplace_back(row, t, machine.region("pmem"));
    threads.back().start(t == 0 ? 0 : static_cast<Time>(tierscope::random_word(t, 5) % START));
    turns.emplace(threads.back().ready(walks.back().now()), t);
  }
  std::uint64_t lines = 0, from_lines = 0;
  Time from = 0, at = 0;
  while (lines < row.lines) {
    const auto [start, t] = turns.top();
    turns.pop();
    at = start;
    if (threads[t].execute(walks[t].now(), at)) lines += walks[t].next();
    if (from_lines == 0 && lines >= row.lines / 3) {
      from_lines = lines;
      from = at;
      machine.reset_counters();
    }
    turns.emplace(threads[t].ready(walks[t].now()), t);
  }
  auto counters = machine.counters();
  const auto media = counters[row.kind == "read" ? "pmem.media_reads" : "pmem.media_writes"];
  const double bytes = static_cast<double>((lines - from_lines) * LINE);
  std::printf("%.4f %.4f\n", bytes / static_cast<double>(at - from) * 1e3, bytes / (static_cast<double>(media) * 256));
  std::fflush(stdout);
}

}  // namespace

int main(int, char** words) {
  Row row;
  while (std::cin >> row.pattern >> row.kind >> row.access >> row.threads >> row.fence >> row.flush >> row.lines)
    run(words[1], row);
  return 0;
}
