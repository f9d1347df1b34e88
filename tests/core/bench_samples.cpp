/// The samples file: NumPy can read it after every append, and a reader never sees half of one.
#include "bench/samples.hpp"

#include <doctest/doctest.h>

#include <cstring>
#include <vector>

#include "folder.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::Folder;
using tests::holds;

namespace {

constexpr std::size_t HEADER = 384;  // tierscope.core.HEADER_BYTES

/// Return the rows of a file as NEP 1 defines them, or -1 if it is not such a file.
long rows_in(const std::string& file) {
  if (file.size() < HEADER || file.substr(0, 8) != std::string("\x93NUMPY\x01\x00", 8)) return -1;
  const auto low = static_cast<unsigned char>(file[8]), high = static_cast<unsigned char>(file[9]);
  if (10U + low + 256U * high != HEADER || HEADER % 64 != 0 || file[HEADER - 1] != '\n') return -1;
  const auto at = file.find("'shape': (");
  return at > HEADER ? -1 : std::stol(file.substr(at + 10));
}

std::vector<Block> blocks(std::size_t count, std::uint64_t first) {
  std::vector<Block> list(count);
  for (std::size_t i = 0; i < count; ++i) list[i] = {1, 2, 3, SIZING | DRIFTED, 4, 5, 100, 200, first + i};
  return list;
}

}  // namespace

TEST_CASE("the file is whole after every append, and rows keep their order") {
  const Folder folder;
  SampleFile file(folder.at("x.npy"));
  CHECK(rows_in(folder.read("x.npy")) == 0);
  std::uint64_t rows = 0;
  for (const auto count : {1U, 0U, 7U, 1000U}) {
    file.append(blocks(count, rows));
    rows += count;
    const auto text = folder.read("x.npy");
    REQUIRE(file.rows() == rows);
    REQUIRE(rows_in(text) == static_cast<long>(rows));
    REQUIRE(text.size() == HEADER + rows * sizeof(Block));
    for (std::uint64_t row = 0; row < rows; ++row) {
      Block block{};
      std::memcpy(&block, text.data() + HEADER + row * sizeof(Block), sizeof block);
      REQUIRE(block.operations == row);
      REQUIRE(block.flags == 9);
    }
  }
}

TEST_CASE("the header names every field in the order of its bytes") {
  const Folder folder;
  const SampleFile file(folder.at("x.npy"));
  const auto text = folder.read("x.npy");
  CHECK(holds(text,
              "{'descr': [('group', '<u2'), ('thread', '<u2'), ('cpu', '<u2'), ('flags', '<u2'), ('batch', '<u4'), "
              "('switches', '<u4'), ('start_ticks', '<u8'), ('stop_ticks', '<u8'), ('operations', '<u8')], "
              "'fortran_order': False, 'shape': (0,), }"));
}

TEST_CASE("an old file is emptied") {
  const Folder folder;
  folder.write("x.npy", std::string(10'000, 'x'));
  const SampleFile file(folder.at("x.npy"));
  CHECK(folder.read("x.npy").size() == HEADER);
}

TEST_CASE("a file that cannot be made, or on a full file system, is an error with its path") {
  CHECK(error_of([] { SampleFile("/no/such/folder/x.npy"); }) ==
        "SystemError: create samples file /no/such/folder/x.npy: No such file or directory");
  if (std::filesystem::exists("/dev/full"))
    CHECK(error_of([] { SampleFile("/dev/full"); }) ==
          "SystemError: write samples to /dev/full: No space left on device");
}
