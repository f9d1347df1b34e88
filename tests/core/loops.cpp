/// Loops of generated instructions: what they leave, and that simulated cores show the parameters they were made with.
#include <doctest/doctest.h>

#include "base/error.hpp"
#include "bench/simulation.hpp"
#include "bench/tasks/loop_route.hpp"
#include "loops/code.hpp"
#include "says.hpp"

using namespace tierscope;
using loops::Does;
using loops::Filler;
using loops::Frame;
using loops::Shape;

namespace {

std::size_t count(const Shape& shape, Does does) {
  std::size_t found = 0;
  for (const auto& step : loops::steps_of(shape)) found += step.does == does ? 1 : 0;
  return found;
}

Loops windows(std::uint64_t train, std::uint64_t stride, std::uint64_t ahead) {
  Loops its;
  its.chains = 1;
  its.train = train;
  its.stride = stride;
  its.ahead = ahead;
  return its;
}

}  // namespace

TEST_CASE("the end of a loop takes the place of two fillers that wait for nothing") {
  CHECK(count({2, 0, Filler::nop, 10, 0}, Does::nop) == 18);
  CHECK(count({2, 0, Filler::store, 10, 0}, Does::store) == 20);
  CHECK(count({0, 0, Filler::sum, 10, 0}, Does::sum) == 10);
}

TEST_CASE("generated code leaves the sums and draws that arithmetic leaves" *
          doctest::skip(std::string(loops::lacking()) != "")) {
  for (const auto filler : {Filler::sum, Filler::guess}) {
    const loops::Code code({0, 0, filler, 3, 0});
    for (const std::uint64_t mask : {~std::uint64_t{0}, ~std::uint64_t{0} >> 1U}) {
      Frame frame;
      frame.mask = mask;
      frame.cursors[0] = 7;
      code.function()(&frame, 1000);
      CHECK(frame.cursors[0] == loops::behind(filler, 7, 3000));
    }
  }
}

TEST_CASE("generated code follows its chains and stores to its lines" *
          doctest::skip(std::string(loops::lacking()) != "")) {
  std::vector<std::uint64_t> ring(64);
  for (std::size_t i = 0; i < 32; ++i) ring[i] = reinterpret_cast<std::uintptr_t>(&ring[(i + 1) % 32]);
  const loops::Code code({2, 1, Filler::store, loops::STORE_LINES, 256});
  Frame frame;
  frame.cursors[0] = reinterpret_cast<std::uintptr_t>(&ring[0]);
  frame.cursors[1] = reinterpret_cast<std::uintptr_t>(&ring[5]);
  code.function()(&frame, 33);
  CHECK(frame.cursors[0] == reinterpret_cast<std::uintptr_t>(&ring[1]));
  CHECK(frame.cursors[1] == reinterpret_cast<std::uintptr_t>(&ring[6]));
  for (const auto& line : frame.lines) CHECK(line[0] == loops::ADDED);
}

TEST_CASE("windows of a route visit no line twice, and leave their pages for the line apart alone") {
  for (const std::uint64_t down : {0U, 1U})
    for (const std::uint64_t apart : {0U, 1U}) {
      auto its = windows(3, 2, 6);
      its.down = down;
      its.apart = apart;
      its.windows = 4;
      const Route route(its, 64 * 4096, 1);
      std::set<std::uint64_t> seen;
      for (std::uint64_t hop = 0; hop < route.hops(); ++hop) seen.insert(route.at(0, hop));
      CHECK(seen.size() == route.hops());
      CHECK(*seen.rbegin() < 64 * 4096);
      const auto first = route.at(0, 0), second = route.at(0, 4), last = route.at(0, 12);
      CHECK(second - first == (down != 0 ? std::uint64_t{0} - 128 : 128));
      CHECK((last / 4096 == first / 4096) == (apart == 0));
    }
  auto odd = windows(1, 0, 1);
  odd.parity = Parity::odd;
  const Route route(odd, 64 * 4096, 1);
  for (std::uint64_t hop = 0; hop < route.hops(); hop += 2) CHECK(route.at(0, hop) / 64 % 2 == 1);
}

TEST_CASE("longer lines: a chain visits each line once, and windows are as many lines in a page of 4 KiB as fit") {
  for (const std::uint64_t line : {128U, 256U}) {
    Loops chains;
    chains.chains = 2;
    chains.beside = 1;
    chains.element = line;
    const Route plain(chains, 64 * 4096, 1);
    std::set<std::uint64_t> lines;
    for (std::uint64_t c = 0; c < 2; ++c)
      for (std::uint64_t hop = 0; hop < plain.hops(); ++hop)
        for (const auto off : {std::uint64_t{0}, plain.distance()}) lines.insert((plain.at(c, hop) + off) / line);
    CHECK(lines.size() == plain.lines());
    CHECK((*lines.rbegin() + 1) * line <= 64 * 4096);

    auto its = windows(3, 2, 4);
    its.element = line;
    const Route route(its, 64 * 4096, 1);
    std::set<std::uint64_t> seen;
    for (std::uint64_t hop = 0; hop < route.hops(); ++hop) seen.insert(route.at(0, hop) / line);
    CHECK(seen.size() == route.hops());
    CHECK(route.at(0, 1) - route.at(0, 0) == 2 * line);
    CHECK(route.at(0, 3) - route.at(0, 2) == 4 * line);
    CHECK(route.at(0, 3) / 4096 == route.at(0, 0) / 4096);
    its.ahead = 4096 / line - 4;
    CHECK(tests::holds(tests::error_of([&] { Route(its, 64 * 4096, 1); }),
                       "does not fit a page of " + std::to_string(4096 / line)));
  }
}

TEST_CASE("a store and the one before it are never in the same line, even of 256 bytes") {
  std::vector<unsigned> places;
  for (const auto& step : loops::steps_of({0, 0, Filler::store, 2 * loops::STORE_LINES, 0}))
    if (step.does == Does::store) places.push_back(step.which);
  CHECK(std::set<unsigned>(places.begin(), places.begin() + loops::STORE_LINES).size() == loops::STORE_LINES);
  for (std::size_t n = 1; n < places.size(); ++n) CHECK(places[n] / 4 != places[n - 1] / 4);
}

TEST_CASE("a loop that fits nothing is refused") {
  CHECK(tests::holds(tests::error_of([] { Route(windows(4, 20, 20), 1 << 20, 1); }), "does not fit a page"));
  Loops many;
  many.chains = 8;
  CHECK(tests::holds(tests::error_of([&] { Route(many, 512, 1); }), "too small"));
}
