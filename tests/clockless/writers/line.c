/* Records that share a cache line with their flag, and one persist for both: right as long as the data is stored first,
   since stores to one line persist in their order. */
#include "pool.h"

enum { RECORDS = 4096 };
struct record {
  volatile uint64_t flag; /* volatile: the compiler keeps the order, and makes no vector of the two */
  volatile uint64_t data;
  uint64_t pad[6];
};
struct records {
  uint64_t pad[6]; /* objects begin 16 bytes behind a line */
  struct record record[RECORDS];
};

static void write_all(PMEMobjpool* pool, uint64_t operations) {
  struct records* all = pmemobj_direct(pmemobj_root(pool, sizeof *all));
  for (uint64_t i = 0; i < operations; ++i) {
    struct record* record = &all->record[i];
    if (record->flag != 0) continue;
    if (planted("flag-first")) record->flag = 1;
    record->data = 1000 + i;
    if (!planted("flag-first")) record->flag = 1;
    pmemobj_persist(pool, record, sizeof *record);
    printf("%llu\n", (unsigned long long)(i + 1));
  }
}

static void check_all(PMEMobjpool* pool, uint64_t completed) {
  struct records* all = pmemobj_direct(pmemobj_root(pool, sizeof *all));
  for (uint64_t i = 0; i < RECORDS; ++i) {
    if (i < completed && all->record[i].flag != 1) refuse("lost record", i);
    if (all->record[i].flag != 0 && all->record[i].data != 1000 + i) refuse("flag without its data", i);
  }
}
