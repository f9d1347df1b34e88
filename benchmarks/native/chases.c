/* Three pointer chases that share nothing with the core but the C library.

   chases METHOD BYTES PAGES SAMPLES SECONDS

   Each makes one random cycle through all lines of 64 bytes and follows it. They differ in the cycle, the generator,
   the loop and the clock.

   - sattolo: Sattolo's algorithm on the successors; xorshift64*; 16 loads in a loop; CLOCK_MONOTONIC_RAW.

   - shuffle: a Fisher-Yates shuffle of the order; PCG32; one load in a loop; the CPU time of the process.

   - sorted: lines sorted by a hash of their number, SplitMix64; 64 loads in a loop; the CPU time of the thread.

   PAGES is 4k or thp. The pages that came are read from /proc/self/smaps; others end the program with status 3. It
   prints nanoseconds of a load, one sample a line; the first sample is left out.

   Sources: S. Sattolo, "An algorithm to generate a random cyclic permutation", Information Processing Letters 22, 1986;
   R. Durstenfeld, "Algorithm 235", CACM 7, 1964; S. Vigna, "An experimental exploration of Marsaglia's xorshift
   generators, scrambled", ACM TOMS 42, 2016; M. O'Neill, "PCG", 2014; G. Steele, D. Lea, C. Flood, "Fast Splittable
   Pseudorandom Number Generators", OOPSLA 2014. */
#define _GNU_SOURCE
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <time.h>

enum { LINE = 64, HUGE_BYTES = 2 << 20 };

static char* memory;

static void** at(size_t line) { return (void**)(memory + line * LINE); }

static uint64_t xorshift(void) {
  static uint64_t state = 88172645463325252ULL;
  state ^= state >> 12, state ^= state << 25, state ^= state >> 27;
  return state * 2685821657736338717ULL;
}

static uint32_t pcg(void) {
  static uint64_t state = 0x853c49e6748fea9bULL;
  const uint64_t old = state;
  state = old * 6364136223846793005ULL + 1442695040888963407ULL;
  const uint32_t mixed = (uint32_t)(((old >> 18) ^ old) >> 27), turn = (uint32_t)(old >> 59);
  return mixed >> turn | mixed << (-turn & 31);
}

static uint64_t splitmix(uint64_t number) {
  number = (number + 1) * 0x9e3779b97f4a7c15ULL;
  number = (number ^ number >> 30) * 0xbf58476d1ce4e5b9ULL;
  number = (number ^ number >> 27) * 0x94d049bb133111ebULL;
  return number ^ number >> 31;
}

static void sattolo(size_t lines) {
  for (size_t line = 0; line < lines; ++line) *at(line) = at(line);
  for (size_t last = lines - 1; last > 0; --last) {
    const size_t other = xorshift() % last; /* below last: a single cycle */
    void* kept = *at(last);
    *at(last) = *at(other), *at(other) = kept;
  }
}

static void link_in(const uint32_t* order, size_t lines) {
  for (size_t place = 0; place < lines; ++place) *at(order[place]) = at(order[(place + 1) % lines]);
}

static void shuffle(size_t lines) {
  uint32_t* order = malloc(lines * sizeof *order);
  if (order == NULL) exit(2);
  for (size_t place = 0; place < lines; ++place) order[place] = (uint32_t)place;
  for (size_t last = lines - 1; last > 0; --last) {
    const size_t other = ((uint64_t)pcg() << 32 | pcg()) % (last + 1);
    const uint32_t kept = order[last];
    order[last] = order[other], order[other] = kept;
  }
  link_in(order, lines);
  free(order);
}

struct hashed {
  uint64_t hash;
  uint32_t line;
};

static int by_hash(const void* one, const void* other) {
  const uint64_t a = ((const struct hashed*)one)->hash, b = ((const struct hashed*)other)->hash;
  return (a > b) - (a < b);
}

static void sorted(size_t lines) {
  struct hashed* every = malloc(lines * sizeof *every);
  uint32_t* order = malloc(lines * sizeof *order);
  if (every == NULL || order == NULL) exit(2);
  for (size_t line = 0; line < lines; ++line) every[line] = (struct hashed){splitmix(line), (uint32_t)line};
  qsort(every, lines, sizeof *every, by_hash);
  for (size_t place = 0; place < lines; ++place) order[place] = every[place].line;
  link_in(order, lines);
  free(every), free(order);
}

