/* Writes data, then their number, into a mapped file, each with msync: what libtierscope-shadow.so observes. */
#include <fcntl.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

enum { SIZE = 65536, PAGE = 4096 };

int main(int count, char** words) {
  if (count != 2) return 2;
  char* at = mmap(NULL, SIZE, PROT_READ | PROT_WRITE, MAP_SHARED, open(words[1], O_RDWR), 0);
  if (at == MAP_FAILED) return 3;
  for (int number = 1; number <= 3; ++number) {
    memset(at + number * PAGE, 'a' + number, 100);
    if (msync(at + number * PAGE, PAGE, MS_SYNC) != 0) return 4;
    at[0] = (char)number;
    if (msync(at, PAGE, MS_SYNC) != 0) return 5;
  }
  return 0;
}
