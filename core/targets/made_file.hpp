/// Files that are made to be mapped. Their name is removed first, so nothing is left behind after a kill.
#pragma once
#include <sys/types.h>
#include <unistd.h>

#include <string>

#include "targets/target.hpp"

namespace tierscope {

/// An open descriptor, closed by its destructor.
class Descriptor {
 public:
  explicit Descriptor(int number) noexcept : number_(number) {}
  Descriptor(const Descriptor&) = delete;
  Descriptor& operator=(const Descriptor&) = delete;
  ~Descriptor() {
    if (number_ >= 0) close(number_);
  }
  [[nodiscard]] int get() const noexcept { return number_; }

 private:
  int number_;
};

namespace made_file {

/// Make a new file without a name. @throws SystemError with what to try, also if a file of this name exists
int create(const std::string& path);
/// @throws Unsupported if its file system has less free space
void require_room(int file, const std::string& target, const std::string& path, std::size_t size);
/// Reserve its blocks, before they are touched. @throws SystemError
void reserve(int file, const std::string& path, std::size_t size);
/// Map the file or device from byte `place`, at an address that is a multiple of `align`. `errno` of mmap(2) is in the
/// error.
/// @throws SystemError
Buffer map(int file, const std::string& path, std::size_t size, std::size_t align, int flags, std::size_t place = 0);
/// Return whether loads and stores of a mapping bypass the page cache.
bool is_dax(int file);
/// Return the file system of a path that exists or may be made: "/mnt/pm is ext4 (rw,relatime,dax=always)".
std::string file_system(const std::string& path);
/// Return the device number of that file system; 0 if its folder is absent.
dev_t device(const std::string& path);
/// Return whether it keeps its files only in memory (tmpfs, ramfs).
bool in_memory(const std::string& path);

}  // namespace made_file
}  // namespace tierscope
