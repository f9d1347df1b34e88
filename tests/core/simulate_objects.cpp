/// The object of an address while objects are allocated and freed, and the memory of each object in a placement.
#include <doctest/doctest.h>

#include "simulate/objects.hpp"
#include "simulate/placement.hpp"

using tierscope::simulate::Objects;
using tierscope::simulate::Placement;
using tierscope::simulate::REST;

TEST_CASE("an address belongs to the object that has it now") {
  Objects objects;
  REQUIRE(objects.name("site 1\tprogram+0x10").empty());
  REQUIRE(objects.name("data 2\tlibrary").empty());
  objects.add(1000, 100, 1);
  objects.add(1100, 50, 2);
  CHECK(objects.at(999) == REST);
  CHECK(objects.at(1000) == 1);
  CHECK(objects.at(1099) == 1);
  CHECK(objects.at(1100) == 2);
  CHECK(objects.at(1149) == 2);
  CHECK(objects.at(1150) == REST);
  objects.remove(1000);
  CHECK(objects.at(1050) == REST);
  CHECK(objects.at(1120) == 2);
  objects.remove(7);  // was never allocated
  CHECK(objects.known()[1].name == "site\tprogram+0x10");
}

TEST_CASE("most bytes at a time and allocations are counted") {
  Objects objects;
  objects.add(0x1000, 100, 1);
  objects.add(0x2000, 100, 1);
  objects.remove(0x1000);
  objects.add(0x3000, 50, 1);
  const auto& one = objects.known()[1];
  CHECK(one.bytes == 150);
  CHECK(one.peak == 200);
  CHECK(one.allocations == 3);
}

TEST_CASE("bytes that are allocated again had an end that nobody stated") {
  Objects objects;
  objects.add(100, 10, 1);
  objects.add(110, 10, 1);
  objects.add(120, 10, 1);
  objects.add(105, 10, 2);  // ends the first two
  CHECK(objects.at(104) == REST);
  CHECK(objects.at(105) == 2);
  CHECK(objects.at(119) == REST);
  CHECK(objects.at(125) == 1);
  CHECK(objects.known()[1].bytes == 10);
  objects.add(105, 0, 1);  // nothing
  CHECK(objects.at(105) == 2);
}

TEST_CASE("names of places that are none are refused") {
  Objects objects;
  for (const auto* line : {"", "site", "site 1", "site x\tp", "site 0\tp", "site 65535\tp", "site\t1 p", "site 1x\tp"})
    CHECK_FALSE(objects.name(line).empty());
  CHECK_FALSE(objects.name("site 1\t" + std::string(9000, 'a')).empty());
}

TEST_CASE("a placement moves the objects that it names") {
  Objects objects;
  REQUIRE(objects.name("site 1\ta").empty());
  Placement placement(7, 9, {"site\tb", "rest\t"});
  placement.learn(objects);
  CHECK(placement.base(REST) == 9);
  CHECK(placement.base(1) == 7);
  CHECK(placement.base(2) == 7);  // not known yet
  REQUIRE(objects.name("site 2\tb").empty());
  placement.learn(objects);
  CHECK(placement.base(2) == 9);
}

TEST_CASE("waits and requests are added by object") {
  Objects objects;
  objects.add(0, 1, 3);
  Placement placement(0);
  placement.learn(objects);
  placement.wait(3, 10);
  placement.wait(3, 5);
  placement.wait(3, -5);  // no wait
  placement.wait(9, 5);   // no object
  placement.request(3, true);
  placement.request(3, false);
  placement.request(3, false);
  CHECK(placement.uses()[3].wait == 15);
  CHECK(placement.uses()[3].reads == 2);
  CHECK(placement.uses()[3].writes == 1);
}
