#include <sys/mman.h>

#include <utility>

#include "targets/target.hpp"

namespace tierscope {

Buffer& Buffer::operator=(Buffer&& other) noexcept {
  std::swap(mapping_, other.mapping_);
  std::swap(mapping_bytes_, other.mapping_bytes_);
  std::swap(keeper_, other.keeper_);
  std::swap(bytes_, other.bytes_);
  return *this;
}

Buffer::~Buffer() {
  if (mapping_ != nullptr) munmap(mapping_, mapping_bytes_);
}

}  // namespace tierscope
