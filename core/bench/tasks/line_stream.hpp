/// The accesses of lines: the loop nest of core/kernels/walk.hpp.
#pragma once
#include <optional>

#include "bench/streams.hpp"
#include "bench/tasks/line.hpp"
#include "bench/tasks/line_numbers.hpp"

namespace tierscope {

class LineStream final : public Stream {
 public:
  LineStream(const Group& group, const Member& member, const Bases& bases);
  std::uint64_t next(std::uint64_t wanted, std::vector<simulate::Access>& to) override;
  void rewind() override { at_ = off_ = stop_ = cut_ = begin_; }

 private:
  std::uint64_t step(std::vector<simulate::Access>& to);
  void operations(std::size_t first, std::size_t count, std::vector<simulate::Access>& to) const;
  void fetch(std::uint64_t operation, std::vector<simulate::Access>& to) const;

  Bases bases_;
  std::uint64_t prefetch_, prefetch_write_;
  Extent extent_;
  std::optional<Indices> indices_;                                  // of a kernel that uses indices
  std::uint64_t at_, off_ = 0, stop_ = 0, cut_ = 0, distance_ = 0;  // range, place, its end, end of all ranges
};

}  // namespace tierscope
