/// The properties that a kernel states, and the one function through which the bench calls it.
/// A kernel on vectors is a header in kernels/vector/, and the build crosses it with every ISA. Any other kernel
/// (pointer chase, string instructions, the C library) is a header in kernels/baseline/.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tierscope::kernels {

constexpr std::size_t LINE = 64;     // bytes of one operation on lines; those of the caches have as many, or 128, 256
constexpr std::size_t PAGE = 4096;   // bytes between streams that alternate page by page
constexpr std::size_t OPERANDS = 4;  // at most, of one kernel

/// Whether a plain store that misses always reads its line first. AArch64 processors may stop doing so in a stream of
/// stores, and take a non-temporal pair only as a hint. The traffic of lines that are only written is therefore unknown
/// there.
/// Source: Arm, "Neoverse N1 Core Technical Reference Manual", write streaming mode.
#if defined(__x86_64__)
constexpr bool OWNS = true;
#else
constexpr bool OWNS = false;
#endif

/// The way of stores to memory: it determines the traffic on the bus.
enum class Store : std::uint8_t { none, plain, nt, direct, string, libc };
/// The content that the memory must have before: random reals, a cycle of pointers, nothing.
enum class Content : std::uint8_t { nothing, reals, cycle };
/// The positions of fences: after each block, after each line of it, never, or after each region (order=once).
enum class Fence : std::uint8_t { chunk, line, never, region };
/// The way in which a stored line is written back; stores that bypass the caches need none.
enum class Flush : std::uint8_t { none, clflush, clflushopt, clwb, civac, cvac, cvap, cvadp, msync };

/// The event that a thread waits for in the system: a time, a file to be written, or other processes to end. A context
/// switch during such a wait does not mean that the machine is busy.
enum class Wait : std::uint8_t { none, time, file, processes };

/// The order of blocks: one after the other; drawn again for each block; or region after region, each block of a region
/// once. The windows of a chase follow one another by address, or at random.
enum class Order : std::uint8_t { sequential, random, once };

/// The check of an answer after the blocks (core/bench/tasks/).
enum class Check : std::uint8_t {
  unstated,    // of no kernel: it would not compile
  replayed,    // scalar code, run again on the same content, must leave and return the same
  recomputed,  // the final content follows from the first content and from the number of operations
  none,        // not checked: `unchecked` has the reason
};

/// The places where an operation touches its operand. A flat index is cut into rows and planes. The neighbours of the
/// first element of a row are the last one of the row before and the row above, so no edge needs code of its own.
enum class Place : std::uint8_t {
  lines,    // its own lines, one after the other
  grid2,    // its line, and each element's neighbours in the row and in the rows before and behind (5 points)
  grid3,    // the same, and in the planes before and behind (7 points)
  tile,     // a tile of a square matrix: one line of each of 8 rows
  crossed,  // the tile at this place in the transposed matrix
  indexed,  // elements at the indices of another operand
  drawn,    // elements at random places: `KernelInfo::draws`
};
/// The first content of an operand: reals in [1, 2), the indices of a permutation, or the number of each element.
enum class Holds : std::uint8_t { reals, indices, numbers };

constexpr std::size_t ELEMENT = 8;                // bytes of a real, an index or an integer
constexpr std::size_t ELEMENTS = LINE / ELEMENT;  // of a line; rows of a tile
constexpr std::size_t TILE_LINES = ELEMENTS;      // a tile is as high as a line is wide

/// One array of a kernel. `lines` of it are touched per operation.
struct Operand {
  unsigned lines = 0;
  bool loads = false;
  bool stores = false;
  Place place = Place::lines;
  Holds holds = Holds::reals;

  /// Return whether each of its elements is presumably in a line of its own.
  [[nodiscard]] constexpr bool scattered() const noexcept { return place == Place::indexed || place == Place::drawn; }
  [[nodiscard]] constexpr bool tiled() const noexcept { return place == Place::tile || place == Place::crossed; }
};

/// A random sequence of updates, in `ELEMENTS` independent parts that never meet. The table must have a power of two
/// elements.
struct Draws {
  /// Return the state of a member before its first update: members are too far apart to meet.
  std::uint64_t (*start)(std::uint64_t member) noexcept;
  /// Write the first values of the parts, from a state.
  void (*parts)(std::uint64_t state, std::uint64_t* words) noexcept;
  /// Advance each part to its next value.
  void (*next)(std::uint64_t* words) noexcept;
  /// Return the element that a value updates.
  std::uint64_t (*element)(std::uint64_t word, std::uint64_t elements) noexcept;
};

/// The properties of a kernel, stated once, in C++; Python reads them from the catalogue.
struct KernelInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Check check = Check::unstated;
  std::string_view unchecked = "";  // the reason, if there is no check
  std::array<Operand, OPERANDS> operands{};
  unsigned flops = 0;  // per operation
  Store store = Store::none;
  bool sums = false;     // its loads are added up and returned
  bool reduces = false;  // it returns the sum of reals, as the bits of a double; all its terms are positive
  bool has_nt = false;   // a second form NAME_nt with non-temporal stores exists
  Content content = Content::reals;
  std::string_view operation = "line";  // the name of its task (core/bench/tasks/): the meaning of one operation
  std::string_view needs = "";          // a CPU feature beyond the ISA's
  bool drawn = false;                   // its blocks or nodes are always drawn at random
  bool flushes = false;                 // takes the key fence: stores of blocks, then their way to memory
  bool orders = false;                  // takes the key order, and on blocks access: core/kernels/blocks.hpp defines it
  bool whole = false;                   // a hop loads from every line of its element
  const Draws* draws = nullptr;         // of an operand that is drawn
  Flush flush = Flush::none;
  Wait wait = Wait::none;
  double program_bytes = 0;  // per operation, if the operands do not determine it: hop 8
  double bus_bytes = 0;      // per operation, too: hop 64

  /// Return whether it states how its answer is checked, or why it is not. A kernel that updates the reals it reads
  /// does not add up its loads: they differ in each pass.
  [[nodiscard]] constexpr bool states_check() const noexcept {
    const bool lasts = check != Check::recomputed || content != Content::reals || !sums;
    return check != Check::unstated && (check == Check::none) == !unchecked.empty() && lasts;
  }

  /// Return the sum of the operands' lines: the weight of one operation in the footprint.
  [[nodiscard]] constexpr unsigned lines() const noexcept {
    unsigned sum = 0;
    for (const auto& operand : operands) sum += operand.lines;
    return sum;
  }
};

