#include "shadow/witness.hpp"

#include <unistd.h>

#include <atomic>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <exception>
#include <new>

#include "base/error.hpp"

namespace tierscope::shadow {
namespace {

constexpr unsigned SYNCS = 1U << 31U;  // lanes of msync: it waits for its own pages alone
constexpr int FAULT = 70;

unsigned lane() noexcept {
  static std::atomic<unsigned> next{0};
  thread_local const unsigned mine = next++;
  return mine;
}

}  // namespace

thread_local unsigned Inside::depth = 0;

template <class Action>
void Witness::guarded(Action action) noexcept {
  if (!awake_) return;
  const Inside inside;
  const std::lock_guard lock(turn_);
  try {
    action();
  } catch (const std::exception& error) {
    static_cast<void>(std::fprintf(stderr, "tierscope-shadow: %s\n", error.what()));
    _exit(FAULT);
  }
}

Witness::Witness() noexcept {
  const char* const folder = std::getenv("TIERSCOPE_SHADOW");
  awake_ = folder != nullptr && *folder != '\0';
  guarded([&] {
    plan_ = read_plan(folder);
    if (plan_.file.empty()) return;
    watched_.emplace(plan_);
    static_cast<void>(std::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ));  // lines reach the log when they are written
  });
}

Witness& Witness::here() noexcept {
  // never destroyed: threads may still flush while the program ends
  static Witness& one = *new Witness;  // NOLINT(bugprone-unhandled-exception-at-new): without it no image is right
  return one;
}

void Witness::count(std::uint64_t flushes, std::uint64_t lines, std::uint64_t fences, std::uint64_t syncs) noexcept {
  all_.flushes += flushes;
  all_.lines += lines;
  all_.fences += fences;
  all_.syncs += syncs;
}

/// Records what a forked child flushes.
void Witness::inherited(const void* at, std::size_t size) const {
  if (watched_ && watched_->holds(at, size)) watched_->leave_word();
}

void Witness::flushed(const void* at, std::size_t size) noexcept {
  guarded([&] {
    if (stranger_) return inherited(at, size);
    count(1, Range{reinterpret_cast<std::uintptr_t>(at), size}.lines(), 0, 0);
    if (watched_) watched_->flush(lane(), at, size);
  });
}

void Witness::fenced() noexcept {
  guarded([&] {
    if (stranger_) return;
    count(0, 0, 1, 0);
    if (watched_ && watched_->any()) watched_->fence(lane());
  });
}

void Witness::synced(const void* at, std::size_t size) noexcept {
  const auto place = reinterpret_cast<std::uintptr_t>(at), before = place % PAGE;
  const auto pages = (before + size + PAGE - 1) / PAGE * PAGE;
  const void* const begin = static_cast<const std::byte*>(at) - before;
  guarded([&] {
    if (stranger_) return inherited(begin, pages);
    count(1, Range{place - before, pages}.lines(), 1, 1);
    if (watched_ && watched_->flush(lane() | SYNCS, begin, pages)) watched_->fence(lane() | SYNCS);
  });
}

void Witness::synced_file(int file) noexcept {
  guarded([&] {
    if (!watched_ || !watched_->any() || !watched_->is(file)) return;
    if (stranger_) return watched_->leave_word();
    count(1, 0, 1, 1);
    watched_->flush_all(lane() | SYNCS);
    watched_->fence(lane() | SYNCS);
  });
}

void Witness::mapped(const void* at, std::size_t size, int file, off_t offset) noexcept {
  guarded([&] {
    if (watched_ && watched_->is(file)) watched_->mapped(at, size, static_cast<std::size_t>(offset));
  });
}

void Witness::changing() noexcept {
  guarded([&] {
    if (watched_ && watched_->any()) watched_->look_away();
  });
}

void Witness::resized() noexcept {
  guarded([&] {
    if (watched_ && watched_->any()) watched_->refresh();
  });
}

void Witness::unmapped(const void* at, std::size_t size) noexcept {
  guarded([&] {
    if (watched_) watched_->unmapped(at, size);
  });
}

void Witness::moved(const void* from, std::size_t old_size, const void* to, std::size_t size) noexcept {
  guarded([&] {
    if (watched_) watched_->moved(from, old_size, to, size);
  });
}

void Witness::take(Counts& counts) noexcept {
  counts = {};
  guarded([&] {
    if (stranger_) return;
    counts = {.flushes = all_.flushes - taken_.flushes,
              .lines = all_.lines - taken_.lines,
              .fences = all_.fences - taken_.fences,
              .syncs = all_.syncs - taken_.syncs};
    taken_ = all_;
  });
}

void Witness::finish() noexcept {
  guarded([&] {
    if (stranger_) return;
    const bool followed = watched_ && watched_->any();
    if (watched_ ? !followed : all_.flushes + all_.fences == 0) return;
    const auto name = plan_.folder + "/counts.json";
    std::FILE* const file = std::fopen(name.c_str(), "we");
    if (file == nullptr) throw SystemError("write " + name, errno);
    const auto own = [&](auto ask) -> unsigned long long { return followed ? ask(*watched_) : 0; };
    const bool good =
        std::fprintf(file,
                     "{\"flushes\": %llu, \"lines\": %llu, \"fences\": %llu, \"syncs\": %llu, \"file_flushes\": %llu, "
                     "\"file_fences\": %llu, \"dropped\": %llu, \"stores\": %llu}\n",
                     static_cast<unsigned long long>(all_.flushes), static_cast<unsigned long long>(all_.lines),
                     static_cast<unsigned long long>(all_.fences), static_cast<unsigned long long>(all_.syncs),
                     own([](auto& it) { return it.flushes(); }), own([](auto& it) { return it.fences(); }),
                     own([](auto& it) { return it.dropped(); }), own([](auto& it) { return it.stores(); })) > 0;
    if (std::fclose(file) != 0 || !good) throw SystemError("write " + name, errno);
  });
}

void Witness::in_child() noexcept {
  new (&turn_) std::recursive_mutex;  // the one that the parent locked belongs to another thread
  changing();
  stranger_ = !watched_ || watched_->any();
}

}  // namespace tierscope::shadow
