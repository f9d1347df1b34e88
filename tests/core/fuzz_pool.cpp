/// Any bytes as damage of a pool: it is refused on opening with one line, or every operation on it works; no store
/// leaves an array or the pool. The first byte names the structure, the others what is damaged (damaged_pool.hpp).
/// Source: K. Serebryany, "Continuous Fuzzing with libFuzzer and AddressSanitizer", SecDev 2016.
#include <cstdio>
#include <cstdlib>
#include <memory>

#include "base/registry.hpp"
#include "damaged_pool.hpp"

namespace {

using namespace tierscope;

/// One of each structure, made when it is first asked for; removed at the end.
std::vector<std::unique_ptr<tests::DamagedPool>> make_pools() {
  const auto* const place = access("/dev/shm", W_OK) == 0 ? "/dev/shm" : "/tmp";
  int off = 0;
  pmemobj_ctl_set(nullptr, "sds.at_create", &off);
  std::vector<std::unique_ptr<tests::DamagedPool>> pools;
  for (const auto* entry : Registry<StructureEntry>::entries())
    if (entry->persistent && entry->lacking.empty())
      pools.push_back(std::make_unique<tests::DamagedPool>(*entry, place));
  if (pools.empty()) std::abort();
  return pools;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  static auto pools = make_pools();
  if (size == 0) return 0;
  const auto said = pools[data[0] % pools.size()]->trial(data + 1, size - 1);
  if (said.find('\n') != std::string::npos) std::abort();
  return 0;
}
