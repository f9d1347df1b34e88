#include "targets/slots.hpp"

#include <algorithm>
#include <fstream>
#include <iterator>
#include <sstream>

namespace tierscope::slots {

std::vector<Range> mapped(std::string_view maps, const std::string& path) {
  std::vector<Range> found;
  std::istringstream lines{std::string(maps)};
  for (std::string line; std::getline(lines, line);) {
    std::istringstream words(line);
    std::size_t begin = 0, end = 0, offset = 0;
    char dash = 0;
    std::string rights, device, inode, name;
    words >> std::hex >> begin >> dash >> end >> rights >> offset >> device >> inode >> name;
    if (words && name == path && rights.size() == 4 && rights[3] == 's')
      found.push_back({offset, offset + end - begin});
  }
  std::ranges::sort(found, {}, &Range::begin);
  return found;
}

std::size_t first_free(const std::vector<Range>& taken, std::size_t size, std::size_t align) noexcept {
  std::size_t at = 0;
  for (const auto& range : taken)
    if (at + size > range.begin) at = std::max(at, (range.end + align - 1) / align * align);
  return at;
}

std::size_t place(const std::string& path, std::size_t size, std::size_t align) {
  std::ifstream file("/proc/self/maps");
  const std::string text{std::istreambuf_iterator<char>(file), {}};
  return first_free(mapped(text, path), size, align);
}

}  // namespace tierscope::slots
