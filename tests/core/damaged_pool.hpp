/// Pools of structures, damaged in what the structures themselves keep there: the root object, and all other objects.
/// The data of libpmemobj (header, lanes, heap) stay sound: it does not survive damage of it, nor claims to.
#pragma once
#include <fcntl.h>
#include <libpmemobj.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cerrno>
#include <cstdint>
#include <cstring>
#include <string>
#include <vector>

#include "base/error.hpp"
#include "folder.hpp"
#include "structures/structure.hpp"

namespace tierscope::tests {

/// A pool of KEYS keys that is made again for each trial.
class DamagedPool {
 public:
  static constexpr std::uint64_t KEYS = 60;

  DamagedPool(const StructureEntry& entry, const std::filesystem::path& place) : entry_(entry), folder_(place) {
    asked_ = {.path = folder_.at("pool"), .keys = 2 * KEYS, .value_bytes = 24};
    {
      const auto made = entry_.open(asked_);
      const std::uint64_t value[3] = {1, 2, 3};
      for (std::uint64_t key = 0; key < KEYS; ++key) {
        made->insert(key * key, value);
        while (made->rehash_due() && made->rehash() > 0) {
        }
      }
    }
    asked_.make = false;
    list_words();
    const int file = open(asked_.path.c_str(), O_RDWR | O_CLOEXEC);
    size_ = std::filesystem::file_size(asked_.path);
    bytes_ = static_cast<std::byte*>(mmap(nullptr, size_, PROT_READ | PROT_WRITE, MAP_SHARED, file, 0));
    close(file);
    if (bytes_ == MAP_FAILED) throw SystemError("map a pool to damage it", errno);
    pristine_.assign(bytes_, bytes_ + size_);
  }
  DamagedPool(const DamagedPool&) = delete;
  DamagedPool& operator=(const DamagedPool&) = delete;
  ~DamagedPool() { munmap(bytes_, size_); }

  /// Damage by `data`: each piece of five bytes changes one word.
  /// @returns the error of opening, or "" if it found nothing wrong; all operations were done then
  std::string trial(const std::uint8_t* data, std::size_t size) {
    restore();
    for (std::size_t at = 0; at + PIECE <= size; at += PIECE) damage(data + at);
    try {
      const auto opened = entry_.open(asked_);
      return use(*opened);
    } catch (const Unsupported& error) {
      return error.what();
    }
  }
  /// One word of the root object, counted from its begin.
  std::string trial(std::size_t word, std::uint64_t value) {
    restore();
    std::memcpy(bytes_ + words_.at(word), &value, sizeof value);
    try {
      return use(*entry_.open(asked_));
    } catch (const Unsupported& error) {
      return error.what();
    }
  }
  [[nodiscard]] std::uint64_t root_word(std::size_t word) const {
    std::uint64_t value = 0;
    std::memcpy(&value, pristine_.data() + words_.at(word), sizeof value);
    return value;
  }

 private:
  static constexpr std::size_t PIECE = 5, PAGE = 4096;

  void list_words() {
    const auto layout = "tierscope-" + std::string(entry_.name);
    auto* pool = pmemobj_open(asked_.path.c_str(), layout.c_str());
    if (pool == nullptr) throw Unsupported(pmemobj_errormsg());
    const auto add = [&](std::uint64_t offset, std::size_t size) {
      for (std::size_t i = 0; i + 8 <= size; i += 8) words_.push_back(offset + i);
    };
    root_words_ = pmemobj_root_size(pool) / 8;
    add(pmemobj_root(pool, pmemobj_root_size(pool)).off, pmemobj_root_size(pool));
    for (auto object = pmemobj_first(pool); !OID_IS_NULL(object); object = pmemobj_next(object)) {
      objects_.push_back(object.off);
      add(object.off, std::min<std::size_t>(pmemobj_alloc_usable_size(object), PAGE));
    }
    pmemobj_close(pool);
  }

  void restore() {
    for (std::size_t at = 0; at < size_; at += PAGE) {
      const auto size = std::min(PAGE, size_ - at);
      if (std::memcmp(bytes_ + at, &pristine_[at], size) != 0) std::memcpy(bytes_ + at, &pristine_[at], size);
    }
  }

  void damage(const std::uint8_t* piece) {
    const auto index = static_cast<std::size_t>(piece[0] | piece[1] << 8);
    const auto argument = static_cast<std::uint64_t>(piece[3] | piece[4] << 8);
    auto* const at = bytes_ + words_[index % ((piece[2] & 0x80) != 0 ? root_words_ : words_.size())];
    std::uint64_t word = 0;
    std::memcpy(&word, at, sizeof word);
    switch (piece[2] % 7) {
      case 0:
        word = argument;
        break;
      case 1:
        word += argument;
        break;
      case 2:
        word -= argument;
        break;
      case 3:
        word ^= std::uint64_t{1} << (argument % 64);
        break;
      case 4:
        std::memcpy(&word, bytes_ + words_[argument % words_.size()], sizeof word);
        break;
      case 5:
        word = objects_[argument % objects_.size()] | (argument >> 15U);
        break;
      default:
        word = ~argument;
    }
    std::memcpy(at, &word, sizeof word);
  }

  /// Every operation, on keys that are there and on others. @returns the result of a check at the end
  std::string use(Structure& opened) {
    const std::uint64_t value[3] = {4, 5, 6};
    const auto mend = [&] {
      for (int i = 0; i < 64 && opened.rehash_due() && opened.rehash() > 0; ++i) {
      }
    };
    for (std::uint64_t key = 0; key < KEYS; ++key) {
      if (const auto* found = opened.find(key * key)) used_ += *static_cast<const std::uint64_t*>(found);
      opened.insert(key, value);
      mend();
      if (key % 3 != 0) opened.erase(key * key);
      mend();
    }
    return opened.check();
  }

  const StructureEntry& entry_;
  Folder folder_;
  StructureOptions asked_;
  std::vector<std::uint64_t> words_, objects_;  // offsets; words of the root object come first
  std::size_t root_words_ = 0, size_ = 0;
  std::byte* bytes_ = nullptr;
  std::vector<std::byte> pristine_;
  std::uint64_t used_ = 0;
};

}  // namespace tierscope::tests
