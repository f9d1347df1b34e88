// SPDX-License-Identifier: GPL-2.0-or-later
/// A plug-in of qemu-user: each block that runs and each address that it loads from or stores to, with the registers
/// that connect them. The reader on the other end of the pipe knows nothing of QEMU.
///   qemu-x86_64 -cpu max,-erms,-fsrm -plugin tierscope-tracer.so,fd=9 ./program 9>pipe
/// A program that replaces itself by another one is followed (follow.hpp): the stream goes on. Of the processes that a
/// program starts, one may be recorded instead of the program itself (chosen.hpp).
/// Blind to: AVX-512, which QEMU does not have; all other processes; prefetches, whose address QEMU drops.
#include <dlfcn.h>
#include <pthread.h>
#include <sched.h>
#include <sys/syscall.h>

#include <algorithm>
#include <array>
#include <atomic>
#include <charconv>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <initializer_list>
#include <memory>
#include <span>
#include <string>
#include <utility>

#include "buffer.hpp"
#include "chosen.hpp"
#include "decode.hpp"
#include "follow.hpp"
#include "held_calls.hpp"
#include "held_lists.hpp"
#include "leaving.hpp"
#include "objects.h"
#include "qemu_api.h"
#include "stream.hpp"

extern "C" {
/// QEMU refuses a plug-in whose version it does not serve. 1 is what 6.0 to 8.2 serve; `choose_version` may raise it.
__attribute__((visibility("default"))) int qemu_plugin_version = 1;
}

