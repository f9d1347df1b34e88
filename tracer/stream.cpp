// SPDX-License-Identifier: GPL-2.0-or-later
#include "stream.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace tierscope::tracer {
namespace {

constexpr std::string_view MAGIC = "TSFLOW01";
constexpr int PIPE_BYTES = 1 << 20;
constexpr int GONE = 125;  // exit status where the reader has ended

struct Header {
  std::uint32_t what, thread;
  std::uint64_t bytes;
};

}  // namespace

void Stream::open(int descriptor, bool goes_on) {
  descriptor_ = descriptor;
  ::fcntl(descriptor, F_SETFD, FD_CLOEXEC);
  ::fcntl(descriptor, F_SETPIPE_SZ, PIPE_BYTES);  // a smaller pipe is slower, not wrong
  const std::lock_guard lock(mutex_);
  if (!goes_on) write_all(MAGIC.data(), MAGIC.size());
}

void Stream::define(std::uint32_t block, std::span<const Instruction> instructions) {
  std::vector<std::byte> payload(8 + instructions.size_bytes());
  const auto count = static_cast<std::uint32_t>(instructions.size());
  std::memcpy(payload.data(), &block, 4);
  std::memcpy(payload.data() + 4, &count, 4);
  std::memcpy(payload.data() + 8, instructions.data(), instructions.size_bytes());
  chunk(Chunk::block, 0, payload);
}

void Stream::events(std::uint32_t thread, std::span<const Event> events, bool lines) {
  chunk(lines ? Chunk::lines : Chunk::events, thread, std::as_bytes(events));
}

void Stream::note(std::uint32_t thread, std::string_view text) {
  chunk(Chunk::note, thread, std::as_bytes(std::span(text)));
}

void Stream::place(std::uint32_t thread, std::string_view text) {
  chunk(Chunk::place, thread, std::as_bytes(std::span(text)));
}

void Stream::phase(std::uint32_t thread, std::uint64_t untraced, std::string_view name) {
  std::vector<std::byte> payload(sizeof untraced + name.size());
  std::memcpy(payload.data(), &untraced, sizeof untraced);
  if (!name.empty()) std::memcpy(payload.data() + sizeof untraced, name.data(), name.size());
  chunk(Chunk::phase, thread, payload);
}

void Stream::gap(std::uint64_t instructions, std::uint64_t warm, bool stated) {
  const std::array<std::uint64_t, 3> payload{instructions, warm, stated ? instructions : 0};
  chunk(Chunk::gap, 0, std::as_bytes(std::span(payload)));
}

void Stream::end() { chunk(Chunk::end, 0, {}); }

void Stream::chunk(Chunk what, std::uint32_t thread, std::span<const std::byte> payload) {
  const std::lock_guard lock(mutex_);
  if (muted()) return;
  const Header header{static_cast<std::uint32_t>(what), thread, payload.size()};
  write_all(&header, sizeof header);
  write_all(payload.data(), payload.size());
}

/// Ends the process if nobody reads: the reader says why.
void Stream::write_all(const void* bytes, std::size_t size) {
  const auto* from = static_cast<const char*>(bytes);
  while (size > 0) {
    const auto written = ::write(descriptor_, from, size);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) ::_exit(GONE);
    from += written;
    size -= static_cast<std::size_t>(written);
  }
}

}  // namespace tierscope::tracer
