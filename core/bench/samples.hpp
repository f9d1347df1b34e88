/// The samples file: NumPy's .npy, version 1.0, one-dimensional, appended to; readable after every append.
/// Source: NumPy Enhancement Proposal 1, "A Simple File Format for NumPy Arrays", 2007.
#pragma once
#include <cstdint>
#include <span>
#include <string>

#include "bench/block.hpp"

namespace tierscope {

class SampleFile {
 public:
  /// Creates or empties the file. @throws SystemError
  explicit SampleFile(const std::string& path);
  SampleFile(const SampleFile&) = delete;
  SampleFile& operator=(const SampleFile&) = delete;
  ~SampleFile();
  /// @throws SystemError when the disk is full; the rows before stay readable.
  void append(std::span<const Block> blocks);
  [[nodiscard]] std::uint64_t rows() const noexcept { return rows_; }

 private:
  void write_header();
  void write_all(const void* data, std::size_t size, std::uint64_t offset);
  std::string path_;
  int file_;
  std::uint64_t rows_ = 0;
};

}  // namespace tierscope
