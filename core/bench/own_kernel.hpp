/// The kernel entry of a victim or a structure, so that a plan names it as it names a kernel. It is not a function, and
/// checks its answer itself.
#pragma once
#include <memory>
#include <string_view>
#include <vector>

#include "kernels/kernel.hpp"

namespace tierscope {

struct OwnKernel {
  kernels::KernelEntry entry{};
  kernels::KernelInfo info{};
};

inline std::shared_ptr<const kernels::KernelEntry> own_kernel(std::string_view name, std::string_view operation,
                                                              kernels::Wait wait = kernels::Wait::none) {
  auto own = std::make_shared<OwnKernel>();
  auto& [entry, info] = *own;
  info.name = name;
  info.check = kernels::Check::recomputed;
  info.content = kernels::Content::nothing;
  info.operation = operation;
  info.wait = wait;
  entry = {name,
           name,
           "scalar",
           0,
           "",
           &info,
           kernels::Store::none,
           []() noexcept {
             static constexpr kernels::Variant only[]{{kernels::Shape{}, nullptr}};
             return kernels::Table(only);
           },
           []() noexcept { return kernels::Function{nullptr}; }};
  return {own, &entry};
}

/// The names of a registry.
template <class Entry>
std::vector<std::string_view> names_of(const std::vector<const Entry*>& entries) {
  std::vector<std::string_view> names;
  for (const Entry* entry : entries) names.push_back(entry->name);
  return names;
}

}  // namespace tierscope
