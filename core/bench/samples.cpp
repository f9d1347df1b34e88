#include "bench/samples.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>

#include "base/error.hpp"

namespace tierscope {
namespace {

constexpr std::size_t HEADER = 384;  // a multiple of 64, with space for 20 digits of rows

constexpr const char* DTYPE =
    "[('group', '<u2'), ('thread', '<u2'), ('cpu', '<u2'), ('flags', '<u2'), ('batch', '<u4'), "
    "('switches', '<u4'), ('start_ticks', '<u8'), ('stop_ticks', '<u8'), ('operations', '<u8')]";

}  // namespace

SampleFile::SampleFile(const std::string& path)
    : path_(path), file_(open(path.c_str(), O_RDWR | O_CREAT | O_TRUNC | O_CLOEXEC, 0644)) {
  if (file_ < 0) throw SystemError("create samples file " + path, errno);
  write_header();
}

SampleFile::~SampleFile() { close(file_); }

void SampleFile::append(std::span<const Block> blocks) {
  write_all(blocks.data(), blocks.size_bytes(), HEADER + rows_ * sizeof(Block));
  rows_ += blocks.size();
  write_header();
}

void SampleFile::write_header() {
  std::string header = std::string("\x93NUMPY\x01", 7) + '\0';
  const std::size_t length = HEADER - 10;
  header += static_cast<char>(length & 0xFFU);
  header += static_cast<char>(length >> 8U);
  header.append("{'descr': ").append(DTYPE).append(", 'fortran_order': False, 'shape': (");
  header.append(std::to_string(rows_)).append(",), }");
  header.resize(HEADER - 1, ' ');
  header += '\n';
  write_all(header.data(), header.size(), 0);
}

void SampleFile::write_all(const void* data, std::size_t size, std::uint64_t offset) {
  const auto* at = static_cast<const char*>(data);
  while (size > 0) {
    const auto written = pwrite(file_, at, size, static_cast<off_t>(offset));
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) throw SystemError("write samples to " + path_, written < 0 ? errno : ENOSPC);
    at += written;
    size -= static_cast<std::size_t>(written);
    offset += static_cast<std::uint64_t>(written);
  }
}

}  // namespace tierscope
