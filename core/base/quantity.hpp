/// Numbers with units as people write them: 64KiB, 8GB, 350ns. A number without a unit is in bytes or seconds.
#pragma once
#include <string>

namespace tierscope::quantity {

/// Reads B, KiB, MiB, GiB, TiB, KB, MB, GB, TB; not rounded. @throws BadPlan naming the key
double bytes(const std::string& key, const std::string& word);
/// Reads s, ms, us, ns. @throws BadPlan naming the key
double seconds(const std::string& key, const std::string& word);

}  // namespace tierscope::quantity
