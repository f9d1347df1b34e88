// SPDX-License-Identifier: GPL-2.0-or-later
/// Operands by Zydis, hidden ones too. Registers of an address are kept apart from those of data: `addsd (%rax), %xmm0`
/// can load before xmm0 is known. Both in one list would make each sum of an array a chain of misses.
/// Blind to: a write of 8 or 16 bits counts as a write of the whole register that reads the old one.
#include "decode.hpp"

#include <Zydis/Zydis.h>

#include <algorithm>
#include <string_view>

namespace tierscope::tracer {
namespace {

std::uint8_t number_of(ZydisRegister name) {
  if (name == ZYDIS_REGISTER_NONE) return none;
  const auto whole = ZydisRegisterGetLargestEnclosing(ZYDIS_MACHINE_MODE_LONG_64, name);
  const auto within = [whole](ZydisRegister first, ZydisRegister last) { return whole >= first && whole <= last; };
  const auto from = [whole](ZydisRegister first, int base) { return static_cast<std::uint8_t>(whole - first + base); };
  if (within(ZYDIS_REGISTER_RAX, ZYDIS_REGISTER_R15)) return from(ZYDIS_REGISTER_RAX, rax);
  if (within(ZYDIS_REGISTER_ZMM0, ZYDIS_REGISTER_ZMM31)) return from(ZYDIS_REGISTER_ZMM0, vector0);
  if (within(ZYDIS_REGISTER_K0, ZYDIS_REGISTER_K7)) return from(ZYDIS_REGISTER_K0, mask0);
  if (whole == ZYDIS_REGISTER_RFLAGS) return flags;
  const auto kind = ZydisRegisterGetClass(name);
  return kind == ZYDIS_REGCLASS_X87 || kind == ZYDIS_REGCLASS_MMX ? x87 : none;
}

template <std::size_t N>
void add(std::array<std::uint8_t, N>& list, std::uint8_t number) {
  if (number == none || std::ranges::find(list, number) != list.end()) return;
  const auto free = std::ranges::find(list, none);
  if (free != list.end()) *free = number;
}

Class vector_class(std::string_view name) {
  if (name.starts_with('v')) name.remove_prefix(1);
  if (name.starts_with("fmadd") || name.starts_with("fmsub") || name.starts_with("fnm")) return Class::fp_multiply_add;
  if (name.starts_with("cvt")) return Class::convert;
  const bool floats = name.ends_with("ss") || name.ends_with("sd") || name.ends_with("ps") || name.ends_with("pd");
  if (!floats) return name.starts_with("pmul") || name.starts_with("pmadd") ? Class::multiply : Class::vector;
  const auto is = [name](auto... prefix) { return (name.starts_with(prefix) || ...); };
  if (is("div")) return Class::fp_divide;
  if (is("sqrt")) return Class::fp_square_root;
  if (is("mul")) return Class::fp_multiply;
  if (is("add", "sub", "hadd", "hsub", "max", "min", "cmp", "round", "ucomi", "comi")) return Class::fp_add;
  return Class::vector;
}

Class x87_class(std::string_view name) {
  const auto is = [name](auto... prefix) { return (name.starts_with(prefix) || ...); };
  if (is("fdiv", "fidiv")) return Class::fp_divide;
  if (is("fsqrt", "fsin", "fcos", "fptan", "fpatan", "fyl2x", "f2xm1")) return Class::fp_square_root;
  if (is("fmul", "fimul")) return Class::fp_multiply;
  if (is("fadd", "fiadd", "fsub", "fisub", "fcom", "fucom")) return Class::fp_add;
  return Class::vector;
}

/// By mnemonic; other: by its category.
Class special_class(ZydisMnemonic mnemonic) {
  switch (mnemonic) {
    case ZYDIS_MNEMONIC_MFENCE:
      return Class::mfence;
    case ZYDIS_MNEMONIC_SFENCE:
      return Class::sfence;
    case ZYDIS_MNEMONIC_LFENCE:
      return Class::lfence;
    case ZYDIS_MNEMONIC_CLFLUSH:
      return Class::clflush;
    case ZYDIS_MNEMONIC_CLFLUSHOPT:
      return Class::clflushopt;
    case ZYDIS_MNEMONIC_CLWB:
      return Class::clwb;
    case ZYDIS_MNEMONIC_CPUID:
    case ZYDIS_MNEMONIC_SERIALIZE:
      return Class::serialize;
    case ZYDIS_MNEMONIC_IMUL:
    case ZYDIS_MNEMONIC_MUL:
    case ZYDIS_MNEMONIC_MULX:
      return Class::multiply;
    case ZYDIS_MNEMONIC_DIV:
    case ZYDIS_MNEMONIC_IDIV:
      return Class::divide;
    default:
      return Class::other;
  }
}

bool direct(const ZydisDecodedOperand* operands) { return operands[0].type == ZYDIS_OPERAND_TYPE_IMMEDIATE; }

/// A copy of a whole register to another one of its file, which a core may rename. Extensions are computed, parts of
/// registers and lanes under a mask are put together, and a copy to another file is an operation of its own.
bool copies(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands) {
  switch (decoded.mnemonic) {
    case ZYDIS_MNEMONIC_MOV:
      return operands[0].size >= 32;
    case ZYDIS_MNEMONIC_MOVAPS:
    case ZYDIS_MNEMONIC_MOVAPD:
    case ZYDIS_MNEMONIC_MOVUPS:
    case ZYDIS_MNEMONIC_MOVUPD:
    case ZYDIS_MNEMONIC_MOVDQA:
    case ZYDIS_MNEMONIC_MOVDQU:
      return true;
    case ZYDIS_MNEMONIC_VMOVAPS:
    case ZYDIS_MNEMONIC_VMOVAPD:
    case ZYDIS_MNEMONIC_VMOVUPS:
    case ZYDIS_MNEMONIC_VMOVUPD:
    case ZYDIS_MNEMONIC_VMOVDQA:
    case ZYDIS_MNEMONIC_VMOVDQU:
    case ZYDIS_MNEMONIC_VMOVDQA32:
    case ZYDIS_MNEMONIC_VMOVDQA64:
    case ZYDIS_MNEMONIC_VMOVDQU8:
    case ZYDIS_MNEMONIC_VMOVDQU16:
    case ZYDIS_MNEMONIC_VMOVDQU32:
    case ZYDIS_MNEMONIC_VMOVDQU64:
      return decoded.avx.mask.reg == ZYDIS_REGISTER_NONE || decoded.avx.mask.reg == ZYDIS_REGISTER_K0;
    default:
      return false;
  }
}

bool in_memory(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands) {
  return std::any_of(operands, operands + decoded.operand_count,
                     [](const auto& one) { return one.type == ZYDIS_OPERAND_TYPE_MEMORY; });
}

Class class_of(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands) {
  if (const auto special = special_class(decoded.mnemonic); special != Class::other) return special;
  switch (decoded.meta.category) {
    case ZYDIS_CATEGORY_COND_BR:
      return Class::branch;
    case ZYDIS_CATEGORY_UNCOND_BR:
      return direct(operands) ? Class::jump : Class::jump_indirect;
    case ZYDIS_CATEGORY_CALL:
      return direct(operands) ? Class::call : Class::call_indirect;
    case ZYDIS_CATEGORY_RET:
      return Class::ret;
    case ZYDIS_CATEGORY_SYSCALL:
    case ZYDIS_CATEGORY_INTERRUPT:
      return Class::system;
    case ZYDIS_CATEGORY_NOP:
    case ZYDIS_CATEGORY_WIDENOP:
      return Class::nop;
    case ZYDIS_CATEGORY_PREFETCH:
    case ZYDIS_CATEGORY_PREFETCHWT1:
      return Class::prefetch;
    case ZYDIS_CATEGORY_STRINGOP:
      return Class::string;
    case ZYDIS_CATEGORY_AVX2GATHER:
    case ZYDIS_CATEGORY_GATHER:
    case ZYDIS_CATEGORY_SCATTER:
      return Class::gather;
    case ZYDIS_CATEGORY_X87_ALU:
      return x87_class(ZydisMnemonicGetString(decoded.mnemonic));
    case ZYDIS_CATEGORY_DATAXFER:
      if (in_memory(decoded, operands) || copies(decoded, operands)) return Class::move;
      break;
    case ZYDIS_CATEGORY_PUSH:
    case ZYDIS_CATEGORY_POP:
      return Class::move;
    default:
      break;
  }
  switch (decoded.meta.isa_set) {
    case ZYDIS_ISA_SET_I86:
    case ZYDIS_ISA_SET_I186:
    case ZYDIS_ISA_SET_I386:
    case ZYDIS_ISA_SET_I486:
    case ZYDIS_ISA_SET_I486REAL:
    case ZYDIS_ISA_SET_LONGMODE:
    case ZYDIS_ISA_SET_CMOV:
    case ZYDIS_ISA_SET_BMI1:
    case ZYDIS_ISA_SET_BMI2:
    case ZYDIS_ISA_SET_ADOX_ADCX:
    case ZYDIS_ISA_SET_POPCNT:
    case ZYDIS_ISA_SET_LZCNT:
      return Class::integer;
    default:
      return vector_class(ZydisMnemonicGetString(decoded.mnemonic));
  }
}

std::uint16_t bytes_of(const ZydisDecodedOperand& operand) {
  return static_cast<std::uint16_t>(std::min<unsigned>(operand.size / 8U, 4096));
}

void take_memory(const ZydisDecodedOperand& operand, Instruction& to) {
  add(to.address_registers, number_of(operand.mem.base));
  add(to.address_registers, number_of(operand.mem.index));
  if (operand.mem.type == ZYDIS_MEMOP_TYPE_AGEN) return;  // lea computes, it does not load
  if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0) {
    ++to.loads;
    to.load_bytes = std::max(to.load_bytes, bytes_of(operand));
  }
  if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0) {
    ++to.stores;
    to.store_bytes = std::max(to.store_bytes, bytes_of(operand));
  }
}

