/// Memory that is gone while a team works on it: the fault is reported with its place, nobody waits for ever, and the
/// session continues.
#include <doctest/doctest.h>
#include <sys/mman.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstring>

#include "base/fault.hpp"
#include "base/registry.hpp"
#include "base/syscall.hpp"
#include "bench/bench.hpp"
#include "cli/session.hpp"
#include "folder.hpp"
#include "says.hpp"
#include "targets/made_file.hpp"
#include "targets/pages.hpp"

using namespace tierscope;
using tests::error_of;
using tests::holds;

namespace {

constexpr std::size_t MIB = std::size_t{1} << 20U;

/// A file that can be cut while it is mapped; `cut:early` is cut before it is touched, `cut:filled` before its pages
/// are looked at. The last one mapped is kept.
class CutTarget final : public Target {
 public:
  explicit CutTarget(const TargetOptions& options)
      : early_(options.where == "early"), filled_(options.where == "filled") {}
  [[nodiscard]] Buffer map(std::size_t size_bytes) const override {
    const tests::Folder folder;
    descriptor = std::make_unique<Descriptor>(made_file::create(folder.at("x")));
    REQUIRE(ftruncate(descriptor->get(), static_cast<off_t>(size_bytes)) == 0);
    auto buffer = made_file::map(descriptor->get(), "x", size_bytes, pages::huge(), MAP_SHARED);
    if (early_) cut(size_bytes / 2);
    return buffer;
  }
  [[nodiscard]] Placement inspect(const Buffer& buffer) const override {
    if (!filled_) return {};
    cut(buffer.bytes().size() / 2);
    return {pages::by_faults(buffer.bytes()), {}, "by faults"};
  }
  static void cut(std::size_t to) { REQUIRE(ftruncate(descriptor->get(), static_cast<off_t>(to)) == 0); }

 private:
  static inline std::unique_ptr<Descriptor> descriptor;
  bool early_, filled_;
};

constexpr TargetEntry entry{"cut", "a test's own", "cut", &make_target<CutTarget>};
const Registration registration{entry};

GroupPlan plan_of(const std::string& words, std::vector<std::size_t> cpus = {0}) {
  GroupPlan plan;
  plan.pages = "4k";
  read_words(parse_line("group " + words).words, plan);
  const auto allowed = sys::allowed_cpus();
  for (const auto cpu : cpus) plan.cpus.push_back(allowed[cpu % allowed.size()]);
  return plan;
}

std::string measured(Bench& bench) {
  return error_of([&] { bench.measure(20e-3, 1e-3, {}, nullptr); });
}

std::size_t byte_in(const std::string& message) {
  const auto at = message.find(": byte ");
  return at == std::string::npos ? 0 : std::stoul(message.substr(at + 7));
}

}  // namespace

TEST_CASE("memory that is lost before it is filled is reported with its place") {
  Bench bench;
  const auto message = error_of([&] { bench.prepare({plan_of("kernel=read target=cut:early footprint=1MiB")}); });
  CHECK(holds(message, "Fault: target cut:early: byte 524288 of its 1048576 cannot be read or written (SIGBUS): "));
  CHECK(holds(message, "its file was cut short"));
  CHECK(bench.groups().empty());
  CHECK(error_of([&] { bench.prepare({plan_of("kernel=read target=cut footprint=1MiB")}); }).empty());
}

TEST_CASE("memory that is lost while its pages are counted is reported with its place, on a target and on a source") {
  Bench bench;
  for (const std::string role : {"target", "source"}) {
    CAPTURE(role);
    const auto plan = plan_of("kernel=copy " + role + "=cut:filled footprint=8MiB");
    const auto message = error_of([&] { bench.prepare({plan}); });
    CHECK(holds(message, "Fault: " + role + " cut:filled: byte "));
    CHECK(holds(message, "cannot be read or written (SIGBUS): "));
    CHECK(byte_in(message) >= 2 * MIB);
    CHECK(byte_in(message) % (2 * MIB) == 0);  // the first touch of a part
    CHECK(bench.groups().empty());
    CHECK(error_of([&] { bench.prepare({plan_of("kernel=read target=cut footprint=1MiB")}); }).empty());
  }
}

