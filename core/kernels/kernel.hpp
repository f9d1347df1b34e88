/// What a kernel states of itself, and the one function through which the bench calls it.
/// A kernel on vectors is a header in kernels/vector/, crossed with every ISA by the build; a kernel of
/// another making (pointer chase, string instructions, the C library) is one in kernels/baseline/.
#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string_view>

namespace tierscope::kernels {

constexpr std::size_t LINE = 64;     // bytes of a cache line
constexpr std::size_t PAGE = 4096;   // bytes between streams that are walked page by page
constexpr std::size_t OPERANDS = 4;  // at most, of one kernel

/// Whether a plain store that misses reads its line first, always. AArch64 processors may stop doing so in a stream of
/// stores, and take a non-temporal pair as a hint only, so there the traffic of lines that are only written is unknown.
/// Source: Arm, "Neoverse N1 Core Technical Reference Manual", write streaming mode.
#if defined(__x86_64__)
constexpr bool OWNS = true;
#else
constexpr bool OWNS = false;
#endif

/// How the stores go to memory: this decides the traffic on the bus.
enum class Store : std::uint8_t { none, plain, nt, direct, string, libc };
/// What the memory must hold before: random reals, a cycle of pointers, nothing.
enum class Content : std::uint8_t { nothing, reals, cycle };
/// After how much the blocks are fenced: after each, after each line of it, never, or after each region (order=once).
enum class Fence : std::uint8_t { chunk, line, never, region };
/// How a line that was stored is written back; stores that pass the caches by need nothing.
enum class Flush : std::uint8_t { none, clflush, clflushopt, clwb, civac, cvac, cvap, cvadp, msync };

/// Names what a thread waits for in the system: a file to be written, or other processes to end. A context switch
/// during such a wait does not mean that the machine is busy.
enum class Wait : std::uint8_t { none, file, processes };

/// In which order blocks are taken: one after the other; drawn anew each time; or region after region, each block of a
/// region once. Of a chase: its windows follow one another by address, or at random.
enum class Order : std::uint8_t { sequential, random, once };

/// How an answer is checked after the blocks (core/bench/tasks/).
enum class Check : std::uint8_t {
  unstated,    // of no kernel: it would not compile
  replayed,    // scalar code, once more on what is there, must leave and return the same
  recomputed,  // what must be there follows from the first content and from how many operations were done
  none,        // not at all: `unchecked` says why
};

/// Where an operation touches its operand. A flat index is cut into rows and planes: the neighbours of the first
/// element of a row are the last one of the row before and the row above, so no edge needs code of its own.
enum class Place : std::uint8_t {
  lines,    // its own lines, one after the other
  grid2,    // its line, and each element's neighbours in the row and in the rows before and behind (5 points)
  grid3,    // the same, and in the planes before and behind (7 points)
  tile,     // a tile of a square matrix: one line of each of 8 rows
  crossed,  // the tile that stands at this place in the transposed matrix
  indexed,  // elements, where the indices of another operand point
  drawn,    // elements, where a random sequence points: `KernelInfo::draws`
};
/// The first content of an operand: reals in [1, 2), the indices of a permutation, or the number of each element.
enum class Holds : std::uint8_t { reals, indices, numbers };

constexpr std::size_t ELEMENT = 8;                // bytes of a real, an index or a word
constexpr std::size_t ELEMENTS = LINE / ELEMENT;  // of a line; rows of a tile
constexpr std::size_t TILE_LINES = ELEMENTS;      // a tile is as high as a line is wide

/// One array of a kernel. `lines` of it are touched per operation.
struct Operand {
  unsigned lines = 0;
  bool loads = false;
  bool stores = false;
  Place place = Place::lines;
  Holds holds = Holds::reals;

  /// Whether each of its elements lies in a line of its own, as far as anyone knows.
  [[nodiscard]] constexpr bool scattered() const noexcept { return place == Place::indexed || place == Place::drawn; }
  [[nodiscard]] constexpr bool tiled() const noexcept { return place == Place::tile || place == Place::crossed; }
};

/// A random sequence of updates, in `ELEMENTS` parts of it side by side that never meet. Of a table of a power of two
/// elements.
struct Draws {
  /// The state of a member before its first update: members are too far apart to meet.
  std::uint64_t (*start)(std::uint64_t member) noexcept;
  /// The parts' first words, from a state.
  void (*parts)(std::uint64_t state, std::uint64_t* words) noexcept;
  /// To the next word of each part.
  void (*next)(std::uint64_t* words) noexcept;
  /// The element that a word updates.
  std::uint64_t (*element)(std::uint64_t word, std::uint64_t elements) noexcept;
};

/// Stated once, in C++; Python reads it from the catalogue.
struct KernelInfo {
  std::string_view name;
  std::string_view summary;
  std::string_view source;
  Check check = Check::unstated;
  std::string_view unchecked = "";  // why, where there is no check
  std::array<Operand, OPERANDS> operands{};
  unsigned flops = 0;  // per operation
  Store store = Store::none;
  bool sums = false;     // its loads are added up and returned
  bool reduces = false;  // it returns the sum of reals, as the bits of a double; all its terms are positive
  bool has_nt = false;   // a second form NAME_nt with non-temporal stores exists
  Content content = Content::reals;
  std::string_view operation = "line";  // the name of its task (core/bench/tasks/): what one operation is
  std::string_view needs = "";          // a CPU feature beyond the ISA's
  bool drawn = false;                   // its blocks or nodes are always drawn at random, not walked
  bool flushes = false;                 // takes the word fence: stores of blocks, then their way to memory
  bool orders = false;           // takes the word order, and on blocks access: it goes as core/kernels/blocks.hpp tells
  bool whole = false;            // a hop loads from every line of its element
  const Draws* draws = nullptr;  // of an operand that is drawn
  Flush flush = Flush::none;
  Wait wait = Wait::none;
  double program_bytes = 0;  // per operation, where the operands do not tell: hop 8
  double bus_bytes = 0;      // likewise: hop 64

