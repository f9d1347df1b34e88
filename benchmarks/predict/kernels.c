// Kernels of data structures and arrays whose times on simulated cores are predicted. Arguments: a name, then sizes.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef uint32_t u32;
typedef uint64_t u64;

static u64 state = 1995;
static u64 draw(void) {
  state ^= state << 13;
  state ^= state >> 7;
  state ^= state << 17;
  return state;
}
static void* get(u64 bytes) {
  void* at = calloc(1, bytes);
  if (!at) exit(9);
  return at;
}

// A cycle through n lines of 64 bytes, in an order that no prefetcher follows.
static u64* cycle(u64 n) {
  u64* lines = get(n * 64);
  for (u64 i = 0, at = 0; i < n; ++i) {
    const u64 next = (at * 5 + 77773) % n;
    lines[at * 8] = next * 8;
    at = next;
  }
  return lines;
}

static u64 chase(u64 n, u64 hops, int chains, int work) {
  u64* lines = cycle(n);
  u64 at[8], sum = 0;
  for (int c = 0; c < chains; ++c) at[c] = lines[c * 8 * 1031 % (n * 8) / 8 * 8];
  for (u64 i = 0; i < hops; ++i) {
    for (int c = 0; c < chains; ++c) at[c] = lines[at[c]];
    for (int w = 0; w < work; ++w) sum = sum * 31 + (sum >> 7) + w;
  }
  for (int c = 0; c < chains; ++c) sum += at[c];
  return sum;
}

static u64 gather(u64 n, u64 count, int levels) {
  u64 *from = get(n * 8), sum = 0;
  for (u64 i = 0; i < n; i += 8) from[i] = i * 2654435761u % n;
  for (u64 i = 0; i < count; ++i) {
    u64 at = draw() % n & ~(u64)7;
    for (int l = 1; l < levels; ++l) at = from[at] & ~(u64)7;
    sum += from[at];
  }
  return sum;
}

static u64 update(u64 n, u64 count, int exclusive) {
  u64* to = get(n * 8);
  for (u64 i = 0; i < count; ++i) {
    const u64 key = draw();
    if (exclusive) to[key % n] ^= key; else to[key % n]++;
  }
  return to[7];
}

static u64 search(u64 n, u64 count, int branches) {
  u64 *from = get(n * 8), sum = 0;
  for (u64 i = 0; i < n; ++i) from[i] = i * 3;
  for (u64 i = 0; i < count; ++i) {
    const u64 key = draw() % (3 * n);
    u64 low = 0, length = n;
    while (length > 1) {
      const u64 half = length / 2;
      if (branches) {
        if (from[low + half] <= key) { low += half; length -= half; } else length = half;
      } else {
        low += half & -(u64)(from[low + half] <= key);
        length -= half;
      }
    }
    sum += low;
  }
  return sum;
}

struct node { struct node *left, *right; u64 key, value; };

static u64 tree(u64 n, u64 count) {
  struct node *nodes = get(n * sizeof *nodes), *root = nodes;
  u64 sum = 0;
  nodes[0].key = draw();
  for (u64 i = 1; i < n; ++i) {
    struct node** at = &root;
    nodes[i].key = draw();
    while (*at) at = (*at)->key < nodes[i].key ? &(*at)->right : &(*at)->left;
    *at = nodes + i;
  }
  for (u64 i = 0; i < count; ++i) {
    const u64 key = draw();
    for (struct node* at = root; at; at = at->key < key ? at->right : at->left) sum += at->value + 1;
  }
  return sum;
}

static u64 list(u64 n, u64 passes) {
  u64* lines = cycle(n), sum = 0;
  for (u64 p = 0, at = 0; p < passes * n; ++p) {
    sum += lines[at + 1];
    lines[at + 2] = sum;
    at = lines[at];
  }
  return sum;
}

static u64 chained(u64 n, u64 count) {
  u32 *heads = get(n * 4), *next = get(n * 4);
  u64 *keys = get(n * 8), sum = 0;
  for (u64 i = 1; i < n; ++i) {
    keys[i] = i * 2654435761u;
    const u64 bucket = keys[i] * 11400714819323198485u % n;
    next[i] = heads[bucket];
    heads[bucket] = (u32)i;
  }
  for (u64 i = 0; i < count; ++i) {
    const u64 key = (1 + draw() % (n - 1)) * 2654435761u;
    u32 at = heads[key * 11400714819323198485u % n];
    while (at && keys[at] != key) at = next[at];
    sum += at;
  }
  return sum;
}

static u64 probed(u64 n, u64 count, int join) {  // n: a power of two, filled by half
  u64 *keys = get(n * 8), *rows = get(count * 8), sum = 0;
  for (u64 i = 1; i < n / 2; ++i) {
    u64 at = i * 11400714819323198485u >> 20 & (n - 1);
    while (keys[at]) at = at + 1 & (n - 1);
    keys[at] = i;
  }
  for (u64 i = 0; i < count; ++i) {
    const u64 key = 1 + draw() % (n / 2 - 1);
    u64 at = key * 11400714819323198485u >> 20 & (n - 1);
    while (keys[at] != key) at = at + 1 & (n - 1);
    if (join) rows[i] = at; else sum += at;
  }
  return sum + rows[count / 2];
}

