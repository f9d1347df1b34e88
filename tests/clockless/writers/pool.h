/* What the writers share: a program makes a pool, writes to it, or checks it; a fault is planted by its name. */
#include <libpmemobj.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char* fault = "none";

static int planted(const char* name) { return strcmp(fault, name) == 0; }

static void refuse(const char* what, uint64_t number) {
  fprintf(stderr, "%s %llu\n", what, (unsigned long long)number);
  exit(1);
}

/* The last number that the writer printed before the power failed; 0 without any. */
static uint64_t last_printed(const char* log) {
  FILE* file = fopen(log, "r");
  unsigned long long last = 0, number;
  if (file == NULL) refuse("no log", 0);
  while (fscanf(file, "%llu", &number) == 1) last = number;
  fclose(file);
  return last;
}

static void write_all(PMEMobjpool* pool, uint64_t operations);
static void check_all(PMEMobjpool* pool, uint64_t completed);

/* make POOL | write POOL OPERATIONS [FAULT] | check POOL LOG */
int main(int count, char** words) {
  PMEMobjpool* pool;
  if (count < 3) return 2;
  if (strcmp(words[1], "make") == 0)
    pool = pmemobj_create(words[2], "test", PMEMOBJ_MIN_POOL * 2, 0600);
  else
    pool = pmemobj_open(words[2], "test");
  if (pool == NULL) {
    fprintf(stderr, "%s\n", pmemobj_errormsg());
    return 1;
  }
  if (count > 4) fault = words[4];
  if (strcmp(words[1], "write") == 0) write_all(pool, strtoull(words[3], NULL, 10));
  if (strcmp(words[1], "check") == 0) check_all(pool, last_printed(words[3]));
  pmemobj_close(pool);
  return 0;
}
