// File operations that fail on purpose: preloaded, armed by `faults_arm`, see faults.py.
//
// Counted are operations below one folder. `kill` ends the process before the operation, EIO refuses it once, ENOSPC
// refuses it and all later ones that take room, `short` writes the first half.
// Source: Linux, ld.so(8) (LD_PRELOAD); dlsym(3) (RTLD_NEXT).
#include <dlfcn.h>
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <climits>
#include <csignal>
#include <cstdarg>
#include <cstdio>
#include <cstring>
#include <string>
#include <string_view>

namespace {

enum Kind { NONE, KILL, FAIL_EIO, FAIL_ENOSPC, SHORT };

Kind kind = NONE;
bool armed = false;
long at = 0;
long done = 0;
int notes = -1;
std::string below;

template <class Function>
Function* real(const char* name) {
  return reinterpret_cast<Function*>(dlsym(RTLD_NEXT, name));
}

std::string path_of(int file) {
  char link[64];
  char path[PATH_MAX];
  std::snprintf(link, sizeof link, "/proc/self/fd/%d", file);
  const auto size = readlink(link, path, sizeof path);
  return size < 0 ? std::string() : std::string(path, static_cast<std::size_t>(size));
}

std::string path_at(int folder, const char* name) {
  if (name[0] == '/') return name;
  char here[PATH_MAX];
  const std::string base = folder == AT_FDCWD ? getcwd(here, sizeof here) : path_of(folder);
  return base + "/" + name;
}

// Whether this operation fails now; `takes_room`: a full disk refuses it.
bool strikes(const char* name, const std::string& path, bool takes_room, bool writes = false) {
  if (!armed || path.compare(0, below.size(), below) != 0) return false;
  const int kept = errno;
  ++done;
  if (notes >= 0) {
    const auto line = std::string(name) + (takes_room ? "+ " : writes ? "* " : " ") + path.substr(below.size()) + "\n";
    static auto* const put = real<ssize_t(int, const void*, std::size_t)>("write");
    if (put(notes, line.data(), line.size()) < 0) _exit(99);
  }
  errno = kept;
  if (kind == FAIL_ENOSPC && done >= at && takes_room) {
    errno = ENOSPC;
    return true;
  }
  if (done != at) return false;
  if (kind == KILL) {
    kill(getpid(), SIGKILL);
    pause();
  }
  if (kind == FAIL_EIO) errno = EIO;
  return kind == FAIL_EIO || (kind == SHORT && writes);
}

template <class Write>
ssize_t written(const std::string& path, std::size_t size, Write write) {
  if (!strikes("write", path, true, true)) return write(size);
  return kind == SHORT ? write(size > 1 ? size / 2 : size) : -1;
}

bool takes(int flags) { return (flags & O_CREAT) != 0; }

}  // namespace

extern "C" {

void faults_arm(const char* folder, const char* what, long number, int log) {
  const std::string_view word = what;
  kind = word == "kill"     ? KILL
         : word == "EIO"    ? FAIL_EIO
         : word == "ENOSPC" ? FAIL_ENOSPC
         : word == "short"  ? SHORT
                            : NONE;
  below = folder;
  at = number;
  notes = log;
  done = 0;
  armed = true;
}

#define OPEN(NAME)                                                                       \
  int NAME(const char* path, int flags, ...) {                                           \
    va_list rest;                                                                        \
    va_start(rest, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                                        \
    if (strikes("open", path_at(AT_FDCWD, path), takes(flags))) return -1;               \
    return real<int(const char*, int, ...)>(#NAME)(path, flags, mode);                   \
  }
#define OPENAT(NAME)                                                                     \
  int NAME(int folder, const char* path, int flags, ...) {                               \
    va_list rest;                                                                        \
    va_start(rest, flags);                                                               \
    const mode_t mode = (flags & (O_CREAT | O_TMPFILE)) != 0 ? va_arg(rest, mode_t) : 0; \
    va_end(rest);                                                                        \
    if (strikes("open", path_at(folder, path), takes(flags))) return -1;                 \
    return real<int(int, const char*, int, ...)>(#NAME)(folder, path, flags, mode);      \
  }
OPEN(open)
OPEN(open64)
OPENAT(openat)
OPENAT(openat64)

ssize_t write(int file, const void* data, std::size_t size) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t)>("write");
  if (!armed) return next(file, data, size);
  return written(path_of(file), size, [&](std::size_t part) { return next(file, data, part); });
}

ssize_t pwrite(int file, const void* data, std::size_t size, off_t offset) {
  static auto* const next = real<ssize_t(int, const void*, std::size_t, off_t)>("pwrite");
  if (!armed) return next(file, data, size, offset);
  return written(path_of(file), size, [&](std::size_t part) { return next(file, data, part, offset); });
}

ssize_t pwrite64(int file, const void* data, std::size_t size, off64_t offset) {
  return pwrite(file, data, size, offset);
}

ssize_t read(int file, void* data, std::size_t size) {
  static auto* const next = real<ssize_t(int, void*, std::size_t)>("read");
  return armed && strikes("read", path_of(file), false) ? -1 : next(file, data, size);
}

ssize_t pread(int file, void* data, std::size_t size, off_t offset) {
  static auto* const next = real<ssize_t(int, void*, std::size_t, off_t)>("pread");
  return armed && strikes("read", path_of(file), false) ? -1 : next(file, data, size, offset);
}

ssize_t pread64(int file, void* data, std::size_t size, off64_t offset) { return pread(file, data, size, offset); }

int fsync(int file) { return armed && strikes("fsync", path_of(file), true) ? -1 : real<int(int)>("fsync")(file); }

int flock(int file, int operation) {
  return armed && strikes("flock", path_of(file), false) ? -1 : real<int(int, int)>("flock")(file, operation);
}

int rename(const char* from, const char* to) {
  if (armed && strikes("rename", path_at(AT_FDCWD, to), true)) return -1;
  return real<int(const char*, const char*)>("rename")(from, to);
}

int unlink(const char* path) {
  if (armed && strikes("unlink", path_at(AT_FDCWD, path), false)) return -1;
  return real<int(const char*)>("unlink")(path);
}

int unlinkat(int folder, const char* path, int flags) {
  if (armed && strikes("unlink", path_at(folder, path), false)) return -1;
  return real<int(int, const char*, int)>("unlinkat")(folder, path, flags);
}

int mkdir(const char* path, mode_t mode) {
  if (armed && strikes("mkdir", path_at(AT_FDCWD, path), true)) return -1;
  return real<int(const char*, mode_t)>("mkdir")(path, mode);
}

int rmdir(const char* path) {
  if (armed && strikes("rmdir", path_at(AT_FDCWD, path), false)) return -1;
  return real<int(const char*)>("rmdir")(path);
}

}  // extern "C"