static u64 triad(u64 n, u64 passes, int arrays) {
  double *a = get(n * 8), *b = get(n * 8), *c = get(n * 8);
  for (u64 p = 0; p < passes; ++p)
    if (arrays == 3) for (u64 i = 0; i < n; ++i) a[i] = b[i] + 3.0 * c[i];
    else memcpy(a, b, n * 8);
  return (u64)a[n / 2];
}

static u64 strided(u64 n, u64 step, u64 count) {
  u64 *from = get(n * 8), sum = 0;
  for (u64 i = 0, at = 0; i < count; ++i, at = (at + step) % n) sum += from[at];
  return sum;
}

static u64 transpose(u64 side) {
  double *a = get(side * side * 8), *b = get(side * side * 8);
  for (u64 i = 0; i < side; ++i) for (u64 k = 0; k < side; ++k) b[k * side + i] = a[i * side + k] + 1;
  return (u64)b[side + 1];
}

static u64 stencil(u64 side, u64 passes) {
  double *a = get(side * side * 8), *b = get(side * side * 8);
  for (u64 p = 0; p < passes; ++p)
    for (u64 i = 1; i + 1 < side; ++i)
      for (u64 k = 1; k + 1 < side; ++k)
        b[i * side + k] = .2 * (a[i * side + k] + a[i * side + k - 1] + a[i * side + k + 1] + a[(i - 1) * side + k] + a[(i + 1) * side + k]);
  return (u64)b[side + 1];
}

static u64 graph(u64 n, u64 degree, int breadth) {  // breadth: first search; else a product of a sparse matrix
  u32 *edges = get(n * degree * 4), *queue = get(n * 4), *seen = get(n * 4);
  double *x = get(n * 8), sum = 0;
  for (u64 i = 0; i < n * degree; ++i) edges[i] = (u32)(draw() % n);
  if (!breadth) {
    for (u64 i = 0; i < n; ++i) for (u64 e = 0; e < degree; ++e) sum += 1.5 * x[edges[i * degree + e]];
    return (u64)sum;
  }
  u64 first = 0, last = 1;
  seen[0] = 1;
  while (first < last) {
    const u32 at = queue[first++];
    for (u64 e = 0; e < degree; ++e) {
      const u32 to = edges[at * degree + e];
      if (!seen[to]) { seen[to] = seen[at] + 1; queue[last++] = to; }
    }
  }
  return last;
}

static int compare(const void* a, const void* b) {
  const u64 x = *(const u64*)a, y = *(const u64*)b;
  return (x > y) - (x < y);
}

static u64 sorted(u64 n, int radix) {
  u64 *a = get(n * 8), *b = get(n * 8);
  for (u64 i = 0; i < n; ++i) a[i] = draw();
  if (!radix) { qsort(a, n, 8, compare); return a[n / 2]; }
  for (int shift = 0; shift < 24; shift += 12) {
    static u64 count[4096];
    memset(count, 0, sizeof count);
    for (u64 i = 0; i < n; ++i) count[a[i] >> shift & 4095]++;
    for (u64 d = 0, sum = 0; d < 4096; ++d) { const u64 c = count[d]; count[d] = sum; sum += c; }
    for (u64 i = 0; i < n; ++i) b[count[a[i] >> shift & 4095]++] = a[i];
    u64* swap = a; a = b; b = swap;
  }
  return a[n / 2];
}

static u64 product(u64 side) {
  double *a = get(side * side * 8), *b = get(side * side * 8), *c = get(side * side * 8);
  for (u64 i = 0; i < side; ++i) for (u64 k = 0; k < side; ++k) for (u64 j = 0; j < side; ++j)
    c[i * side + j] += a[i * side + k] * b[k * side + j];
  return (u64)c[side];
}

static u64 scan(u64 n) {
  unsigned char* text = get(n);
  u64 found = 0;
  for (u64 i = 0; i < n; ++i) found += text[i] == 'x';
  return found;
}

int main(int count, char** word) {
  u64 n[3] = {0}, answer;
  if (count < 2) return 2;
  for (int i = 2; i < count && i < 5; ++i) n[i - 2] = strtoull(word[i], 0, 10);
#define IS(name) !strcmp(word[1], name)
  if (IS("chase")) answer = chase(n[0], n[1], (int)n[2], 0);
  else if (IS("chase_work")) answer = chase(n[0], n[1], 1, (int)n[2]);
  else if (IS("gather")) answer = gather(n[0], n[1], (int)n[2]);
  else if (IS("update")) answer = update(n[0], n[1], (int)n[2]);
  else if (IS("search")) answer = search(n[0], n[1], (int)n[2]);
  else if (IS("tree")) answer = tree(n[0], n[1]);
  else if (IS("list")) answer = list(n[0], n[1]);
  else if (IS("chained")) answer = chained(n[0], n[1]);
  else if (IS("probed")) answer = probed(n[0], n[1], (int)n[2]);
  else if (IS("triad")) answer = triad(n[0], n[1], (int)n[2]);
  else if (IS("strided")) answer = strided(n[0], n[1], n[2]);
  else if (IS("transpose")) answer = transpose(n[0]);
  else if (IS("stencil")) answer = stencil(n[0], n[1]);
  else if (IS("graph")) answer = graph(n[0], n[1], (int)n[2]);
  else if (IS("sorted")) answer = sorted(n[0], (int)n[1]);
  else if (IS("product")) answer = product(n[0]);
  else if (IS("scan")) answer = scan(n[0]);
  else return 2;
  printf("%lu\n", (unsigned long)answer);
  return 0;
}