void take_register(const ZydisDecodedOperand& operand, Instruction& to) {
  const auto number = number_of(operand.reg.value);
  const bool written = (operand.actions & ZYDIS_OPERAND_ACTION_MASK_WRITE) != 0;
  const bool partial = written && number < flags && operand.size < 32;
  const bool perhaps = (operand.actions & ZYDIS_OPERAND_ACTION_CONDWRITE) != 0;
  if (written) add(to.written, number);
  if ((operand.actions & ZYDIS_OPERAND_ACTION_MASK_READ) != 0 || partial || (perhaps && number != flags))
    add(to.data_registers, number);
}

/// A register that is equal to itself in each lane, which a core computes without waiting for it.
bool makes_ones(ZydisMnemonic mnemonic) {
  return mnemonic == ZYDIS_MNEMONIC_PCMPEQB || mnemonic == ZYDIS_MNEMONIC_PCMPEQD ||
         mnemonic == ZYDIS_MNEMONIC_VPCMPEQB || mnemonic == ZYDIS_MNEMONIC_VPCMPEQD;
}

/// A whole register with itself: the answer does not depend on it.
bool zeroes(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands) {
  switch (decoded.mnemonic) {
    case ZYDIS_MNEMONIC_XOR:
    case ZYDIS_MNEMONIC_SUB:
    case ZYDIS_MNEMONIC_PXOR:
    case ZYDIS_MNEMONIC_VPXOR:
    case ZYDIS_MNEMONIC_XORPS:
    case ZYDIS_MNEMONIC_VXORPS:
    case ZYDIS_MNEMONIC_XORPD:
    case ZYDIS_MNEMONIC_VXORPD:
    case ZYDIS_MNEMONIC_VPXORD:
    case ZYDIS_MNEMONIC_VPXORQ:
    case ZYDIS_MNEMONIC_PCMPEQB:
    case ZYDIS_MNEMONIC_PCMPEQD:
    case ZYDIS_MNEMONIC_VPCMPEQB:
    case ZYDIS_MNEMONIC_VPCMPEQD:
      break;
    default:
      return false;
  }
  const auto last = decoded.operand_count_visible - 1;
  if (operands[0].size < 32) return false;  // the rest of the register stays
  return last >= 1 && operands[last].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         operands[last - 1].type == ZYDIS_OPERAND_TYPE_REGISTER &&
         operands[last].reg.value == operands[last - 1].reg.value;
}

