/* An append log: a record of two lines, then the number of records as one 8-byte store. */
#include "pool.h"

enum { RECORDS = 4096, WORDS = 16 };
struct log {
  uint64_t records;
  uint64_t pad[7];
  uint64_t record[RECORDS][WORDS];
};

static void store(PMEMobjpool* pool, struct log* log, uint64_t i) {
  for (int w = 0; w < WORDS; ++w) log->record[i][w] = (i + 1) * 1000 + (uint64_t)w;
  if (planted("missing-flush")) return;
  pmemobj_flush(pool, log->record[i], sizeof log->record[i]);
  if (!planted("missing-fence")) pmemobj_drain(pool);
}

static void commit(PMEMobjpool* pool, struct log* log, uint64_t i) {
  log->records = i + 1;
  pmemobj_persist(pool, &log->records, sizeof log->records);
}

static void write_all(PMEMobjpool* pool, uint64_t operations) {
  struct log* log = pmemobj_direct(pmemobj_root(pool, sizeof *log));
  for (uint64_t i = log->records; i < operations; ++i) {
    if (planted("wrong-order")) commit(pool, log, i);
    store(pool, log, i);
    if (!planted("wrong-order")) commit(pool, log, i);
    printf("%llu\n", (unsigned long long)(i + 1));
  }
}

static void check_all(PMEMobjpool* pool, uint64_t completed) {
  struct log* log = pmemobj_direct(pmemobj_root(pool, sizeof *log));
  if (log->records < completed) refuse("lost record", log->records);
  for (uint64_t i = 0; i < log->records; ++i)
    for (int w = 0; w < WORDS; ++w)
      if (log->record[i][w] != (i + 1) * 1000 + (uint64_t)w) refuse("wrong record", i);
}
