#include "shadow/watched.hpp"

#include <fcntl.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/error.hpp"
#include "base/random.hpp"
#include "shadow/memory.hpp"

namespace tierscope::shadow {
namespace {

constexpr std::size_t LARGE = std::size_t{2} << 20U;  // a flush that may contain holes

constexpr std::size_t whole_pages(std::size_t size) { return (size + PAGE - 1) / PAGE * PAGE; }

std::span<const std::byte> view(int file, std::size_t size, const std::string& name) {
  if (size == 0) return {};
  auto* const bytes = memory::map(nullptr, size, PROT_READ, MAP_SHARED, file, 0);
  if (bytes == MAP_FAILED) throw SystemError("a second mapping of " + name, errno);
  return {static_cast<const std::byte*>(bytes), whole_pages(size)};
}

/// The parts of the range that are not holes, cut at pages and its own ends. The bytes between are zeros, and reading
/// them by a mapping would fill them on tmpfs. All of it if the file system does not report holes.
std::vector<Range> without_holes(int file, Range range) {
  std::vector<Range> parts;
  const auto end = range.offset + range.size;
  for (auto at = range.offset; at < end;) {
    const auto data = lseek(file, static_cast<off_t>(at), SEEK_DATA);
    if (data < 0 && errno == ENXIO) break;
    const auto hole = data < 0 ? -1 : lseek(file, data, SEEK_HOLE);
    const auto begin = data < 0 ? at : std::max(at, static_cast<std::size_t>(data) / PAGE * PAGE);
    at = hole < 0 ? end : std::min(end, whole_pages(static_cast<std::size_t>(hole)));
    if (begin < at) parts.push_back({begin, at - begin});
  }
  return parts;
}

/// Closed at the end; these are files of our own, and nobody has a lock on them.
class Out {
 public:
  /// @throws SystemError
  Out(const std::string& name, int flags) : name_(name), file_(open(name.c_str(), flags | O_CLOEXEC, 0600)) {}
  Out(const Out&) = delete;
  Out& operator=(const Out&) = delete;
  ~Out() {
    if (file_ >= 0) close(file_);
  }
  [[nodiscard]] int number() const noexcept { return file_; }
  void check(bool good) const {
    if (!good) throw SystemError("write " + name_, errno);
  }
  void write_at(const void* from, std::size_t size, std::size_t offset) const {
    for (std::size_t done = 0; done < size;) {
      const auto now =
          pwrite(file_, static_cast<const char*>(from) + done, size - done, static_cast<off_t>(offset + done));
      check(now > 0);
      done += static_cast<std::size_t>(now);
    }
  }

