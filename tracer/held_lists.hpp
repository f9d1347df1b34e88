// SPDX-License-Identifier: GPL-2.0-or-later
/// QEMU up to 7.2 frees the lists of callbacks when it drops its blocks, while threads may still use one: a thread that
/// was between two blocks, and gets a signal before the next one. The kernel's part of QEMU then writes the frame of the
/// signal, and calls what the list contains. Programs with threads that signal each other, as those of Go, die.
/// Here QEMU's calls of `g_array_free` come to a function that keeps the list until no thread can use it any more.
/// Source: QEMU 8.0, "plugin: fix clearing of plugin_mem_cbs on TB exit", which clears the pointer instead.
#pragma once
#include <cstdint>

namespace tierscope::tracer {

/// From now on, keep what QEMU frees. Nothing changes where its calls cannot be found.
void hold_lists();
/// QEMU has dropped all blocks of generation `dropped`: free the lists of those before generation `oldest`.
void release_lists(std::uint64_t dropped, std::uint64_t oldest);

}  // namespace tierscope::tracer
