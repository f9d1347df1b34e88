#include "targets/made_file.hpp"

#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/statfs.h>
#include <sys/statvfs.h>
#include <sys/sysmacros.h>

#include <cerrno>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/error.hpp"
#include "targets/pages.hpp"

namespace tierscope::made_file {
namespace {

std::string folder_of(const std::string& path) {
  const auto folder = std::filesystem::path(path).parent_path();
  return folder.empty() ? "." : folder.string();
}

const char* remedy(int number) noexcept {
  switch (number) {
    case EEXIST:
      return " (name a file that does not exist yet)";
    case ENOENT:
      return " (its folder does not exist; make it, or name another)";
    case EROFS:
      return " (the file system is mounted read-only; mount -o remount,rw, or name another)";
    case EACCES:
      return " (name a folder that you may write to)";
    default:
      return "";
  }
}

/// "36 35 98:0 /mnt1 /mnt2 rw,noatime master:1 - ext3 /dev/root rw,errors=continue", proc_pid_mountinfo(5).
std::string described(const std::string& line) {
  std::istringstream words(line);
  std::string skipped, point, its, type, source, all;
  words >> skipped >> skipped >> skipped >> skipped >> point >> its;
  while (words >> skipped && skipped != "-") {
  }
  words >> type >> source >> all;
  return point + " is " + type + " (" + its + "; " + all + ")";
}

}  // namespace

int create(const std::string& path) {
  const int file = open(path.c_str(), O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  if (file < 0) {
    const int number = errno;
    throw SystemError("create " + path + remedy(number), number);
  }
  unlink(path.c_str());
  return file;
}

void require_room(int file, const std::string& target, const std::string& path, std::size_t size) {
  struct statvfs room{};
  const bool known = fstatvfs(file, &room) == 0;
  const std::size_t free = room.f_bavail * room.f_frsize;
  if (known && free < size)
    throw Unsupported(target + " of " + std::to_string(size >> 20U) + " MiB has no space at " + path + ": " +
                      std::to_string(free >> 20U) + " MiB free; use a smaller footprint or another file system");
}

void reserve(int file, const std::string& path, std::size_t size) {
  if (const int number = posix_fallocate(file, 0, static_cast<off_t>(size)); number != 0)
    throw SystemError("reserve " + std::to_string(size) + " bytes for " + path, number);
}

/// Map with inaccessible pages on both sides, so that the mapping stays separate in smaps.
Buffer map(int file, const std::string& path, std::size_t size, std::size_t align, int flags, std::size_t place) {
  const std::size_t mapped = size + align + pages::base();
  void* at = mmap(nullptr, mapped, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (at == MAP_FAILED) throw SystemError("find " + std::to_string(mapped) + " bytes of addresses", errno);
  const auto start = reinterpret_cast<std::uintptr_t>(at);
  const std::size_t offset = (start / align + 1) * align - start;
  Buffer buffer(at, mapped, offset, size);
  if (mmap(buffer.bytes().data(), size, PROT_READ | PROT_WRITE, flags | MAP_FIXED, file, static_cast<off_t>(place)) ==
      MAP_FAILED)
    throw SystemError("map " + std::to_string(size) + " bytes of " + path, errno);
  return buffer;
}

bool is_dax(int file) {
  constexpr std::uint64_t DAX = 0x00200000;  // STATX_ATTR_DAX, linux/stat.h since 5.8
  struct statx its{};
  return statx(file, "", AT_EMPTY_PATH, STATX_BASIC_STATS, &its) == 0 && (its.stx_attributes & DAX) != 0;
}

/// If several mounts have the device's number, the last one wins, as it does in the tree.
std::string file_system(const std::string& path) {
  const auto number = device(path);
  const auto wanted = std::to_string(major(number)) + ":" + std::to_string(minor(number));
  std::ifstream mounts("/proc/self/mountinfo");
  std::string found = folder_of(path) + " is on an unknown file system";
  for (std::string line, word; std::getline(mounts, line);) {
    std::istringstream words(line);
    words >> word >> word >> word;
    if (word == wanted) found = described(line);
  }
  return found;
}

dev_t device(const std::string& path) {
  struct stat folder{};
  return stat(folder_of(path).c_str(), &folder) == 0 ? folder.st_dev : 0;
}

bool in_memory(const std::string& path) {
  constexpr unsigned long TMPFS = 0x01021994, RAMFS = 0x858458F6;  // linux/magic.h
  struct statfs its{};
  if (statfs(folder_of(path).c_str(), &its) != 0) return false;
  const auto type = static_cast<unsigned long>(its.f_type) & 0xFFFFFFFFU;
  return type == TMPFS || type == RAMFS;
}

}  // namespace tierscope::made_file
