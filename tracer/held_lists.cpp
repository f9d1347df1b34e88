// SPDX-License-Identifier: GPL-2.0-or-later
#include "held_lists.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <deque>
#include <mutex>
#include <string_view>
#include <utility>
#include <vector>

namespace tierscope::tracer {
namespace {

constexpr std::string_view NAME = "g_array_free";

using Free = char*(void* array, int data_too);
Free* library = nullptr;
std::mutex mutex;
std::vector<void*> freed;                                       // since the last drop
std::deque<std::pair<std::uint64_t, std::vector<void*>>> held;  // by generation of blocks

char* hold(void* array, int data_too) {
  if (array == nullptr || data_too == 0) return library(array, data_too);
  const std::lock_guard lock(mutex);
  freed.push_back(array);
  return nullptr;  // as of the library, if it frees the data
}

/// The relocations of the executable and what they need.
struct Table {
  const ElfW(Sym) * symbols = nullptr;
  const char* names = nullptr;
  const ElfW(Rela) * jumps = nullptr, *others = nullptr;
  std::size_t jumps_bytes = 0, others_bytes = 0;
};

Table table_of(const dl_phdr_info& object) {
  Table found;
  for (int h = 0; h < object.dlpi_phnum; ++h) {
    if (object.dlpi_phdr[h].p_type != PT_DYNAMIC) continue;
    const auto* entry = reinterpret_cast<const ElfW(Dyn)*>(object.dlpi_addr + object.dlpi_phdr[h].p_vaddr);
    for (; entry->d_tag != DT_NULL; ++entry) {
      auto at = entry->d_un.d_ptr;
      const bool size = entry->d_tag == DT_PLTRELSZ || entry->d_tag == DT_RELASZ;
      if (!size && at < object.dlpi_addr) at += object.dlpi_addr;  // some loaders do not make it an address
      switch (entry->d_tag) {
        case DT_SYMTAB:
          found.symbols = reinterpret_cast<const ElfW(Sym)*>(at);
          break;
        case DT_STRTAB:
          found.names = reinterpret_cast<const char*>(at);
          break;
        case DT_JMPREL:
          found.jumps = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_PLTRELSZ:
          found.jumps_bytes = at;
          break;
        case DT_RELA:
          found.others = reinterpret_cast<const ElfW(Rela)*>(at);
          break;
        case DT_RELASZ:
          found.others_bytes = at;
          break;
        default:
          break;
      }
    }
  }
  return found;
}

/// Make the executable call `hold` by this entry of its table of functions, which may be read-only by now.
void redirect(std::uintptr_t entry) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<void*>(entry / page * page);
  if (::mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
  *reinterpret_cast<Free**>(entry) = hold;
}

/// Called for the executable, which is the first object; others are left alone.
int look_at(dl_phdr_info* object, std::size_t, void*) {
  const auto table = table_of(*object);
  if (table.symbols == nullptr || table.names == nullptr) return 1;
  const auto each = [&](const ElfW(Rela) * list, std::size_t bytes) {
    for (std::size_t r = 0; list != nullptr && r < bytes / sizeof *list; ++r) {
      const auto kind = ELF64_R_TYPE(list[r].r_info);
      if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
      if (table.names + table.symbols[ELF64_R_SYM(list[r].r_info)].st_name == NAME)
        redirect(object->dlpi_addr + list[r].r_offset);
    }
  };
  each(table.jumps, table.jumps_bytes);
  each(table.others, table.others_bytes);
  return 1;
}

}  // namespace

void hold_lists() {
  library = reinterpret_cast<Free*>(::dlsym(RTLD_DEFAULT, NAME.data()));
  if (library != nullptr) ::dl_iterate_phdr(look_at, nullptr);
}

void release_lists(std::uint64_t dropped, std::uint64_t oldest) {
  const std::lock_guard lock(mutex);
  held.emplace_back(dropped, std::move(freed));
  freed.clear();
  for (; !held.empty() && held.front().first < oldest; held.pop_front())
    for (void* array : held.front().second) library(array, 1);
}

}  // namespace tierscope::tracer
