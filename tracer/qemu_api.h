// SPDX-License-Identifier: GPL-2.0-or-later
/// The part of QEMU's plug-in interface that the tracer uses. No package of Debian 12 or Ubuntu 24.04 has the header.
/// Source: QEMU documentation, "QEMU TCG Plugins" (developer's manual, plug-in API, versions 1 to 4).
#pragma once
#include <stddef.h>
#include <stdint.h>

extern "C" {

typedef uint64_t qemu_plugin_id_t;
typedef uint32_t qemu_plugin_meminfo_t;
struct qemu_plugin_tb;    // a translated block
struct qemu_plugin_insn;  // one of its instructions

enum qemu_plugin_cb_flags { QEMU_PLUGIN_CB_NO_REGS, QEMU_PLUGIN_CB_R_REGS, QEMU_PLUGIN_CB_RW_REGS };
enum qemu_plugin_mem_rw { QEMU_PLUGIN_MEM_R = 1, QEMU_PLUGIN_MEM_W, QEMU_PLUGIN_MEM_RW };
enum qemu_plugin_op { QEMU_PLUGIN_INLINE_ADD_U64 };

/// The first fields alone, which every version has.
struct qemu_info_t {
  const char* target_name;
  struct {
    int min, cur;
  } version;
};

using qemu_plugin_simple_cb = void (*)(qemu_plugin_id_t);
using qemu_plugin_udata_cb = void (*)(qemu_plugin_id_t, void*);
using qemu_plugin_vcpu_simple_cb = void (*)(qemu_plugin_id_t, unsigned vcpu);
using qemu_plugin_vcpu_udata_cb = void (*)(unsigned vcpu, void*);
using qemu_plugin_vcpu_tb_trans_cb = void (*)(qemu_plugin_id_t, qemu_plugin_tb*);
using qemu_plugin_vcpu_mem_cb = void (*)(unsigned vcpu, qemu_plugin_meminfo_t, uint64_t address, void*);
using qemu_plugin_vcpu_syscall_cb = void (*)(qemu_plugin_id_t, unsigned vcpu, int64_t number, uint64_t, uint64_t,
                                             uint64_t, uint64_t, uint64_t, uint64_t, uint64_t, uint64_t);

void qemu_plugin_register_vcpu_init_cb(qemu_plugin_id_t, qemu_plugin_vcpu_simple_cb);
void qemu_plugin_register_vcpu_exit_cb(qemu_plugin_id_t, qemu_plugin_vcpu_simple_cb);
void qemu_plugin_register_vcpu_tb_trans_cb(qemu_plugin_id_t, qemu_plugin_vcpu_tb_trans_cb);
void qemu_plugin_register_vcpu_tb_exec_cb(qemu_plugin_tb*, qemu_plugin_vcpu_udata_cb, qemu_plugin_cb_flags, void*);
/// Adds `value` to a number in memory, without a call, and not atomically. QEMU 9.1 and later do not have it.
void qemu_plugin_register_vcpu_tb_exec_inline(qemu_plugin_tb*, qemu_plugin_op, void* number, uint64_t value)
    __attribute__((weak));
void qemu_plugin_register_vcpu_mem_cb(qemu_plugin_insn*, qemu_plugin_vcpu_mem_cb, qemu_plugin_cb_flags,
                                      qemu_plugin_mem_rw, void*);
void qemu_plugin_register_vcpu_syscall_cb(qemu_plugin_id_t, qemu_plugin_vcpu_syscall_cb);
void qemu_plugin_register_flush_cb(qemu_plugin_id_t, qemu_plugin_simple_cb);
void qemu_plugin_register_atexit_cb(qemu_plugin_id_t, qemu_plugin_udata_cb, void*);
void qemu_plugin_reset(qemu_plugin_id_t, qemu_plugin_simple_cb);

size_t qemu_plugin_tb_n_insns(const qemu_plugin_tb*);
qemu_plugin_insn* qemu_plugin_tb_get_insn(const qemu_plugin_tb*, size_t);
uint64_t qemu_plugin_insn_vaddr(const qemu_plugin_insn*);
size_t qemu_plugin_insn_size(const qemu_plugin_insn*);
/// Up to version 2 a pointer to the bytes, and the other arguments are not looked at; from version 3 on the number of
/// bytes that were copied.
uintptr_t qemu_plugin_insn_data(const qemu_plugin_insn*, void* to, size_t size);
unsigned qemu_plugin_mem_size_shift(qemu_plugin_meminfo_t);
bool qemu_plugin_mem_is_store(qemu_plugin_meminfo_t);

}  // extern "C"