namespace tierscope::tracer {
namespace {

constexpr int COPIES_BYTES = 3;  // from this version of the interface on
constexpr int CLEARS_LISTS = 2;  // from this version on, all QEMUs do

Stream stream;
Chosen chosen;
int served = 1;  // version of the running QEMU

/// Which instructions are traced. Without `skip` all of them, else the first `all`, and then: `skip` untraced, `warm`
/// and `unit` traced, again and again. Each gap is drawn between half and one and a half of `skip`, so that no loop
/// of the program keeps its step, and `skip` doubles after `doubles` gaps, so that a long program has more units, not
/// too many. Of the last `lines` instructions of a gap, the lines that they use are written.
struct Plan {
  std::uint64_t all = 0, skip = 0, warm = 0, unit = 0, doubles = 0, lines = 0;
};

/// How the trace describes the instructions that run: by all that they do, by their number, or by their number and
/// the lines that they use.
enum class Mode : std::uint8_t { traced, counted, lines };

Plan plan;
qemu_plugin_id_t own;
std::atomic<Mode> mode = Mode::traced;
std::atomic<std::uint64_t> passed = 0;  // instructions since the last change
std::atomic<std::uint64_t> until = ~std::uint64_t{0};
Leaving leaving;                    // or QEMU will translate everything anew
std::atomic<bool> several = false;  // the program has threads
unsigned gaps = 0;
std::uint64_t drawn = 0;                      // instructions of the next gap; 0: not drawn yet
std::uint32_t blocks = 0;                     // defined so far
std::uint32_t first_block = 0;                // of this generation: QEMU has dropped those before
std::uint64_t generation = 0;                 // of blocks
std::uint64_t places_before = 0, places = 0;  // of programs that this one replaced; the largest number so far

/// Code of the library that states allocations (objects.c), which is not traced.
std::atomic<std::uint64_t> own_begin = 0, own_end = 0;

/// By virtual CPU. Pages of threads that never were are never touched.
constexpr unsigned MOST_THREADS = 4096;
std::array<std::unique_ptr<Buffer>, MOST_THREADS> buffers;

Buffer* buffer_of(unsigned vcpu) { return vcpu < MOST_THREADS ? buffers[vcpu].get() : nullptr; }
/// The same for a thread that runs. QEMU does not announce one that begins just when it drops its blocks.
Buffer* running(unsigned vcpu) {
  if (vcpu < MOST_THREADS && !buffers[vcpu]) {
    buffers[vcpu] = std::make_unique<Buffer>(stream, vcpu);
    buffers[vcpu]->lines(mode == Mode::lines);
  }
  return buffer_of(vcpu);
}

void change(qemu_plugin_id_t);
void change_parts();
[[nodiscard]] bool changes_alone();

[[nodiscard]] bool in_gap() { return mode.load(std::memory_order_relaxed) != Mode::traced; }

/// Ask QEMU to translate everything again, which then calls `next` while all threads stand still.
void translate_again(qemu_plugin_simple_cb next) {
  begin_drop();
  qemu_plugin_reset(own, next);
}

/// Whether blocks are translated so that they are traced, or state their lines, whichever the mode is when they run.
[[nodiscard]] bool serves_both() { return !in_gap() || (mode == Mode::lines && !several); }

[[nodiscard]] bool over() { return passed.load(std::memory_order_relaxed) >= until.load(std::memory_order_relaxed); }

/// Whoever finds the end of a part passed asks QEMU to translate everything anew, once.
void look() {
  if (over() && !changes_alone() && leaving.ask()) translate_again(change);
}

void pass(std::uint64_t instructions) {
  passed.fetch_add(instructions, std::memory_order_relaxed);
  look();
}

/// A block's number and, above, how many instructions it has.
constexpr unsigned COUNT_BIT = 40;

void on_block(unsigned vcpu, void* data) {
  const auto word = reinterpret_cast<std::uintptr_t>(data);
  auto* buffer = running(vcpu);
  if (over() && changes_alone()) change_parts();
  if (buffer != nullptr && in_gap()) buffer->runs(generation);
  if (buffer != nullptr && !in_gap()) buffer->enter(static_cast<std::uint32_t>(word), generation);
  if (plan.skip != 0 && (buffer == nullptr || !buffer->muted())) pass(word >> COUNT_BIT);
}

void on_light_block(unsigned vcpu, void* data) {
  auto* buffer = running(vcpu);
  if (buffer != nullptr) buffer->runs(generation);
  if (buffer == nullptr || !buffer->muted()) pass(reinterpret_cast<std::uintptr_t>(data));
}

void on_way_back(unsigned vcpu, void*) {
  if (auto* buffer = running(vcpu)) buffer->runs(generation);
  look();
}

/// Whether QEMU surely uses the list of callbacks of an instruction from its access on: it ends in a function of QEMU
/// that looks for the next block.
bool takes_list(const Instruction& found) {
  return found.kind == Class::ret || found.kind == Class::jump_indirect || found.kind == Class::call_indirect;
}

/// The generation of a block and, above, whether its instruction takes the list.
constexpr unsigned TAKES_BIT = 63;

void on_line(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* data) {
  const auto word = reinterpret_cast<std::uintptr_t>(data);
  auto* buffer = buffer_of(vcpu);
  if (buffer == nullptr || mode != Mode::lines) return;
  if (word == (generation | std::uint64_t{1} << TAKES_BIT)) buffer->takes_list(generation);
  buffer->line(address, qemu_plugin_mem_is_store(info));
}

/// A block's number and, above, the number of one of its instructions, and whether that takes the list.
constexpr unsigned INSTRUCTION_BIT = 32;

/// When QEMU up to 7.2 writes the frame of a signal, it calls this for the last instruction of a block that ran before
/// (held_lists.hpp): such an access is the kernel's, and is dropped.
void on_access(unsigned vcpu, qemu_plugin_meminfo_t info, std::uint64_t address, void* data) {
  const auto word = reinterpret_cast<std::uintptr_t>(data);
  const auto block = static_cast<std::uint32_t>(word);
  auto* buffer = buffer_of(vcpu);
  if (buffer == nullptr || mode == Mode::counted || block < first_block) return;
  if (word >> TAKES_BIT != 0) buffer->takes_list(generation);
  if (mode == Mode::lines) return buffer->line(address, qemu_plugin_mem_is_store(info));
  buffer->access(block, access_event(address, static_cast<unsigned>(word >> INSTRUCTION_BIT) & 511U,
                                     qemu_plugin_mem_is_store(info), qemu_plugin_mem_size_shift(info)));
}

Instruction read(const qemu_plugin_insn* instruction) {
  std::array<unsigned char, 16> copy{};
  const auto size = std::min(qemu_plugin_insn_size(instruction), copy.size());
  const auto answer = qemu_plugin_insn_data(instruction, copy.data(), copy.size());
  const void* bytes = served < COPIES_BYTES ? reinterpret_cast<const void*>(answer) : copy.data();
  return decode(bytes, size, qemu_plugin_insn_vaddr(instruction));
}

/// Whether a program may come back to a block without a block of this kind: all but those that go on ahead.
bool goes_ahead(const Instruction& last) {
  switch (last.kind) {
    case Class::branch:
    case Class::jump:
      return last.target > last.address;
    case Class::call:
      return true;  // its return does not
    case Class::jump_indirect:
    case Class::call_indirect:
    case Class::ret:
    case Class::string:
    case Class::system:
      return false;
    default:
      return true;
  }
}

/// Count the instructions of a block in a gap. Of one thread they are counted without a call, and only blocks from
/// which the program may go back look whether the gap ends.
void count_light(qemu_plugin_tb* block, std::size_t count, const Instruction& last) {
  if (several || own_end != 0 || qemu_plugin_register_vcpu_tb_exec_inline == nullptr)
    return qemu_plugin_register_vcpu_tb_exec_cb(block, on_light_block, QEMU_PLUGIN_CB_NO_REGS,
                                                reinterpret_cast<void*>(count));
  static_assert(sizeof passed == sizeof(std::uint64_t));
  qemu_plugin_register_vcpu_tb_exec_inline(block, QEMU_PLUGIN_INLINE_ADD_U64, &passed, count);
  if (!goes_ahead(last)) qemu_plugin_register_vcpu_tb_exec_cb(block, on_way_back, QEMU_PLUGIN_CB_NO_REGS, nullptr);
}

/// The address of a block and, above, how many lines its instructions are in.
constexpr unsigned LINES_BIT = 48;

void on_code(unsigned vcpu, void* data) {
  const auto word = reinterpret_cast<std::uintptr_t>(data);
  auto* buffer = buffer_of(vcpu);
  if (buffer != nullptr && mode == Mode::lines)
    buffer->code(word & ((std::uint64_t{1} << LINES_BIT) - 1), word >> LINES_BIT);
}

/// State the lines of the instructions of a block when it runs.
void state_code(qemu_plugin_tb* block, const Instruction& last) {
  const auto first = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
  const auto lines = (last.address + std::max<unsigned>(last.length, 1) - 1) / LINE - first / LINE + 1;
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_code, QEMU_PLUGIN_CB_NO_REGS,
                                       reinterpret_cast<void*>(first | lines << LINES_BIT));
}

/// Count a block in a gap; its lines are written in a part of the gaps.
void translate_light(qemu_plugin_tb* block, std::size_t count, bool counts) {
  if (!counts) return;
  for (std::size_t i = 0; i < count; ++i) {
    auto* instruction = qemu_plugin_tb_get_insn(block, i);
    const bool last = i + 1 == count, lines = mode == Mode::lines;
    if (!last && !lines) continue;
    const auto found = read(instruction);
    if (last) count_light(block, count, found);
    if (last && lines) state_code(block, found);
    if (lines)
      qemu_plugin_register_vcpu_mem_cb(
          instruction, on_line, QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_MEM_RW,
          reinterpret_cast<void*>(generation | std::uint64_t{takes_list(found)} << TAKES_BIT));
  }
}

void on_translation(qemu_plugin_id_t, qemu_plugin_tb* block) {
  static std::mutex mutex;
  const auto count = qemu_plugin_tb_n_insns(block);
  const auto at = qemu_plugin_insn_vaddr(qemu_plugin_tb_get_insn(block, 0));
  if (const bool own_code = at >= own_begin && at < own_end; own_code || !serves_both())
    return translate_light(block, count, !own_code);
  std::vector<Instruction> instructions;
  for (std::size_t i = 0; i < count; ++i) instructions.push_back(read(qemu_plugin_tb_get_insn(block, i)));
  const std::lock_guard lock(mutex);
  const auto number = blocks++;
  stream.define(number, instructions);
  qemu_plugin_register_vcpu_tb_exec_cb(block, on_block, QEMU_PLUGIN_CB_NO_REGS,
                                       reinterpret_cast<void*>(std::uintptr_t{number} | count << COUNT_BIT));
  if (plan.lines != 0) state_code(block, instructions.back());
  for (std::size_t i = 0; i < count; ++i)
    qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), on_access, QEMU_PLUGIN_CB_NO_REGS,
                                     QEMU_PLUGIN_MEM_RW,
                                     reinterpret_cast<void*>(std::uint64_t{takes_list(instructions[i])} << TAKES_BIT |
                                                             std::uintptr_t{i} << INSTRUCTION_BIT | number));
}

