// SPDX-License-Identifier: GPL-2.0-or-later
/// One instruction as the stream states it, once: which registers its addresses are made of, which its data, what it
/// writes. README.md defines each field; a reader has a definition of its own.
#pragma once
#include <array>
#include <cstdint>

namespace tierscope::tracer {

/// Registers of x86-64 as numbers: parts of one register are that register.
enum Register : std::uint8_t {
  rax = 0,
  rsp = 4,
  flags = 16,
  x87 = 17,
  vector0 = 18,
  mask0 = 50,
  registers = 58,
  none = 255
};

enum class Class : std::uint8_t {
  other,
  integer,
  multiply,
  divide,
  fp_add,
  fp_multiply,
  fp_multiply_add,
  fp_divide,
  fp_square_root,
  vector,
  convert,
  move,
  branch,
  jump,
  jump_indirect,
  call,
  call_indirect,
  ret,
  string,
  gather,
  system,
  nop,
  mfence,
  sfence,
  lfence,
  clflush,
  clflushopt,
  clwb,
  prefetch,
  serialize
};

enum Flag : std::uint8_t {
  atomic = 1,        // locked, or xchg with memory
  nontemporal = 2,   // a store or load past the caches
  repeated = 4,      // rep: the stream has the block once for each repetition
  stack = 8,         // push, pop, call, ret: rsp is known without an addition
  independent = 16,  // xor of a register with itself: nothing is waited for
  zero = 32,         // and its result is zero, for which a core needs no register
};

struct Instruction {
  std::uint64_t address = 0;
  std::uint64_t target = 0;  // of a direct branch, jump or call; 0: none
  std::uint16_t load_bytes = 0, store_bytes = 0;
  std::uint8_t length = 0;
  Class kind = Class::other;
  std::uint8_t flags = 0;
  std::uint8_t loads = 0, stores = 0;  // memory operands
  std::array<std::uint8_t, 4> address_registers{none, none, none, none};
  std::array<std::uint8_t, 8> data_registers{none, none, none, none, none, none, none, none};
  std::array<std::uint8_t, 8> written{none, none, none, none, none, none, none, none};
  std::array<std::uint8_t, 3> reserved{};
};
static_assert(sizeof(Instruction) == 48);

}  // namespace tierscope::tracer