bool nontemporal_store(ZydisMnemonic mnemonic) {
  const std::string_view name = ZydisMnemonicGetString(mnemonic);
  return name.starts_with("movnt") || name.starts_with("vmovnt");
}

std::uint8_t flags_of(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands,
                      const Instruction& found) {
  std::uint8_t set = 0;
  const bool exchanges = decoded.mnemonic == ZYDIS_MNEMONIC_XCHG && found.stores != 0;
  if ((decoded.attributes & ZYDIS_ATTRIB_HAS_LOCK) != 0 || exchanges) set |= atomic;
  if (nontemporal_store(decoded.mnemonic)) set |= nontemporal;
  if ((decoded.attributes & (ZYDIS_ATTRIB_HAS_REP | ZYDIS_ATTRIB_HAS_REPE | ZYDIS_ATTRIB_HAS_REPNE)) != 0 &&
      found.kind == Class::string)
    set |= repeated;
  const auto category = decoded.meta.category;
  if (category == ZYDIS_CATEGORY_PUSH || category == ZYDIS_CATEGORY_POP || category == ZYDIS_CATEGORY_CALL ||
      category == ZYDIS_CATEGORY_RET)
    set |= stack;
  if (zeroes(decoded, operands)) set |= independent | (makes_ones(decoded.mnemonic) ? 0 : zero);
  return set;
}