void on_thread(qemu_plugin_id_t, unsigned vcpu) {
  if (running(vcpu) == nullptr) stream.note(vcpu, "a thread beyond the 4096th is not traced");
}

void flush(unsigned vcpu) {
  if (auto* buffer = buffer_of(vcpu)) buffer->flush();
}

void on_thread_end(qemu_plugin_id_t, unsigned vcpu) {
  flush(vcpu);
  if (auto* buffer = buffer_of(vcpu)) buffer->takes_no_list();
}

void listen(qemu_plugin_id_t);

/// Return the number of a place in the stream: the library counts from 1 in each program. 0 if there are too many.
std::uint64_t place_of(std::uint64_t number) {
  if (number == OBJECTS_REST || number + places_before >= OBJECTS_MOST) return OBJECTS_REST;
  places = std::max(places, number + places_before);
  return number + places_before;
}

/// State "KIND NUMBER<tab>TEXT" with the number of the place in the stream.
void name_place(unsigned vcpu, std::string_view line) {
  const auto space = line.find(' '), tab = line.find('\t');
  std::uint64_t number = 0;
  if (space < tab && tab != line.npos) std::from_chars(line.data() + space + 1, line.data() + tab, number);
  if (const auto place = place_of(number); place != OBJECTS_REST)
    stream.place(vcpu, std::string(line.substr(0, space + 1)) + std::to_string(place) + std::string(line.substr(tab)));
}

