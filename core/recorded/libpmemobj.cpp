/// Calls of libpmemobj that structures make, which the linker replaces by these (--wrap): where a pool is, and what
/// of the structure's own objects the library touches in its name. It also flushes what it stores there, so that is
/// noted by libpmem.cpp. Source: PMDK, pmemobj_create(3), pmemobj_list_insert(3), pmemobj_tx_add_range(3).
#include <libpmemobj.h>
#include <sys/stat.h>

#include "recorded/recorder.hpp"

using namespace tierscope::recorded;

namespace {

template <class T>
T* behind(PMEMoid object, std::size_t offset) {
  return reinterpret_cast<T*>(static_cast<std::byte*>(pmemobj_direct(object)) + offset);
}

/// As libpmemobj has them: circular, and a lock of 64 bytes in each head.
struct Links {
  PMEMoid next, prev;
};
struct Head {
  PMEMoid first;
  PMEMmutex lock;
};

template <class T>
void loads(const T& what) noexcept {
  note(What::load, &what, sizeof what);
}

/// The head is read, and its lock taken.
void enters(const void* at) noexcept {
  const auto& head = *static_cast<const Head*>(at);
  loads(head);
  note(What::store, &head.lock, sizeof(std::uint64_t) * 2);
}

/// The neighbours of an entry that goes.
void leaves(PMEMoid object, std::size_t links) {
  const auto& its = *behind<Links>(object, links);
  loads(its);
  loads(behind<Links>(its.prev, links)->next);
  loads(behind<Links>(its.next, links)->prev);
}

/// Record how the library links an entry that comes first.
void comes(const void* at, std::size_t links) {
  enters(at);
  const auto first = static_cast<const Head*>(at)->first;
  if (OID_IS_NULL(first)) return;
  const auto& its = *behind<Links>(first, links);
  loads(its.prev);
  loads(behind<Links>(its.prev, links)->next);
}

PMEMobjpool* followed(PMEMobjpool* pool, const char* path) {
  struct stat its{};
  if (pool != nullptr && stat(path, &its) == 0) opened(pool, static_cast<std::size_t>(its.st_size));
  return pool;
}

}  // namespace

extern "C" {

PMEMobjpool* __real_pmemobj_create(const char* path, const char* layout, std::size_t size, mode_t mode);
PMEMobjpool* __wrap_pmemobj_create(const char* path, const char* layout, std::size_t size, mode_t mode) {
  return followed(__real_pmemobj_create(path, layout, size, mode), path);
}
PMEMobjpool* __real_pmemobj_open(const char* path, const char* layout);
PMEMobjpool* __wrap_pmemobj_open(const char* path, const char* layout) {
  return followed(__real_pmemobj_open(path, layout), path);
}
void __real_pmemobj_close(PMEMobjpool* pool);
void __wrap_pmemobj_close(PMEMobjpool* pool) {
  closed(pool);
  __real_pmemobj_close(pool);
}

int __real_pmemobj_tx_xadd_range_direct(const void* at, std::size_t size, std::uint64_t flags);
int __wrap_pmemobj_tx_xadd_range_direct(const void* at, std::size_t size, std::uint64_t flags) {
  note(What::load, at, size);
  return __real_pmemobj_tx_xadd_range_direct(at, size, flags);
}

void __real_pmemobj_set_value(PMEMobjpool* pool, pobj_action* action, std::uint64_t* at, std::uint64_t value);
void __wrap_pmemobj_set_value(PMEMobjpool* pool, pobj_action* action, std::uint64_t* at, std::uint64_t value) {
  note(What::store, at, sizeof *at);  // by `publish` in truth, which flushes it
  __real_pmemobj_set_value(pool, action, at, value);
}

PMEMoid __real_pmemobj_list_insert_new(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid beside, int before,
                                       std::size_t size, std::uint64_t type, pmemobj_constr make, void* argument);
PMEMoid __wrap_pmemobj_list_insert_new(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid beside, int before,
                                       std::size_t size, std::uint64_t type, pmemobj_constr make, void* argument) {
  comes(head, links);
  return __real_pmemobj_list_insert_new(pool, links, head, beside, before, size, type, make, argument);
}

int __real_pmemobj_list_remove(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid object, int frees);
int __wrap_pmemobj_list_remove(PMEMobjpool* pool, std::size_t links, void* head, PMEMoid object, int frees) {
  enters(head);
  leaves(object, links);
  return __real_pmemobj_list_remove(pool, links, head, object, frees);
}

int __real_pmemobj_list_move(PMEMobjpool* pool, std::size_t old_links, void* old_head, std::size_t links, void* head,
                             PMEMoid beside, int before, PMEMoid object);
int __wrap_pmemobj_list_move(PMEMobjpool* pool, std::size_t old_links, void* old_head, std::size_t links, void* head,
                             PMEMoid beside, int before, PMEMoid object) {
  enters(old_head);
  leaves(object, old_links);
  comes(head, links);
  return __real_pmemobj_list_move(pool, old_links, old_head, links, head, beside, before, object);
}

}  // extern "C"