void take(const ZydisDecodedInstruction& decoded, const ZydisDecodedOperand* operands, Instruction& to) {
  for (std::size_t o = 0; o < decoded.operand_count; ++o) {
    const auto& operand = operands[o];
    if (operand.type == ZYDIS_OPERAND_TYPE_MEMORY) take_memory(operand, to);
    if (operand.type == ZYDIS_OPERAND_TYPE_REGISTER) take_register(operand, to);
    if (operand.type == ZYDIS_OPERAND_TYPE_IMMEDIATE && operand.imm.is_relative)
      to.target = to.address + to.length + static_cast<std::uint64_t>(operand.imm.value.s);
  }
  const auto* used = decoded.cpu_flags;
  if (used == nullptr) return;
  if (used->tested != 0) add(to.data_registers, flags);
  if ((used->modified | used->set_0 | used->set_1) != 0) add(to.written, flags);
}

}  // namespace

Instruction decode(const void* bytes, std::size_t size, std::uint64_t address) noexcept {
  static const ZydisDecoder decoder = [] {
    ZydisDecoder made;
    ZydisDecoderInit(&made, ZYDIS_MACHINE_MODE_LONG_64, ZYDIS_STACK_WIDTH_64);
    return made;
  }();
  Instruction found{.address = address, .length = static_cast<std::uint8_t>(size)};
  ZydisDecodedInstruction decoded;
  ZydisDecodedOperand operands[ZYDIS_MAX_OPERAND_COUNT];
  if (!ZYAN_SUCCESS(ZydisDecoderDecodeFull(&decoder, bytes, size, &decoded, operands))) return found;
  found.kind = class_of(decoded, operands);
  take(decoded, operands, found);
  if (found.kind == Class::nop || found.kind == Class::prefetch) found.loads = found.stores = 0;
  found.flags = flags_of(decoded, operands, found);
  if ((found.flags & independent) != 0) found.data_registers.fill(none);
  return found;
}

}  // namespace tierscope::tracer
