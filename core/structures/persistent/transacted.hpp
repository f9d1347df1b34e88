/// The common part of the ordered structures: one root object, every change a transaction, no rehash. An empty one is a
/// root object of zeros, and links are offsets in the pool, 8 bytes where libpmemobj's own ids have 16. Source: PMDK,
/// libpmemobj_tx(7).
#pragma once
#include <cstring>
#include <string>

#include "structures/persistent/pool.hpp"
#include "structures/persistent/transaction.hpp"

namespace tierscope::structures {

/// Control: the root object, which begins with Root.
template <class Control>
class Transacted : public Structure {
 public:
  [[nodiscard]] std::uint64_t count() const noexcept final { return control_.count; }
  [[nodiscard]] std::size_t value_bytes() const noexcept final { return control_.value_bytes; }

 protected:
  /// @throws as StructureEntry::open.
  Transacted(const StructureOptions& asked, std::string_view name, std::size_t needed_bytes)
      : pool_(asked, name, needed_bytes, sizeof(Control)), control_(pool_.root<Control>()) {
    if (control_.value_bytes != 0) return;
    control_.value_bytes = asked.value_bytes;
    pool_.persist(&control_.value_bytes, sizeof control_.value_bytes);
  }

  /// Return the state after "found" entries were counted in a sound structure.
  [[nodiscard]] std::string check_count(std::uint64_t found) const {
    if (found == control_.count) return "";
    return "the count is " + std::to_string(control_.count) + " and " + std::to_string(found) + " entries are there";
  }

  Pool pool_;
  Control& control_;
};

}  // namespace tierscope::structures