 private:
  std::string name_;
  int file_;
};

std::uint64_t printed() noexcept {
  struct stat its{};
  return fstat(STDOUT_FILENO, &its) == 0 && S_ISREG(its.st_mode) ? static_cast<std::uint64_t>(its.st_size) : 0;
}

}  // namespace

bool Watched::is(int file) {
  struct stat one{}, other{};
  if (foreign_ || fstat(file, &one) != 0 || !S_ISREG(one.st_mode)) return false;
  if (any()) return one.st_dev == its_.st_dev && one.st_ino == its_.st_ino;
  if (stat(plan_.file.c_str(), &other) != 0 || one.st_dev != other.st_dev || one.st_ino != other.st_ino) return false;
  return begin(file);
}

/// The first mapping. If several processes map the file, the first one follows it, and the others leave a mark.
bool Watched::begin(int) {
  const Out claim(plan_.folder + "/start", O_RDWR | O_CREAT | O_EXCL);
  if (claim.number() < 0 && errno == EEXIST) {
    foreign_ = true;
    leave_word();
    return false;
  }
  claim.check(claim.number() >= 0);
  // never closed: that would end the program's own POSIX locks on the file
  file_ = open(plan_.file.c_str(), O_RDONLY | O_CLOEXEC);
  if (file_ < 0 || fstat(file_, &its_) != 0) throw SystemError("open " + plan_.file, errno);
  memory_ = view(file_, static_cast<std::size_t>(its_.st_size), plan_.file);
  smallest_ = static_cast<std::size_t>(its_.st_size);
  static const std::array<std::byte, PAGE> zeros{};
  std::vector<bool> kept(memory_.size() / PAGE);
  for (const auto& part : without_holes(file_, {0, memory_.size()}))
    for (auto at = part.offset; at < part.offset + part.size; at += PAGE)
      if (std::memcmp(memory_.data() + at, zeros.data(), PAGE) != 0) {
        claim.write_at(memory_.data() + at, PAGE, at);
        kept[at / PAGE] = true;
      }
  claim.check(ftruncate(claim.number(), its_.st_size) == 0);
  image_.emplace(view(claim.number(), smallest_, "start"), memory_, std::move(kept));
  return true;
}

void Watched::refresh() {
  struct stat now{};
  if (fstat(file_, &now) != 0 || now.st_size == its_.st_size) return;
  its_ = now;
  smallest_ = std::min(smallest_, static_cast<std::size_t>(now.st_size));
  const auto before = memory_;
  memory_ = view(file_, static_cast<std::size_t>(now.st_size), plan_.file);
  image_->look_at(memory_);
  if (!before.empty()) memory::unmap(const_cast<std::byte*>(before.data()), before.size());
}

void Watched::mapped(const void* at, std::size_t size, std::size_t offset) {
  look_away();
  refresh();
  const auto begin = reinterpret_cast<std::uintptr_t>(at);
  mappings_.push_back({begin, begin + whole_pages(size), offset});
  watch_stores();
}

void Watched::watch_stores() {
  if (plan_.stores && plan_.points.contains(fences_ + 1)) stores_.begin(mappings_);
}

void Watched::look_away() {
  stores_.end();
  for (const auto& each : stores_.take()) {
    image_->stored(each.line, each.before, each.after);
    ++seen_;
  }
}

void Watched::unmapped(const void* at, std::size_t size) {
  if (image_) look_away();
  const auto begin = reinterpret_cast<std::uintptr_t>(at), end = begin + whole_pages(size);
  std::vector<Mapping> left;
  for (const auto& each : mappings_) {
    if (each.begin < std::min(begin, each.end)) left.push_back({each.begin, std::min(begin, each.end), each.offset});
    if (const auto from = std::max(end, each.begin); from < each.end)
      left.push_back({from, each.end, each.offset + (from - each.begin)});
  }
  mappings_ = std::move(left);
}

void Watched::moved(const void* from, std::size_t old_size, const void* to, std::size_t size) {
  const auto begin = reinterpret_cast<std::uintptr_t>(from);
  const auto found = std::ranges::find_if(mappings_, [&](auto& it) { return it.begin <= begin && begin < it.end; });
  if (found == mappings_.end()) return;
  const auto offset = found->offset + (begin - found->begin);
  unmapped(from, old_size);
  mapped(to, size, offset);
}

bool Watched::lost(std::uint64_t number, std::uint64_t every) noexcept {
  const bool is = every != 0 && number % every == 0;
  dropped_ += is ? 1 : 0;
  return is;
}

std::vector<Range> Watched::ours(const void* at, std::size_t size) const {
  const auto begin = reinterpret_cast<std::uintptr_t>(at), end = begin + size;
  std::vector<Range> ranges;
  for (const auto& each : mappings_)
    if (const auto from = std::max(begin, each.begin), to = std::min(end, each.end); from < to)
      ranges.push_back({each.offset + (from - each.begin), to - from});
  return ranges;
}

bool Watched::flush(unsigned lane, const void* at, std::size_t size) {
  const auto ranges = ours(at, size);
  if (ranges.empty()) return false;
  if (lost(++flushes_, plan_.drop_flush)) return true;
  for (const auto& range : ranges) {
    if (range.offset + range.size > memory_.size()) refresh();
    if (range.size < LARGE)
      image_->flush(lane, range);
    else
      for (const auto& part : without_holes(file_, range)) image_->flush(lane, part);
  }
  return true;
}

void Watched::leave_word() const { const Out word(plan_.folder + "/shared", O_WRONLY | O_CREAT); }

void Watched::flush_all(unsigned lane) {
  refresh();
  if (lost(++flushes_, plan_.drop_flush)) return;
  for (const auto& part : without_holes(file_, {0, memory_.size()})) image_->flush(lane, part);
}

void Watched::fence(unsigned lane) {
  if (plan_.points.contains(++fences_)) {
    look_away();
    write_image();
  }
  image_->forget_stores();
  if (!lost(fences_, plan_.drop_fence)) image_->fence(lane);
  watch_stores();
}

void Watched::write_image() {
  refresh();
  const auto lines = image_->crash(random_word(plan_.seed, fences_), without_holes(file_, {0, memory_.size()}));
  const std::array<std::uint64_t, 4> head{static_cast<std::uint64_t>(its_.st_size), smallest_, printed(), lines.size()};
  const Out out(plan_.folder + "/fence-" + std::to_string(fences_), O_WRONLY | O_CREAT | O_EXCL);
  out.check(out.number() >= 0);
  out.write_at(head.data(), sizeof head, 0);
  out.write_at(lines.data(), lines.size() * sizeof(Changed), sizeof head);
}

}  // namespace tierscope::shadow
