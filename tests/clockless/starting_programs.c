// How programs start other processes. Arguments: a word, and what it needs.
#define _GNU_SOURCE
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

extern char** environ;

static int ended(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

static void become(char** words) {
  execve(words[0], words, environ);
  _exit(127);
}

// Loads that no compiler drops: so many instructions per round that start and end hardly count.
static void work(long rounds) {
  static volatile long area[512];
  long sum = 0;
  for (long round = 0; round < rounds; ++round)
    for (int i = 0; i < 512; ++i) sum += area[i] += i;
  printf("%ld\n", sum);
  fflush(stdout);
}

static int by_fork(char** words) {
  const pid_t child = fork();
  if (child == 0) become(words);
  return ended(child);
}

static int by_vfork(char** words) {
  const pid_t child = vfork();
  if (child == 0) become(words);
  return ended(child);
}

static int by_spawn(char** words) {
  pid_t child = 0;
  if (posix_spawn(&child, words[0], 0, 0, words, environ) != 0) return 98;
  return ended(child);
}

// Like subprocess of Python: nothing that the program has open reaches the other one, and its number is used again.
static int closed(char** words) {
  const pid_t child = fork();
  if (child == 0) {
    for (int i = 3; i < 1024; ++i) close(i);
    for (int i = 3; i < 800; ++i) open("/dev/null", O_RDONLY);
    become(words);
  }
  return ended(child);
}

// A first child that becomes nothing, as a search along PATH; the second one is the program.
static int missing(char** words) {
  char* nothing[] = {"/nowhere/nothing", 0};
  if (by_fork(nothing) != 127) return 97;
  return by_fork(words);
}

static int both(char** words) {
  const pid_t first = fork();
  if (first == 0) become(words);
  const pid_t second = fork();
  if (second == 0) become(words);
  return ended(first) + ended(second);
}

static int copy(long rounds) {
  const pid_t child = fork();
  if (child == 0) {
    work(rounds);
    _exit(0);
  }
  return ended(child);
}

// Work in a copy, which then becomes a program.
static int late(long rounds, char** words) {
  const pid_t child = fork();
  if (child == 0) {
    work(rounds);
    become(words);
  }
  return ended(child);
}

// A process whose parent has ended becomes a child of this one, which waits for both.
static int orphan(char** words) {
  prctl(PR_SET_CHILD_SUBREAPER, 1);
  const pid_t child = fork();
  if (child == 0) {
    if (fork() == 0) become(words);
    _exit(0);
  }
  while (wait(0) > 0) {
  }
  return 0;
}

static void* waits(void* nothing) {
  pause();
  return nothing;
}

// What it leaves behind: a process of two threads, one that is stopped, and one that starts others all the time.
static int leaves(void) {
  for (int kind = 0; kind < 3; ++kind) {
    const pid_t child = fork();
    if (child > 0) {
      printf("%d\n", (int)child);
      continue;
    }
    pthread_t thread;
    if (kind == 0) pthread_create(&thread, 0, waits, 0), waits(0);
    if (kind == 1) raise(SIGSTOP), waits(0);
    while (1) {
      char* nothing[] = {"/bin/true", 0};
      by_vfork(nothing);
    }
  }
  fflush(stdout);
  usleep(100000);
  return 0;
}

// A signal to itself, then a stop that another process ends.
static int stopped(void) {
  signal(SIGUSR1, SIG_IGN);
  raise(SIGUSR1);
  const pid_t self = getpid(), child = fork();
  if (child == 0) {
    siginfo_t found;
    (void)found;
    usleep(20000);
    kill(self, SIGCONT);
    _exit(0);
  }
  raise(SIGSTOP);
  return ended(child);
}

int main(int count, char** words) {
  if (count < 2) return 2;
  const char* how = words[1];
  if (!strcmp(how, "work")) return work(atol(words[2])), 0;
  if (!strcmp(how, "fork")) return by_fork(words + 2);
  if (!strcmp(how, "vfork")) return by_vfork(words + 2);
  if (!strcmp(how, "spawn")) return by_spawn(words + 2);
  if (!strcmp(how, "closed")) return closed(words + 2);
  if (!strcmp(how, "missing")) return missing(words + 2);
  if (!strcmp(how, "both")) return both(words + 2);
  if (!strcmp(how, "copy")) return copy(atol(words[2]));
  if (!strcmp(how, "late")) return late(atol(words[2]), words + 3);
  if (!strcmp(how, "orphan")) return orphan(words + 2);
  if (!strcmp(how, "leaves")) return leaves();
  if (!strcmp(how, "stopped")) return stopped();
  if (!strcmp(how, "left")) {
    if (fork() == 0) become(words + 2);
    return 0;
  }
  return 2;
}