/// What the library in the program says.
void on_said(Buffer& buffer, unsigned vcpu, std::int64_t number, std::span<const std::uint64_t> words) {
  switch (number) {
    case OBJECTS_CODE:
      own_begin = words[0];
      own_end = words[1];
      translate_again(listen);  // some of it was translated before
      break;
    case OBJECTS_MUTE:
    case OBJECTS_UNMUTE:
      buffer.mute(number == OBJECTS_MUTE);
      break;
    case OBJECTS_TEXT:
      if (const auto line = buffer.add(words); !line.empty()) name_place(vcpu, line);
      break;
    case OBJECTS_ALLOCATED:
      buffer.allocated(words[0], words[1], place_of(words[2]));
      break;
    case OBJECTS_FREED:
      buffer.freed(words[0]);
      break;
    case OBJECTS_PHASE:
      buffer.flush();
      stream.phase(vcpu, in_gap() ? passed.load() : 0, text_of(words));
      break;
    default:
      break;
  }
}

/// What the plug-in of the next program needs to go on.
std::string state() {
  std::string text = "first=" + std::to_string(blocks);
  const std::initializer_list<std::pair<const char*, std::uint64_t>> more{
      {"mode", static_cast<std::uint64_t>(mode.load())},
      {"passed", passed},
      {"until", until},
      {"gaps", gaps},
      {"places", places}};
  for (const auto& [name, value] : more) text += std::string(",") + name + "=" + std::to_string(value);
  return text + chosen.state();
}

void flush_all() {
  for (auto& buffer : buffers)
    if (buffer) buffer->flush();
}

