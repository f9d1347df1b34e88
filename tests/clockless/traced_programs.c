// What programs do that a tracer can stumble over. Arguments: a word, and how often.
#define _GNU_SOURCE
#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/time.h>
#include <sys/wait.h>
#include <unistd.h>

static _Alignas(64) unsigned char area[512];
static volatile sig_atomic_t rings;
static atomic_long shared;

static void ring(int number) {
  (void)number;
  rings++;
}

// Written by a function of QEMU, right behind a call and before a return.
__attribute__((noinline)) static void state(void) { __asm__ volatile("fxsave %0" : "=m"(area)); }

static void* add(void* count) {
  for (long i = 0; i < (long)(intptr_t)count; ++i) atomic_fetch_add(&shared, 1);
  return 0;
}

static void threads(long count) {
  pthread_t team[4];
  for (int i = 0; i < 4; ++i) pthread_create(&team[i], 0, add, (void*)(intptr_t)count);
  for (int i = 0; i < 4; ++i) pthread_join(team[i], 0);
}

// Threads that wait for each other all the time, in calls to the system.
static pthread_mutex_t turn = PTHREAD_MUTEX_INITIALIZER;

static void* wait_and_add(void* count) {
  for (long i = 0; i < (long)(intptr_t)count; ++i) {
    pthread_mutex_lock(&turn);
    for (int k = 0; k < 200; ++k) area[k] += 1;
    shared += 1;
    pthread_mutex_unlock(&turn);
  }
  return 0;
}

static void locks(long count) {
  pthread_t team[4];
  for (int i = 0; i < 4; ++i) pthread_create(&team[i], 0, wait_and_add, (void*)(intptr_t)count);
  for (int i = 0; i < 4; ++i) pthread_join(team[i], 0);
}

// Threads that end all the time, while another one works.
static void* brief(void* count) {
  volatile long mine[8] = {0};
  for (long k = 0; k < (long)(intptr_t)count; ++k) mine[k % 8] += k;
  return 0;
}

static void ends(long count) {
  for (long i = 0; i < count; ++i) {
    pthread_t team[3];
    for (intptr_t k = 0; k < 3; ++k) pthread_create(&team[k], 0, brief, (void*)(200 * (k + 1)));
    brief((void*)500);
    for (int k = 0; k < 3; ++k) pthread_join(team[k], 0);
  }
}

// A function that is written anew before each call: mov $k, %eax; ret.
static long written(long count) {
  unsigned char* at = mmap(0, 4096, PROT_READ | PROT_WRITE | PROT_EXEC, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  long sum = 0;
  for (int k = 0; k < count; ++k) {
    at[0] = 0xb8;
    memcpy(at + 1, &k, 4);
    at[5] = 0xc3;
    sum += ((int (*)(void))at)();
  }
  return sum;
}

static void timer(long count) {
  struct itimerval every = {{0, 1000}, {0, 1000}};
  signal(SIGVTALRM, ring);
  setitimer(ITIMER_VIRTUAL, &every, 0);
  while (rings < count) state();
}

// Threads that get signals while they run, as those of Go do: a stack of its own is written at each.
__attribute__((noinline)) static long deeper(volatile long* at, long k) { return at[k % 8] += k; }

static void* working(void* count) {
  volatile long mine[8] = {0};
  for (long k = 0; k < (long)(intptr_t)count; ++k) deeper(mine, k);
  atomic_fetch_add(&shared, 1);
  return 0;
}

static void disturbed(long count) {
  pthread_t team[3];
  struct sigaction action = {.sa_handler = ring, .sa_flags = SA_RESTART};
  sigaction(SIGURG, &action, 0);
  for (int i = 0; i < 3; ++i) pthread_create(&team[i], 0, working, (void*)(intptr_t)(count * 500));
  for (int i = 0; shared < 3; ++i) {
    pthread_kill(team[i % 3], SIGURG);
    usleep(50);
  }
  for (int i = 0; i < 3; ++i) pthread_join(team[i], 0);
}

static void* state_on(void* count) {
  for (long i = 0; i < (long)(intptr_t)count; ++i) state();
  printf("%ld\n", (long)(intptr_t)count);
  return 0;
}

int main(int words, char** word) {
  const long count = atol(word[words - 1]);
  int status = 0;
  switch (word[1][0]) {
    case 's': for (long i = 0; i < count; ++i) state(); printf("%d\n", area[0] != 0); break;
    case 't': threads(count); printf("%ld\n", (long)shared); break;
    case 'l': locks(count); printf("%ld\n", (long)shared); break;
    case 'd': disturbed(count); printf("%ld\n", (long)shared); break;
    case 'm':  // the first thread ends, and another one goes on
      pthread_create(&(pthread_t){0}, 0, state_on, (void*)(intptr_t)count);
      pthread_exit(0);
    case 'e': ends(count / 4); printf("%ld\n", count); break;
    case 'a': timer(count); printf("%d\n", rings >= count); break;
    case 'w': printf("%ld\n", written(count)); break;
    case 'f':
      if (fork() == 0) _exit(3);
      wait(&status);
      printf("%d\n", WEXITSTATUS(status));
      break;
    case 'b':
      execv(word[2], word + 2);
      puts("stayed");
      break;
    case '5': __asm__ volatile("vpaddq %zmm0, %zmm0, %zmm0"); break;
  }
  return 0;
}
