/// Teams and the barrier that starts them together.
#include "team/team.hpp"

#include <doctest/doctest.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <numeric>
#include <vector>

#include "base/syscall.hpp"
#include "says.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

TEST_CASE("every member runs the job once, on its own CPU") {
  const auto cpus = sys::allowed_cpus();
  Team team(cpus);
  REQUIRE(team.size() == cpus.size());
  for (int job = 0; job < 50; ++job) {
    std::vector<int> runs(cpus.size());
    std::vector<unsigned> where(cpus.size());
    team.run([&](std::size_t member) {
      ++runs[member];
      where[member] = sys::current_cpu();
    });
    CHECK(runs == std::vector<int>(cpus.size(), 1));
    CHECK(where == cpus);
  }
}

TEST_CASE("the thread that ran a job, and the next job, see what a member wrote") {
  const auto cpus = sys::allowed_cpus();
  Team team(cpus);
  std::vector<std::size_t> values(team.size());
  team.run([&](std::size_t member) { values[member] = member; });
  CHECK(std::accumulate(values.begin(), values.end(), std::size_t{0}) == values.size() * (values.size() - 1) / 2);
  std::vector<std::size_t> sums(team.size());
  team.run([&](std::size_t member) { sums[member] = std::accumulate(values.begin(), values.end(), std::size_t{0}); });
  for (const auto sum : sums) CHECK(sum == values.size() * (values.size() - 1) / 2);
}

TEST_CASE("a job of some members wakes only these, in any order and number") {
  constexpr std::size_t MEMBERS = 37;
  Team team(std::vector<unsigned>(MEMBERS, sys::allowed_cpus().front()));
  for (std::size_t first = 0; first < MEMBERS; first += 3)
    for (const std::size_t step : {1U, 2U, 5U}) {
      std::vector<std::size_t> some;
      for (auto member = first; member < MEMBERS; member += step) some.push_back(member);
      std::vector<int> runs(MEMBERS), wanted(MEMBERS);
      for (const auto member : some) wanted[member] = 1;
      team.run(some, [&](std::size_t member) { ++runs[member]; });
      CHECK(runs == wanted);
    }
  team.run(std::span<const std::size_t>{}, [](std::size_t) { FAIL("no member was asked for"); });
}

TEST_CASE("a CPU that cannot be had is an error that names those that can") {
  const auto message = error_of([] { const Team team(std::array{sys::allowed_cpus().front(), 8191U}); });
  CHECK(holds(message, "Unsupported: cannot pin a thread to CPU 8191; this process may use "));
  CHECK(holds(message, "use " + std::to_string(sys::allowed_cpus().front())));
}

/// In a child, whose limits are its own: 0 if the Team is refused with words, else what went wrong.
int team_without_threads() {
  const rlimit limit{0, 0};
  if (setrlimit(RLIMIT_NPROC, &limit) != 0 || setuid(65534) != 0) return 2;  // root has no limit
  const std::vector<unsigned> cpus(4, sys::allowed_cpus().front());
  return holds(error_of([&] { const Team team(cpus); }), "Unsupported: cannot start 4 threads") ? 0 : 1;
}

TEST_CASE("threads that the system refuses are an error, not an abort") {
  const auto child = fork();
  REQUIRE(child >= 0);
  if (child == 0) _exit(team_without_threads());
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFEXITED(status));
  if (WEXITSTATUS(status) == 2) {
    MESSAGE("not root: the limit of threads cannot be tried");
    return;
  }
  CHECK(WEXITSTATUS(status) == 0);
}

TEST_CASE("no member leaves the barrier before all have arrived, even with more members than CPUs") {
  const auto cpu = sys::allowed_cpus().front();
  constexpr std::size_t MEMBERS = 5;
  constexpr int ROUNDS = 20;
  Team team(std::vector<unsigned>(MEMBERS, cpu));
  SpinBarrier barrier(MEMBERS);
  std::atomic<int> arrived{0};
  std::array<int, MEMBERS> early{};
  team.run([&](std::size_t member) {
    for (int round = 1; round <= ROUNDS; ++round) {
      ++arrived;
      barrier.arrive_and_wait();
      if (arrived.load() < round * static_cast<int>(MEMBERS)) ++early[member];
      barrier.arrive_and_wait();
    }
  });
  CHECK(arrived.load() == ROUNDS * static_cast<int>(MEMBERS));
  CHECK(early == std::array<int, MEMBERS>{});
}

TEST_CASE("a team that has nothing to do ends") {
  for (int i = 0; i < 20; ++i) const Team team(sys::allowed_cpus());
  CHECK(Team(std::vector<unsigned>{}).size() == 0);
}
