// SPDX-License-Identifier: GPL-2.0-or-later
/// Replaces a function of a library that QEMU's executable calls by one of ours.
#pragma once

namespace tierscope::tracer {

/// Let QEMU's executable call `ours` where it calls the function of this name, and return the library's own one; null
/// if it is not there. Nothing changes where QEMU's calls cannot be found.
void* redirect(const char* name, void* ours);

}  // namespace tierscope::tracer
