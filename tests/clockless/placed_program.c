// Three objects of known use: one is chased, one is streamed, one is cold. A tree, whose nodes are one object though a
// recursion allocates them, is touched once. Arguments: rounds.
#include "../../examples/phases/tierscope_phase.h"

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

enum { LINES = 1 << 14, WORDS = 1 << 18, COLD = 1 << 22 };
typedef struct node {
  struct node *left, *right;
  char more[112];
} node;

__attribute__((noinline)) static void* get(size_t bytes) {
  void* at = malloc(bytes);
  if (at == 0) exit(1);
  return at;
}

__attribute__((noinline)) static uint64_t* chased(void) {
  uint64_t* lines = get(LINES * 64L);
  for (uint64_t i = 0, at = 0; i < LINES; ++i) {
    const uint64_t next = (at * 5 + 7777) % LINES;
    lines[at * 8] = next * 8;
    at = next;
  }
  return lines;
}

__attribute__((noinline)) static uint64_t* streamed(void) {
  uint64_t* words = get(WORDS * 8L);
  for (long i = 0; i < WORDS; ++i) words[i] = (uint64_t)i;
  return words;
}

__attribute__((noinline)) static char* cold(void) {
  char* bytes = get(COLD);
  for (long i = 0; i < COLD; i += 1 << 16) bytes[i] = 1;
  return bytes;
}

__attribute__((noinline)) static node* tree(int depth) {
  if (depth == 0) return 0;
  node* here = get(sizeof *here);
  here->left = tree(depth - 1);
  here->right = tree(depth - 1);
  return here;
}

int main(int words, char** word) {
  const long rounds = words > 1 ? atol(word[1]) : 1;
  uint64_t *lines = chased(), *stream = streamed(), at = 0, sum = 0;
  char* bytes = cold();
  node* top = tree(10);
  for (long round = 0; round < rounds; ++round) {
    tierscope_phase("chase");
    for (long i = 0; i < LINES; ++i) at = lines[at];
    tierscope_phase("stream");
    for (long i = 0; i < WORDS; ++i) sum += stream[i];
  }
  tierscope_phase("end");
  printf("%lu %d %d\n", (unsigned long)(sum + at), bytes[COLD / 2], top->left != top->right);
  return 0;
}
