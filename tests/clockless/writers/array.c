/* Accounts far apart, between which transactions move money: the sum stays; one more transfer works. */
#include "pool.h"

enum { ACCOUNTS = 64, START = 1000, STRIDE = 16 };
struct bank {
  uint64_t transfers;
  uint64_t pad[7];
  uint64_t account[ACCOUNTS][STRIDE];
};

static void transfer(PMEMobjpool* pool, struct bank* bank) {
  const uint64_t t = bank->transfers, from = t * 7 % ACCOUNTS, to = (t * 13 + 5) % ACCOUNTS;
  TX_BEGIN(pool) {
    pmemobj_tx_add_range_direct(&bank->transfers, sizeof t);
    pmemobj_tx_add_range_direct(&bank->account[from][0], sizeof t);
    if (!planted("missing-flush")) pmemobj_tx_add_range_direct(&bank->account[to][0], sizeof t);
    bank->account[from][0] -= 1;
    bank->account[to][0] += 1;
    bank->transfers += 1;
    if (planted("wrong-order")) printf("%llu\n", (unsigned long long)bank->transfers); /* told before it is true */
  }
  TX_ONABORT { refuse("aborted transfer", t); }
  TX_END
}

static struct bank* open_bank(PMEMobjpool* pool) {
  struct bank* bank = pmemobj_direct(pmemobj_root(pool, sizeof *bank));
  if (bank->account[0][0] != 0) return bank;
  TX_BEGIN(pool) {
    pmemobj_tx_add_range_direct(bank, sizeof *bank);
    for (int i = 0; i < ACCOUNTS; ++i) bank->account[i][0] = START;
  }
  TX_END
  return bank;
}

static void write_all(PMEMobjpool* pool, uint64_t operations) {
  struct bank* bank = open_bank(pool);
  while (bank->transfers < operations) {
    transfer(pool, bank);
    printf("%llu\n", (unsigned long long)bank->transfers);
  }
}

static void check_all(PMEMobjpool* pool, uint64_t completed) {
  struct bank* bank = open_bank(pool);
  uint64_t expected[ACCOUNTS];
  if (bank->transfers < completed) refuse("lost transfer", bank->transfers);
  transfer(pool, bank);
  for (int i = 0; i < ACCOUNTS; ++i) expected[i] = START;
  for (uint64_t t = 0; t < bank->transfers; ++t) {
    expected[t * 7 % ACCOUNTS] -= 1;
    expected[(t * 13 + 5) % ACCOUNTS] += 1;
  }
  for (uint64_t i = 0; i < ACCOUNTS; ++i)
    if (bank->account[i][0] != expected[i]) refuse("wrong account", i);
}
