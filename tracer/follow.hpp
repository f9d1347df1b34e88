// SPDX-License-Identifier: GPL-2.0-or-later
/// A program that replaces itself by another (execve) is followed: QEMU replaces itself by a QEMU that runs the other.
#pragma once
#include <cstdint>
#include <functional>
#include <string>

namespace tierscope::tracer {

/// The arguments of the system call: addresses in the program.
struct Execve {
  std::uint64_t path, words, environment;
};

/// The program that begins. path: of its file; digests: of each of its first words, 64 bits of FNV-1a in hexadecimal,
/// with a space in front.
struct Followed {
  std::string path, digests;
};

/// Replace this process by a QEMU whose plug-in goes on. `state`: arguments of the plug-in behind those of the user.
/// `before`: is called when nothing can fail any more. descriptor: of the pipe, which the other QEMU gets.
/// Return where that cannot be: the path is not a program of x86-64, has the rights of another user, or is in /proc,
/// which names QEMU itself. The program then makes its own call.
void follow(const Execve& asked, const std::string& state, int descriptor,
            const std::function<void(const Followed&)>& before);

}  // namespace tierscope::tracer