/// A process that writes nothing, and may become the one that is recorded, or one that starts it.
void on_silent_syscall(std::int64_t number, std::uint64_t path, std::uint64_t words, std::uint64_t environment) {
  if (number != SYS_execve || !chosen.ahead()) return;
  const auto descriptor = chosen.pipe();
  if (descriptor >= 0)
    follow({path, words, environment}, "first=0" + chosen.state(), descriptor, [](const Followed& next) {
      if (!chosen.next()) return;
      stream.open(chosen.pipe(), false);
      const std::unique_ptr<char, decltype(&std::free)> whole(::realpath(next.path.c_str(), nullptr), &std::free);
      stream.note(0, std::string("begins ") + (whole ? whole.get() : next.path.c_str()) + next.digests);
      stream.mute();
    });
}

/// Before another program takes the place of this one, what is known so far goes out. What a thread allocated goes out
/// before another one may continue.
void on_syscall(qemu_plugin_id_t, unsigned vcpu, std::int64_t number, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                std::uint64_t d, std::uint64_t e, std::uint64_t f, std::uint64_t, std::uint64_t) {
  auto* buffer = buffer_of(vcpu);
  if (buffer != nullptr) buffer->takes_no_list();
  number == SYS_exit ? leaving.leave() : leaving.stay();
  if (stream.muted()) return on_silent_syscall(number, a, b, c);
  if (number >= OBJECTS_CODE && number <= OBJECTS_PHASE && buffer != nullptr)
    return on_said(*buffer, vcpu, number, std::array{a, b, c, d, e, f});
  const bool replaces = number == SYS_execve || number == SYS_execveat;
  if (replaces) flush_all();
  if (number == SYS_clone || number == SYS_clone3 || number == SYS_futex) flush(vcpu);
  if (!several && (number == SYS_clone3 || (number == SYS_clone && (a & CLONE_VM) != 0))) {
    several = true;
    if (in_gap()) translate_again(listen);  // those that count without a call
  }
  if (number == SYS_execve)
    follow({a, b, c}, state(), stream.descriptor(),
           [](const Followed& next) { stream.note(0, "followed " + next.path); });
  if (replaces) stream.note(vcpu, "exec");
}

void on_exit(qemu_plugin_id_t, void*) {
  if (stream.muted()) return;
  flush_all();
  if (in_gap()) stream.gap(passed, 0, mode == Mode::lines);
  stream.end();
}

std::uint64_t drawn_gap() {
  static std::uint64_t state = 1995;
  state = state * 6364136223846793005U + 1442695040888963407U;
  const auto skip = plan.skip << std::min<std::uint64_t>(gaps++ / plan.doubles, 24);
  return skip / 2 + (state >> 33U) % skip;
}

/// QEMU has dropped all blocks. A thread may still use a list of callbacks of theirs.
void drop_blocks() {
  const auto dropped = generation++;
  auto oldest = generation;
  for (const auto& buffer : buffers)
    if (buffer) oldest = std::min(oldest, buffer->oldest_list());
  release_lists(dropped, oldest);
  first_block = blocks;
}

void on_flush(qemu_plugin_id_t) { drop_blocks(); }

/// QEMU ignores a request while it serves another one.
void end_of_drop() {
  end_drop();
  leaving.served();
}

void listen(qemu_plugin_id_t id) {
  drop_blocks();
  qemu_plugin_register_vcpu_syscall_cb(id, on_syscall);
  if (stream.muted()) return end_of_drop();
  qemu_plugin_register_vcpu_init_cb(id, on_thread);
  qemu_plugin_register_vcpu_exit_cb(id, on_thread_end);
  qemu_plugin_register_vcpu_tb_trans_cb(id, on_translation);
  qemu_plugin_register_flush_cb(id, on_flush);  // QEMU's room for blocks is full
  qemu_plugin_register_atexit_cb(id, on_exit, nullptr);
  end_of_drop();
}

void go_on_as(Mode next, std::uint64_t instructions) {
  mode = next;
  until = instructions;
  passed = 0;
  for (auto& buffer : buffers)
    if (buffer) buffer->lines(next == Mode::lines);
}

/// Return the next gap, which is drawn once.
std::uint64_t next_gap() {
  if (drawn == 0) drawn = drawn_gap();
  return drawn;
}

