// SPDX-License-Identifier: GPL-2.0-or-later
#include "redirect.hpp"

#include <dlfcn.h>
#include <elf.h>
#include <link.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cstdint>
#include <string_view>

namespace tierscope::tracer {
namespace {

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

/// The function that is replaced, and ours.
struct Replaced {
  std::string_view name;
  void* ours;
};

/// Make the executable call ours by this entry of its table of functions, which may be read-only by now.
void write(std::uintptr_t entry, void* ours) {
  const auto page = static_cast<std::uintptr_t>(::sysconf(_SC_PAGESIZE));
  auto* const begin = reinterpret_cast<void*>(entry / page * page);
  if (::mprotect(begin, page, PROT_READ | PROT_WRITE) != 0) return;
  *reinterpret_cast<void**>(entry) = ours;
}

/// Called for the executable, which is the first object; others are left alone.
int look_at(dl_phdr_info* object, std::size_t, void* data) {
  const auto& [name, ours] = *static_cast<const Replaced*>(data);
  const auto table = table_of(*object);
  if (table.symbols == nullptr || table.names == nullptr) return 1;
  const auto each = [&](const ElfW(Rela) * list, std::size_t bytes) {
    for (std::size_t r = 0; list != nullptr && r < bytes / sizeof *list; ++r) {
      const auto kind = ELF64_R_TYPE(list[r].r_info);
      if (kind != R_X86_64_JUMP_SLOT && kind != R_X86_64_GLOB_DAT) continue;
      if (table.names + table.symbols[ELF64_R_SYM(list[r].r_info)].st_name == name)
        write(object->dlpi_addr + list[r].r_offset, ours);
    }
  };
  each(table.jumps, table.jumps_bytes);
  each(table.others, table.others_bytes);
  return 1;
}

}  // namespace

void* redirect(const char* name, void* ours) {
  void* const library = ::dlsym(RTLD_DEFAULT, name);
  Replaced replaced{name, ours};
  if (library != nullptr) ::dl_iterate_phdr(look_at, &replaced);
  return library;
}

}  // namespace tierscope::tracer