#define HOP place = *(void* volatile*)place;
#define HOPS4 HOP HOP HOP HOP
#define HOPS16 HOPS4 HOPS4 HOPS4 HOPS4

static void* follow16(void* place, size_t hops) {
  for (size_t hop = 0; hop < hops; hop += 16) {
    HOPS16
  }
  return place;
}

static void* follow1(void* place, size_t hops) {
  while (hops-- > 0) {
    HOP
  }
  return place;
}

static void* follow64(void* place, size_t hops) {
  for (size_t hop = 0; hop < hops; hop += 64) {
    HOPS16 HOPS16 HOPS16 HOPS16
  }
  return place;
}

static const struct method {
  const char* name;
  void (*make)(size_t);
  void* (*follow)(void*, size_t);
  clockid_t clock;
} methods[] = {
    {"sattolo", sattolo, follow16, CLOCK_MONOTONIC_RAW},
    {"shuffle", shuffle, follow1, CLOCK_PROCESS_CPUTIME_ID},
    {"sorted", sorted, follow64, CLOCK_THREAD_CPUTIME_ID},
};

static double now(clockid_t clock) {
  struct timespec time;
  clock_gettime(clock, &time);
  return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

static void map(size_t bytes, int huge) {
  const size_t whole = (bytes + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES;
  char* mapped = mmap(NULL, whole + HUGE_BYTES, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  if (mapped == MAP_FAILED) exit(2);
  memory = (char*)(((uintptr_t)mapped + HUGE_BYTES - 1) / HUGE_BYTES * HUGE_BYTES);
  madvise(mapped, whole + HUGE_BYTES, huge ? MADV_HUGEPAGE : MADV_NOHUGEPAGE);
  memset(memory, 1, whole);
}

/* Return the kB of huge pages in the mapping that has `memory`; -1 if the system does not show it. */
static long huge_kb(void) {
  FILE* maps = fopen("/proc/self/smaps", "r");
  char line[4096];
  unsigned long first, last;
  long found = -1;
  for (int inside = 0; maps != NULL && fgets(line, sizeof line, maps) != NULL;) {
    if (sscanf(line, "%lx-%lx ", &first, &last) == 2)
      inside = first <= (uintptr_t)memory && (uintptr_t)memory < last;
    else if (inside && sscanf(line, "AnonHugePages: %ld kB", &found) == 1)
      break;
  }
  if (maps != NULL) fclose(maps);
  return found;
}

int main(int count, char** words) {
  const struct method* method = NULL;
  for (size_t number = 0; count == 6 && number < sizeof methods / sizeof *methods; ++number)
    if (strcmp(words[1], methods[number].name) == 0) method = &methods[number];
  const size_t bytes = count == 6 ? strtoull(words[2], NULL, 10) : 0;
  if (method == NULL || bytes < 2 * LINE || bytes / LINE > UINT32_MAX) {
    fprintf(stderr, "chases METHOD BYTES PAGES SAMPLES SECONDS; methods: sattolo, shuffle, sorted; pages: 4k, thp\n");
    return 1;
  }
  const int huge = strcmp(words[3], "thp") == 0;
  map(bytes, huge);
  const long got = huge_kb(), wanted = (long)(bytes >> 10);
  if (got < 0 || (huge ? got < wanted : got > 0)) {
    fprintf(stderr, "%ld kB of huge pages came for %ld kB of %s\n", got, wanted, words[3]);
    return 3;
  }
  const size_t lines = bytes / LINE;
  method->make(lines);
  const double seconds = strtod(words[5], NULL);
  void* place = memory;
  size_t passes = 1; /* of a sample: whole cycles, so that each line counts alike */
  for (long sample = -1; sample < atol(words[4]);) {
    const size_t hops = (passes * lines + 63) / 64 * 64;
    const double begin = now(method->clock);
    place = method->follow(place, hops);
    const double lasted = now(method->clock) - begin;
    if (lasted < seconds / 2 && passes * lines < (size_t)1 << 40) {
      passes = lasted > seconds / 64 ? (size_t)((double)passes * seconds / lasted) + 1 : passes * 8;
      continue;
    }
    if (sample++ >= 0) printf("%.6f\n", 1e9 * lasted / (double)hops);
  }
  return place == NULL;
}