/// The work of one block. Lines and blocks are visited from `begin` to `end`, `repeats` times; hops, calls and
/// hand-overs are counted in `repeats`. A kernel of several streams cuts that range into them. In a burst, with
/// `distance` above 0, the range is only the first stream's part, and the parts of the others are at that distance
/// behind it.
struct Pass {
  std::array<std::byte*, OPERANDS> operand{};
  std::uint64_t begin = 0;  // operations
  std::uint64_t end = 0;
  std::uint64_t repeats = 1;
  std::uint64_t distance = 0;  // operations between two streams of a burst
  std::uint64_t prefetch = 0;  // bytes ahead, for loads
  std::uint64_t prefetch_write = 0;
  std::uint64_t row = LINE;      // bytes of a row of a grid or of a square matrix
  std::uint64_t plane = LINE;    // bytes of a plane of a grid, of a whole matrix
  std::uint64_t element = LINE;  // bytes between nodes (hops), of one block
  std::uint64_t nodes = 0;       // of the slice: nodes (hops), blocks, lines (hand-overs)
  std::uint64_t access = 0;      // of the element's first bytes, the number touched (blocks); 0: all
  std::uint64_t region = 1;      // blocks of a region, in which each is visited once
  std::uint64_t cursor = 0;      // kept from block to block (hops, hand-overs); the slice's first block
  std::uint64_t state = 0;       // also kept; the seed of the regions' orders
  std::uint64_t written = 0;     // blocks stored since the content was made (stores that are flushed)
  Fence fence = Fence::chunk;
  Order order = Order::sequential;  // of blocks

  /// Return the bytes of each element that are touched.
  [[nodiscard]] constexpr std::uint64_t touched() const noexcept { return access == 0 ? element : access; }
};

/// Does the pass and returns a checksum of the loaded values (wrapping sum of 64-bit integers), 0 without loads.
using Function = std::uint64_t (*)(Pass&) noexcept;

/// The loop variant: parallel streams, lines of each per step, streams a page apart or far, prefetches or not.
struct Shape {
  unsigned streams = 1;
  unsigned unroll = 1;
  bool paged = false;
  bool prefetch = false;
  bool prefetch_write = false;
  constexpr bool operator==(const Shape&) const noexcept = default;
  /// A slice must be a multiple of this many operations.
  [[nodiscard]] constexpr std::uint64_t granule() const noexcept {
    return paged ? streams * (PAGE / LINE) : std::uint64_t{streams} * unroll;
  }
};

struct Variant {
  Shape shape;
  Function function;
};
using Table = std::span<const Variant>;

/// One entry of the registry: a kernel on an ISA. `name` is "triad_nt/avx512".
struct KernelEntry {
  std::string_view name;
  std::string_view kernel;
  std::string_view isa;
  unsigned rank;              // the highest that runs is the default ISA
  std::string_view features;  // that the CPU must have, joined by ' '
  const KernelInfo* info;
  Store store;
  Table (*table)() noexcept;         // call it only if the CPU has the features
  Function (*reference)() noexcept;  // scalar code that leaves the same bytes and the same checksum

  /// Return the bytes that the program requests in one operation, as STREAM counts them.
  [[nodiscard]] constexpr double program_bytes() const noexcept {
    return info->program_bytes > 0 ? info->program_bytes : static_cast<double>(LINE) * loads_and_stores(0);
  }
  /// Return the bytes on the bus in one operation; negative if only a counter could show them.
  [[nodiscard]] constexpr double bus_bytes() const noexcept {
    if (info->bus_bytes > 0) return info->bus_bytes;
    if (store == Store::string || store == Store::libc) return -1;
    if (!OWNS && (store == Store::plain || store == Store::nt) && writes_only()) return -1;
    return static_cast<double>(LINE) * loads_and_stores(store == Store::plain ? 1 : 0, ELEMENTS);
  }
  /// Return whether it stores plainly to lines that it has not loaded, which a processor may read first.
  [[nodiscard]] constexpr bool owns() const noexcept { return store == Store::plain && writes_only(); }

 private:
  /// Return whether it stores to lines that it has not loaded.
  [[nodiscard]] constexpr bool writes_only() const noexcept {
    for (const auto& o : info->operands)
      if (o.stores && !o.loads) return true;
    return false;
  }
  /// Return the lines loaded and stored. A store to a line that was not loaded adds `ownership` reads; a line of
  /// scattered elements counts as `apart` lines.
  [[nodiscard]] constexpr unsigned loads_and_stores(unsigned ownership, unsigned apart = 1) const noexcept {
    unsigned sum = 0;
    for (const auto& o : info->operands)
      sum += o.lines * (o.scattered() ? apart : 1U) *
             ((o.loads ? 1U : 0U) + (o.stores ? 1U : 0U) + (o.stores && !o.loads ? ownership : 0U));
    return sum;
  }
};

}  // namespace tierscope::kernels
