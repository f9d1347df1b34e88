#include "loops/steps.hpp"

namespace tierscope::loops {
namespace {

constexpr unsigned APART = 5;  // places from one store to the next: never in the same line of 64 to 256 bytes

bool waits_for_nothing(Filler filler) {
  return filler != Filler::sum && filler != Filler::store && filler != Filler::load && filler != Filler::guess;
}

Does does_of(Filler filler, unsigned number) {
  switch (filler) {
    case Filler::integer:
      return Does::integer;
    case Filler::vector:
      return Does::vector;
    case Filler::mix:
      return number % 2 == 0 ? Does::integer : Does::vector;
    case Filler::result:
      return Does::result;
    case Filler::sum:
      return Does::sum;
    case Filler::load:
      return Does::load;
    case Filler::store:
      return Does::store;
    case Filler::nop:
    case Filler::guess:
      break;
  }
  return Does::nop;
}

void fill(const Shape& shape, unsigned count, std::vector<Step>& steps) {
  for (unsigned n = 0; n < count; ++n) {
    if (shape.filler != Filler::guess) {
      const auto does = does_of(shape.filler, n);
      steps.push_back({does, does == Does::store || does == Does::load ? n * APART % STORE_LINES : 0});
      continue;
    }
    for (const auto does : {Does::draw, Does::mask, Does::turn, Does::nop}) steps.push_back({does});
  }
}

}  // namespace

std::vector<Step> steps_of(const Shape& shape) {
  constexpr unsigned ENDING = 2;
  std::vector<Step> steps;
  const bool spare = waits_for_nothing(shape.filler) && shape.fillers >= ENDING;
  const unsigned last = spare ? shape.fillers - ENDING : shape.fillers;
  for (unsigned c = 0; c < shape.chains; ++c) {
    steps.push_back({Does::hop, 0, c});
    for (unsigned b = 0; b < shape.beside; ++b) steps.push_back({Does::look, b, c});
    fill(shape, c + 1 == shape.chains ? last : shape.fillers, steps);
  }
  if (shape.chains == 0) fill(shape, last, steps);
  steps.push_back({Does::count});
  steps.push_back({Does::back});
  return steps;
}

/// For draws, x -> ax + b repeated `count` times has the same form; its a and b follow by repeated squaring.
std::uint64_t behind(Filler filler, std::uint64_t first, std::uint64_t count) {
  if (filler == Filler::sum) return first + ADDED * count;
  if (filler != Filler::guess) return first;
  std::uint64_t a = MULTIPLIER, b = ADDED;
  for (; count > 0; count >>= 1U) {
    if ((count & 1U) != 0) first = first * a + b;
    b = b * a + b;
    a *= a;
  }
  return first;
}

}  // namespace tierscope::loops
