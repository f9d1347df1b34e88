/// The objects of a traced program. One is all that one call stack allocates; the static data of a module are one, too.
/// Object 0 is the rest: stacks, and what nobody announced.
///   objects.name("site 1\t./program+0x1180");  objects.add(address, bytes, 1);  objects.at(address)
/// Blind to: bytes that are written before an allocation returns, such as the zeros of calloc.
#pragma once
#include <algorithm>
#include <charconv>
#include <cstdint>
#include <iterator>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <vector>

namespace tierscope::simulate {

using Object = std::uint16_t;
constexpr Object REST = 0;

class Objects {
 public:
  struct Known {
    std::string name;  // "site" or "data", then the call stack or the file, behind tabs
    std::uint64_t bytes = 0, peak = 0, allocations = 0;  // allocated now; at most at a time; number so far
  };

  /// Take "KIND NUMBER<tab>TEXT"; numbers come in their order, from 1. Return "", or what is wrong.
  std::string name(std::string_view line) {
    const auto space = line.find(' '), tab = line.find('\t');
    if (space == line.npos || tab == line.npos || tab < space) return "a place is not 'KIND NUMBER<tab>TEXT'";
    std::uint64_t number = 0;
    const auto [end, bad] = std::from_chars(line.data() + space + 1, line.data() + tab, number);
    if (bad != std::errc{} || end != line.data() + tab) return "the number of a place is not a number";
    if (number == REST || number >= MOST) return "place " + std::to_string(number) + " is not one of 1 to 65534";
    if (line.size() > LONGEST) return "the name of place " + std::to_string(number) + " is too long";
    if (known_.size() <= number) known_.resize(number + 1);
    known_[number].name = std::string(line.substr(0, space)) + std::string(line.substr(tab));
    return "";
  }
  void add(std::uint64_t address, std::uint64_t bytes, Object object) {
    if (bytes == 0) return;
    drop(address, bytes);
    if (known_.size() <= object) known_.resize(std::size_t{object} + 1);
    ranges_.insert_or_assign(address, Range{address + bytes, object});
    auto& known = known_[object];
    known.bytes += bytes;
    known.peak = std::max(known.peak, known.bytes);
    ++known.allocations;
    last_ = {};
  }
  void remove(std::uint64_t address) {
    if (const auto found = ranges_.find(address); found != ranges_.end()) erase(found);
  }
  [[nodiscard]] Object at(std::uint64_t address) const {
    if (address >= last_.begin && address < last_.end) return last_.object;
    auto next = ranges_.upper_bound(address);
    const auto end = next == ranges_.end() ? ~std::uint64_t{0} : next->first;
    if (next == ranges_.begin()) return keep(0, end, REST);
    const auto& [begin, range] = *--next;
    return address < range.end ? keep(begin, range.end, range.object) : keep(range.end, end, REST);
  }
  /// Return them by number; number 0 is the rest.
  [[nodiscard]] const std::vector<Known>& known() const noexcept { return known_; }

 private:
  static constexpr std::size_t MOST = 65535, LONGEST = 8192;
  struct Range {
    std::uint64_t end;
    Object object;
  };
  struct Last {
    std::uint64_t begin = 0, end = 0;
    Object object = REST;
  };
  Object keep(std::uint64_t begin, std::uint64_t end, Object object) const {
    last_ = {begin, end, object};
    return object;
  }
  std::map<std::uint64_t, Range>::iterator erase(std::map<std::uint64_t, Range>::iterator at) {
    known_[at->second.object].bytes -= at->second.end - at->first;
    last_ = {};
    return ranges_.erase(at);
  }
  /// End what was not freed where these bytes are allocated again.
  void drop(std::uint64_t address, std::uint64_t bytes) {
    auto at = ranges_.upper_bound(address);
    if (at != ranges_.begin() && std::prev(at)->second.end > address) --at;
    while (at != ranges_.end() && at->first < address + bytes) at = erase(at);
  }
  std::map<std::uint64_t, Range> ranges_;  // by first address
  std::vector<Known> known_{{"rest\t", 0, 0, 0}};
  mutable Last last_;  // the answer for the last address
};

}  // namespace tierscope::simulate
