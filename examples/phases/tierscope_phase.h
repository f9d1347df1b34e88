/// Marks the phases of a program for `tierscope predict`. Outside the tracer, a mark is a system call that Linux does
/// not know, of about 100 ns.
///   tierscope_phase("sort");
#pragma once
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

/// Begin a phase. Of the name, the first 47 bytes count; phases of one name are one.
static inline void tierscope_phase(const char* name) {
  long words[6] = {0};
  strncpy((char*)words, name, sizeof words - 1);
  (void)syscall(0x54530006, words[0], words[1], words[2], words[3], words[4], words[5]);
}
