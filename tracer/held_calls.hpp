// SPDX-License-Identifier: GPL-2.0-or-later
/// QEMU frees what it calls of this plug-in when it drops its blocks. A thread that begins a call to the system, or
/// another thread, does not run for QEMU, and may just then read what is to be called: it would call an address that
/// was never a function. What the dropping thread frees is kept until the drop after the next one.
#pragma once

namespace tierscope::tracer {

/// Find QEMU's calls of `g_free`. Nothing changes where they cannot be found.
void hold_calls();
/// This thread has asked for a drop: from now on, keep what it frees.
void begin_drop();
/// The drop is over: free what was kept in the drop before the last one.
void end_drop();

}  // namespace tierscope::tracer