/// Whether the part that ends and the next one need the same callbacks, and no other thread runs: so QEMU keeps its
/// blocks. Translating them anew for each unit would take most of the time.
bool changes_alone() {
  if (several || mode == Mode::counted) return false;
  return mode == Mode::lines || next_gap() <= plan.lines;
}

/// A gap begins: its last instructions state their lines. The units before it end here, also if no other ones come
/// first.
void begin_gap() {
  const auto gap = next_gap();
  drawn = 0;
  if (gap > plan.lines) return go_on_as(Mode::counted, gap - plan.lines);
  stream.gap(0, 0, true);
  go_on_as(Mode::lines, gap);
}

/// One part of the program ends, and the next one begins. @pre all threads stand still
void change_parts() {
  flush_all();
  const bool lines = mode == Mode::counted && plan.lines != 0;
  if (mode == Mode::traced) {
    begin_gap();
  } else {
    stream.gap(passed, lines ? 0 : plan.warm, mode == Mode::lines);
    go_on_as(lines ? Mode::lines : Mode::traced, lines ? plan.lines : plan.warm + plan.unit);
  }
}

void change(qemu_plugin_id_t id) {
  change_parts();
  listen(id);
}

void in_the_child() {
  chosen.in_the_child();
  leaving.forget();
  stream.mute();
  for (auto& buffer : buffers)
    if (buffer) buffer->drop();
}

void before_a_fork() {
  chosen.before_a_fork();
  stream.note(0, "fork");
}

/// QEMU 9.0 dropped a call of version 1, and refuses plug-ins of version 1. It reads the variable after this ran.
__attribute__((constructor)) void choose_version() {
  if (::dlsym(RTLD_DEFAULT, "qemu_plugin_n_vcpus") == nullptr) qemu_plugin_version = 2;
}

constexpr std::array<std::string_view, 20> NAMES{
    "fd",    "all",  "skip",   "warm",  "unit", "doubles", "lines", "process",  // of the user
    "first", "mode", "passed", "until", "gaps", "places",                       // of the program before
    "at",    "to",   "root",   "from",  "pipe", "children"};                    // of the process

/// Go on where the program stood that this one replaced.
void take_over(std::span<char*> words) {
  blocks = static_cast<std::uint32_t>(number_of(words, "first", 0));
  mode = static_cast<Mode>(std::min<std::uint64_t>(number_of(words, "mode", 0), 2));
  passed = number_of(words, "passed", 0);
  until = number_of(words, "until", until);
  gaps = static_cast<unsigned>(number_of(words, "gaps", 0));
  places = places_before = number_of(words, "places", 0);
}

/// "" or what is wrong.
std::string install(std::span<char*> words) {
  for (const std::string_view word : words) {
    const auto name = word.substr(0, word.find('='));
    if (std::ranges::find(NAMES, name) == NAMES.end())
      return std::string(word) +
             " is not an argument; expected fd=, all=, skip=, warm=, unit=, doubles=, lines= or process=";
  }
  constexpr std::uint64_t NONE = 1U << 30U;
  const auto descriptor = number_of(words, "fd", NONE);
  if (descriptor >= NONE) return "no pipe is named; expected fd=NUMBER";
  plan = {number_of(words, "all", 0),
          number_of(words, "skip", 0),
          number_of(words, "warm", 0),
          number_of(words, "unit", 1'000'000),
          std::max<std::uint64_t>(number_of(words, "doubles", 32), 1),
          number_of(words, "lines", 0)};
  if (plan.skip != 0) until = std::max<std::uint64_t>(plan.all, 1);
  take_over(words);
  chosen.open(words, static_cast<int>(descriptor));
  if (chosen.here()) stream.open(chosen.pipe(), !text_behind(words, "first").empty());
  return "";
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
  own = id;
  if (const auto why = install({argv, static_cast<std::size_t>(argc)}); !why.empty()) {
    std::fprintf(stderr, "tierscope-tracer: %s\n", why.c_str());
    return 1;
  }
  hold_calls();
  if (served < CLEARS_LISTS) hold_lists();
  ::pthread_atfork(before_a_fork, nullptr, in_the_child);
  listen(id);
  return 0;
}
