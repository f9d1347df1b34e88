/// Open lists: an entry adds itself with `const Registration registration{entry};` in its own file.
/// Entries live in static storage and lists are filled before main, so reading them needs no lock.
#pragma once
#include <algorithm>
#include <string>
#include <string_view>
#include <vector>

#include "base/error.hpp"

namespace tierscope {

/// All entries of one type, in the order of their names.
template <class Entry>
class Registry {
 public:
  static void add(const Entry& entry) {
    auto& list = entries();
    const auto after = [](const Entry* a, std::string_view name) { return a->name < name; };
    list.insert(std::lower_bound(list.begin(), list.end(), entry.name, after), &entry);
  }
  static std::vector<const Entry*>& entries() {
    static std::vector<const Entry*> list;
    return list;
  }
  /// @throws BadPlan naming every entry if none has this name.
  static const Entry& find(std::string_view what, std::string_view name) {
    std::string known;
    for (const Entry* entry : entries()) {
      if (entry->name == name) return *entry;
      known += (known.empty() ? "" : ", ") + std::string(entry->name);
    }
    throw BadPlan("unknown " + std::string(what) + " '" + std::string(name) + "' (known: " + known + ")");
  }
};

/// Its constructor is the registration.
template <class Entry>
struct Registration {
  explicit Registration(const Entry& entry) { Registry<Entry>::add(entry); }
};

}  // namespace tierscope
