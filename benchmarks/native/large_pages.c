/* For LD_PRELOAD: advises huge pages for all static data and all anonymous memory of 2 MiB or more that a program has
   as it starts, such as the arrays of STREAM. It prints nothing; `AnonHugePages` of the process shows what came. */
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>

__attribute__((constructor)) static void advise(void) {
  const unsigned long huge = 1UL << 21;
  FILE *maps = fopen("/proc/self/maps", "r");
  char line[4096], flags[8], path[4096];
  unsigned long first, last;
  while (maps != NULL && fgets(line, sizeof line, maps) != NULL) {
    path[0] = 0;
    if (sscanf(line, "%lx-%lx %7s %*s %*s %*s %4095s", &first, &last, flags, path) < 3) continue;
    if (strncmp(flags, "rw", 2) != 0 || strncmp(path, "[stack", 6) == 0) continue;
    first = (first + huge - 1) / huge * huge;
    last = last / huge * huge;
    if (first < last) madvise((void *)first, last - first, MADV_HUGEPAGE);
  }
  if (maps != NULL) fclose(maps);
}