  /// Whether it says how its answer is checked, or why it is not. A kernel that updates the reals it reads adds up no
  /// loads: they are other ones in each pass.
  [[nodiscard]] constexpr bool states_check() const noexcept {
    const bool lasts = check != Check::recomputed || content != Content::reals || !sums;
    return check != Check::unstated && (check == Check::none) == !unchecked.empty() && lasts;
  }

  /// Sum of the operands' lines: the weight of one operation in the footprint.
  [[nodiscard]] constexpr unsigned lines() const noexcept {
    unsigned sum = 0;
    for (const auto& operand : operands) sum += operand.lines;
    return sum;
  }
};

/// One block's work. Lines and blocks are walked from `begin` to `end`, `repeats` times; hops, calls and hand-overs are
/// counted in `repeats`. A kernel of several streams cuts that range into them; of a burst, with `distance` above 0,
/// the range is the first stream's part alone, and the parts of the others are that far behind it.
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
  std::uint64_t access = 0;      // of the element's first bytes so many are touched (blocks); 0: all
  std::uint64_t region = 1;      // blocks of a region, where each is visited once
  std::uint64_t cursor = 0;      // kept from block to block (hops, hand-overs); the slice's first block
  std::uint64_t state = 0;       // likewise; the seed of the regions' orders
  std::uint64_t written = 0;     // blocks stored since the content was made (stores that are flushed)
  Fence fence = Fence::chunk;
  Order order = Order::sequential;  // of blocks

  /// Bytes of each element that are touched.
  [[nodiscard]] constexpr std::uint64_t touched() const noexcept { return access == 0 ? element : access; }
};

/// Does the pass and returns a checksum of what was loaded (wrapping sum of 64-bit words), 0 if nothing was.
using Function = std::uint64_t (*)(Pass&) noexcept;

/// How a variant walks: parallel streams, lines of each per step, streams a page apart or far, prefetches or not.
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

/// One kernel on one ISA, as it stands in the registry; `name` is "triad_nt/avx512".
struct KernelEntry {
  std::string_view name;
  std::string_view kernel;
  std::string_view isa;
  unsigned rank;              // the highest that runs is the default ISA
  std::string_view features;  // that the CPU must have, joined by ' '
  const KernelInfo* info;
  Store store;
  Table (*table)() noexcept;         // to be called only where the features are there
  Function (*reference)() noexcept;  // scalar code that leaves the same bytes and the same checksum

  /// Bytes that the program asks for in one operation, as STREAM counts them.
  [[nodiscard]] constexpr double program_bytes() const noexcept {
    return info->program_bytes > 0 ? info->program_bytes : static_cast<double>(LINE) * loads_and_stores(0);
  }
  /// Bytes on the bus in one operation; negative where only a counter could tell.
  [[nodiscard]] constexpr double bus_bytes() const noexcept {
    if (info->bus_bytes > 0) return info->bus_bytes;
    if (store == Store::string || store == Store::libc) return -1;
    if (!OWNS && (store == Store::plain || store == Store::nt) && writes_only()) return -1;
    return static_cast<double>(LINE) * loads_and_stores(store == Store::plain ? 1 : 0, ELEMENTS);
  }

 private:
  /// Whether it stores to lines that it has not loaded.
  [[nodiscard]] constexpr bool writes_only() const noexcept {
    for (const auto& o : info->operands)
      if (o.stores && !o.loads) return true;
    return false;
  }
  /// Lines loaded and stored; a store to a line that was not loaded counts `ownership` reads more, a line of scattered
  /// elements `apart` lines.
  [[nodiscard]] constexpr unsigned loads_and_stores(unsigned ownership, unsigned apart = 1) const noexcept {
    unsigned sum = 0;
    for (const auto& o : info->operands)
      sum += o.lines * (o.scattered() ? apart : 1U) *
             ((o.loads ? 1U : 0U) + (o.stores ? 1U : 0U) + (o.stores && !o.loads ? ownership : 0U));
    return sum;
  }
};

}  // namespace tierscope::kernels
