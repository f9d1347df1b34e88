// SPDX-License-Identifier: GPL-2.0-or-later
/// A plug-in of qemu-user: each block that runs and each address that it loads from or stores to, with the registers
/// that connect them. The reader on the other end of the pipe knows nothing of QEMU.
///   qemu-x86_64 -cpu max,-erms,-fsrm -plugin tierscope-tracer.so,fd=9 ./program 9>pipe
/// Blind to: AVX-512, which QEMU does not have; child processes, which run untraced; prefetches, whose address QEMU
/// drops.
#include <dlfcn.h>
#include <pthread.h>
#include <sys/syscall.h>

#include <charconv>
#include <cstdio>
#include <cstring>
#include <memory>
#include <string>

#include "decode.hpp"
#include "qemu_api.h"
#include "stream.hpp"

extern "C" {
/// QEMU refuses a plug-in whose version it does not serve. 1 is what 6.0 to 8.2 serve; `choose_version` may raise it.
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
}

namespace tierscope::tracer {
namespace {

constexpr int COPIES_BYTES = 3;  // from this version of the interface on

Stream stream;
int served = 1;  // version of the running QEMU

/// Events of one virtual CPU, which is one thread of the program.
class Buffer {
 public:
  explicit Buffer(std::uint32_t thread) : thread_(thread) {}
  void put(Event event) {
    if (used_ == events_.size()) flush();
    events_[used_++] = event;
  }
  void flush() {
    if (used_ != 0) stream.events(thread_, std::span(events_).first(used_));
    used_ = 0;
  }
  void drop() { used_ = 0; }

 private:
  std::uint32_t thread_;
  std::size_t used_ = 0;
  std::array<Event, 16384> events_{};
};

/// By virtual CPU. Pages of threads that never were are never touched.
constexpr unsigned MOST_THREADS = 4096;
std::array<std::unique_ptr<Buffer>, MOST_THREADS> buffers;

Buffer* buffer_of(unsigned vcpu) { return vcpu < MOST_THREADS ? buffers[vcpu].get() : nullptr; }

void on_block(unsigned vcpu, void* data) {
  if (auto* buffer = buffer_of(vcpu))
    buffer->put(block_event(static_cast<std::uint32_t>(reinterpret_cast<std::uintptr_t>(data))));
}

void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* data) {
  if (auto* buffer = buffer_of(vcpu))
    buffer->put(access_event(address, static_cast<unsigned>(reinterpret_cast<std::uintptr_t>(data)),
                             qemu_plugin_mem_is_store(info), qemu_plugin_mem_size_shift(info)));
}

Instruction read(const qemu_plugin_insn* instruction) {
  std::array<unsigned char, 16> copy{};
  const auto size = std::min(qemu_plugin_insn_size(instruction), copy.size());
  const auto answer = qemu_plugin_insn_data(instruction, copy.data(), copy.size());
  const void* bytes = served < COPIES_BYTES ? reinterpret_cast<const void*>(answer) : copy.data();
  return decode(bytes, size, qemu_plugin_insn_vaddr(instruction));
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  static std::mutex mutex;
  static std::uint32_t blocks = 0;
  const auto count = qemu_plugin_tb_n_insns(block);
  std::vector<Instruction> instructions;
  for (std::size_t i = 0; i < count; ++i) instructions.push_back(read(qemu_plugin_tb_get_insn(block, i)));
  const std::lock_guard lock(mutex);
  const auto number = blocks++;
  stream.define(number, instructions);
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                       reinterpret_cast<void*>(std::uintptr_t{number}));
  for (std::size_t i = 0; i < count; ++i)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW, reinterpret_cast<void*>(i));
}

void on_thread(qemu_plugin_id_t, unsigned vcpu) {
  if (vcpu < MOST_THREADS && !buffers[vcpu]) buffers[vcpu] = std::make_unique<Buffer>(vcpu);
  if (vcpu >= MOST_THREADS) stream.note(vcpu, "a thread beyond the 4096th is not traced");
}

void on_thread_end(qemu_plugin_id_t, unsigned vcpu) {
  if (auto* buffer = buffer_of(vcpu)) buffer->flush();
}

/// Before another program takes the place of this one, what is known so far goes out.
void on_syscall(qemu_plugin_id_t, unsigned vcpu, std::int64_t number, std::uint64_t, std::uint64_t, std::uint64_t,
                std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t, std::uint64_t) {
  if (stream.muted() || (number != SYS_execve && number != SYS_execveat)) return;
  on_thread_end(0, vcpu);
  stream.note(vcpu, "exec");
}

void on_exit(qemu_plugin_id_t, void*) {
  if (stream.muted()) return;
  for (auto& buffer : buffers)
    if (buffer) buffer->flush();
  stream.end();
}

void in_the_child() {
  stream.mute();
  for (auto& buffer : buffers)
    if (buffer) buffer->drop();
}

void before_a_fork() { stream.note(0, "fork"); }

/// QEMU 9.0 dropped a call of version 1, and refuses plug-ins of version 1. It reads the variable after this ran.
__attribute__((constructor)) void choose_version() {
  if (::dlsym(RTLD_DEFAULT, "qemu_plugin_n_vcpus") == nullptr) qemu_plugin_version = 2;
}

bool install(int argc, char** argv, std::string& why) {
  for (int a = 0; a < argc; ++a) {
    const std::string_view word = argv[a];
    int descriptor = -1;
    const auto [end, bad] =
        std::from_chars(word.data() + std::min<std::size_t>(3, word.size()), word.data() + word.size(), descriptor);
    if (!word.starts_with("fd=") || bad != std::errc{} || end != word.data() + word.size()) {
      why = "'" + std::string(word) + "' is not an argument; expected fd=NUMBER";
      return false;
    }
    stream.open(descriptor);
  }
  if (stream.muted()) why = "no pipe is named; expected fd=NUMBER";
  return !stream.muted();
}

}  // namespace
}  // namespace tierscope::tracer

extern "C" __attribute__((visibility("default"))) int qemu_plugin_install(qemu_plugin_id_t id, const qemu_info_t* info,
                                                                          int argc, char** argv) {
  using namespace tierscope::tracer;
  if (std::string_view(info->target_name) != "x86_64") {
    std::fprintf(stderr, "tierscope-tracer: this QEMU runs %s; expected x86_64\n", info->target_name);
    return 1;
  }
  served = info->version.cur;
  if (std::string why; !install(argc, argv, why)) {
    std::fprintf(stderr, "tierscope-tracer: %s\n", why.c_str());
    return 1;
  }
  ::pthread_atfork(before_a_fork, nullptr, in_the_child);
  qemu_plugin_register_vcpu_init_cb(id, on_thread);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  return 0;
}