TEST_CASE("every kind of kernel stops at lost memory, in every batch and in the check") {
  for (const auto* words : {"kernel=read", "kernel=triad", "kernel=chase", "kernel=probe", "kernel=memset",
                            "kernel=memset_blocks element=8KiB", "kernel=memset_blocks_random element=8KiB",
                            "kernel=flush_msync element=4KiB"}) {
    CAPTURE(words);
    Bench bench;
    const auto plan = plan_of(std::string(words) + " target=cut footprint=4MiB");
    bench.prepare({plan});
    CutTarget::cut(0);
    CHECK(holds(measured(bench), "Fault: target cut:"));  // while the size of a block is looked for
    CHECK(bench.groups().empty());
    bench.prepare({plan});
    CHECK(measured(bench).empty());
    CHECK(bench.check()[0] <= 1e-15);  // a fused multiply-add rounds once
    CutTarget::cut(0);
    CHECK(holds(measured(bench), "Fault: target cut:"));
    bench.prepare({plan});
    CHECK(measured(bench).empty());
  }
}

TEST_CASE("the first lost byte is reported, and it is behind the cut") {
  Bench bench;
  bench.prepare({plan_of("kernel=write target=cut footprint=4MiB")});
  CutTarget::cut(3 * MIB);
  const auto at = byte_in(measured(bench));
  CHECK(at >= 3 * MIB);
  CHECK(at < 4 * MIB);
}

TEST_CASE("a check of lost memory is a fault, not a wrong answer") {
  for (const auto* words :
       {"read", "triad", "memset_blocks element=4KiB", "flush_msync element=4KiB", "probe element=4KiB"}) {
    CAPTURE(words);
    Bench bench;
    bench.prepare({plan_of(std::string("target=cut footprint=4MiB kernel=") + words)});
    CHECK(measured(bench).empty());
    CutTarget::cut(0);
    CHECK(holds(error_of([&] { bench.check(); }), "Fault: target cut:"));
    CHECK(bench.groups().empty());
  }
}

TEST_CASE("a fault of the source is reported as one of the source") {
  Bench bench;
  bench.prepare({plan_of("kernel=copy source=cut footprint=4MiB")});
  CutTarget::cut(0);
  CHECK(holds(measured(bench), "Fault: source cut:"));
}

TEST_CASE("groups and members next to a fault end normally") {
  if (sys::allowed_cpus().size() < 2) return;
  Bench bench;
  const auto beside = plan_of("kernel=read footprint=1MiB", {1});
  bench.prepare({plan_of("kernel=read target=cut footprint=1MiB"), beside});
  CutTarget::cut(0);
  CHECK(holds(measured(bench), "Fault: target cut:"));
  bench.prepare({plan_of("kernel=read target=cut footprint=4MiB", {0, 1})});
  CutTarget::cut(2 * MIB);  // the second member's half
  CHECK(byte_in(measured(bench)) >= 2 * MIB);
  bench.prepare({beside});
  CHECK(measured(bench).empty());
}

TEST_CASE("two threads that hand lines over both stop at lost memory") {
  if (sys::allowed_cpus().size() < 2) return;
  Bench bench;
  for (const bool sized : {false, true}) {
    bench.prepare({plan_of("kernel=handover target=cut footprint=16KiB", {0, 1})});
    if (sized) CHECK(measured(bench).empty());
    CutTarget::cut(0);
    CHECK(holds(measured(bench), "Fault: target cut:"));
  }
}

TEST_CASE("a session answers a fault and continues") {
  std::vector<std::string> said;
  Session session("", [&](const std::string& line) { said.push_back(line); });
  const auto cpu = std::to_string(sys::allowed_cpus().front());
  session.execute("group kernel=read target=cut:early footprint=1MiB cpus=" + cpu);
  CHECK(holds(error_of([&] { session.execute("prepare"); }), "Fault: target cut:early"));
  CHECK(holds(error_of([&] { session.execute("measure"); }), "without prepared groups"));
  session.execute("group kernel=read target=node:0 footprint=1MiB cpus=" + cpu);
  session.execute("prepare");
  session.execute("measure seconds=2ms block=1ms");
  CHECK(holds(said.back(), "measured"));
}

TEST_CASE("a fault that nobody watches for ends the process") {
  const auto child = fork();
  REQUIRE(child >= 0);
  if (child == 0) {
    fault::listen();
    const Descriptor file(memfd_create("gone", 0));
    auto* at = static_cast<volatile char*>(mmap(nullptr, pages::base(), PROT_READ, MAP_SHARED, file.get(), 0));
    _exit(*at);
  }
  int status = 0;
  REQUIRE(waitpid(child, &status, 0) == child);
  REQUIRE(WIFSIGNALED(status));
  CHECK(WTERMSIG(status) == SIGBUS);
}
