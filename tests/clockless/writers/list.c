/* A list by the atomic API: each entry is made by a constructor, linked at the head, and every third one removed. */
#include "pool.h"

POBJ_LAYOUT_BEGIN(test);
POBJ_LAYOUT_ROOT(test, struct root);
POBJ_LAYOUT_TOID(test, struct entry);
POBJ_LAYOUT_END(test);

struct entry {
  POBJ_LIST_ENTRY(struct entry) next;
  uint64_t number;
  uint64_t far[32]; /* in other lines than the links, which the library flushes */
};
struct root {
  POBJ_LIST_HEAD(entries, struct entry) head;
};

static int construct(PMEMobjpool* pool, void* at, void* number) {
  struct entry* entry = at;
  entry->number = *(uint64_t*)number;
  for (int i = 0; i < 32; ++i) entry->far[i] = entry->number + (uint64_t)i;
  if (!planted("missing-flush")) pmemobj_persist(pool, entry, sizeof *entry);
  return 0;
}

static void write_all(PMEMobjpool* pool, uint64_t operations) {
  struct root* root = D_RW(POBJ_ROOT(pool, struct root));
  for (uint64_t i = 1; i <= operations; ++i) {
    POBJ_LIST_INSERT_NEW_HEAD(pool, &root->head, next, sizeof(struct entry), construct, &i);
    if (i % 3 == 0) POBJ_LIST_REMOVE_FREE(pool, &root->head, POBJ_LIST_FIRST(&root->head), next);
    printf("%llu\n", (unsigned long long)i);
  }
}

static void check_all(PMEMobjpool* pool, uint64_t completed) {
  struct root* root = D_RW(POBJ_ROOT(pool, struct root));
  TOID(struct entry) entry;
  uint64_t wanted = 0, found = 0, newest = 0;
  POBJ_LIST_FOREACH(entry, &root->head, next) {
    const struct entry* one = D_RO(entry);
    if (newest == 0) newest = one->number;
    for (int i = 0; i < 32; ++i)
      if (one->far[i] != one->number + (uint64_t)i) refuse("wrong entry", one->number);
    found += one->number % 3 != 0;
    if (++wanted > 100000) refuse("endless list", wanted);
  }
  if (newest + (completed % 3 == 0) < completed) refuse("lost entry", newest);
  if (found != newest - newest / 3) refuse("wrong length", found);
  wanted = newest + 1000;
  POBJ_LIST_INSERT_NEW_HEAD(pool, &root->head, next, sizeof(struct entry), construct, &wanted);
}
