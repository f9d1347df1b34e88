// SPDX-License-Identifier: GPL-2.0-or-later
/// A program that replaces itself by another (execve) is followed: QEMU replaces itself by a QEMU that runs the other.
#pragma once
#include <cstdint>
#include <string>

#include "stream.hpp"

namespace tierscope::tracer {

/// Replace this process by a QEMU whose plug-in goes on with the stream. `path`, `words`, `environment`: the arguments
/// of the system call. `state`: arguments of the plug-in behind those of the user. The stream gets a note before.
/// Return where that cannot be: the path is not a program of x86-64, has the rights of another user, or is in /proc,
/// which names QEMU itself. The program then makes its own call.
void follow(Stream& stream, std::uint64_t path, std::uint64_t words, std::uint64_t environment,
            const std::string& state);

}  // namespace tierscope::tracer
